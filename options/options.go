// Package options declares how questions are answered. It has no other code. The zero value of each type is the best
// choice nearly always.
package options

import (
	"sync/atomic"

	"github.com/thresh-dev/thresh/failure"
)

// Run has the options of every call that reads an input. It says how, and never changes an answer.
type Run struct {
	// Engine is the way in which bytes reach memory; empty means EngineAuto.
	Engine Engine
	// Workers is how many goroutines scan; 0 means as many as pay, at most GOMAXPROCS. The
	// most that can be asked for are 4096.
	Workers int
	// ChunkBytes is the size of a piece of work; 0 means the best of the engine.
	ChunkBytes int
	// MemoryBytes bounds the memory of the run, without the page cache. 0 means 256 MiB, or 24 MiB for each of many
	// workers as far as that is a quarter of the memory that the machine or its control group has left; and never more
	// than half of it. A bound that is too small is a *failure.MemoryError. Groups of a table beyond it go to
	// temporary files.
	MemoryBytes int64
	// Cache says what happens to the page cache; empty means CacheAuto.
	Cache Cache
	// Receipt asks for where the time went, which takes up to a fiftieth of the run to measure.
	// Without it a receipt has bytes, time and engines only.
	Receipt bool
	// Progress is increased by the bytes that were scanned or skipped, for another goroutine to read;
	// it may be nil. It is not reset.
	Progress *atomic.Int64
}

// Engine is a way in which bytes reach memory.
type Engine string

// The engines. All but EngineAuto are meant for experiments: one that cannot read an input on this
// machine is a *failure.EngineError.
const (
	EngineAuto   Engine = "auto"   // the fastest, found by trials
	EnginePread  Engine = "pread"  // parallel reads
	EngineMmap   Engine = "mmap"   // a mapping of the file
	EngineUring  Engine = "uring"  // direct reads through io_uring, past the page cache
	EngineStream Engine = "stream" // one pass in order
	EngineMemory Engine = "memory" // in place: of FromBytes, and only for these
)

// Cache says what happens to the page cache.
type Cache string

// The policies. CacheAuto reads a range that fits into half of the available memory through the page
// cache and leaves it there, because the next question then takes about a tenth of the time. It reads
// directly, and leaves the page cache as it was, what does not fit. CacheKeep always keeps; together with
// EngineUring it is a *failure.OptionError. CacheNeutral drops the pages that the run brought in, and only those.
const (
	CacheAuto    Cache = "auto"
	CacheKeep    Cache = "keep"
	CacheNeutral Cache = "neutral"
)

// Scan has the options of calls that read all of a range: Count, First and Table.
type Scan struct {
	Run
	// Offset is where the range begins, in bytes from the start of the input; of a table, at the start of a record. A
	// range that does not lie within an input of known size is a *failure.RangeError.
	Offset int64
	// Length is how many bytes are read; nil means to the end.
	Length *int64
}

// Find has the options of Find and Hits.
type Find struct {
	Run
	Offset int64  // as in Scan
	Length *int64 // as in Scan
	// Limit ends the search after this many hits, the first in the input; 0 means all.
	Limit int64
	// Context is for streams: Input.ReadAt can read this many bytes before and after a hit while Find
	// reports it. At most 16 MiB. A value above 0 leaves one worker to scan a stream. Files do not
	// need it.
	Context int64
}

// Scan returns the options for a call that reads all of the range.
func (o Find) Scan() Scan { return Scan{Run: o.Run, Offset: o.Offset, Length: o.Length} }

// Minify has the options of Minify. In the zero value nothing is validated, which is the fastest.
type Minify struct {
	Run
	// Validate makes a text that is not JSON a *failure.JSONError.
	Validate bool
	// DepthMax bounds the nesting of a validated text; 0 means 10,000.
	DepthMax int
	// NDJSON expects any number of values, none included, and ends each with a line feed. Without it
	// a validated text holds at least one value. Several values are separated by one line feed, and
	// the last of several is followed by one if the input has any.
	NDJSON bool
	// EndLine ends an output that is not empty with a line feed, so that more can follow it.
	EndLine bool
}

// Compare has the options of Compare and Differences.
type Compare struct {
	Run
	// Offset is where comparing begins in the first input, and Other where it begins in the second one. An offset after
	// the end of an input leaves nothing of it.
	Offset, Other int64
	// Length is how many bytes are compared at most; nil means to the end.
	Length *int64
	// First ends the comparison at the first difference, the lowest.
	First bool
	// BlockBytes makes ranges whole blocks of this size, in offsets of the first input, and joins those that touch. 0
	// and 1 leave ranges as they are.
	BlockBytes int64
	// Prefix lets the second input go on after the first one.
	Prefix bool
	// Past reads files and devices past the page cache where the system allows it: devices are always read so. What is
	// compared is then on the device, and not what the page cache has of it.
	Past bool
	// Context is for streams, as in Find: Input.ReadAt can read this many bytes around a difference while it is reported.
	Context int64
	// Settled, if it is not nil, is called as the comparison goes on, so that one that ends early can be resumed: with
	// Offset, Other and Length moved on to what it said last, another call of Compare finds the rest. It is never called
	// while visit runs. An error that it returns ends the comparison and is returned. It does not go with First, nor with
	// BlockBytes above 1.
	Settled func(Settled) error
}

// Settled says up to where two inputs have been compared.
type Settled struct {
	// Off is an offset in the first input: all before it was compared, or is unread. The ranges before it were visited;
	// one that goes on there is visited in two parts.
	Off     int64
	Skipped int64 // bytes in holes that both files have, since the last call
	// Unread are the ranges of each input before Off that could not be read, since the last call; their offsets, too, are
	// those in the first one.
	Unread [2][]failure.UnreadError
	Direct [2]bool // which of the inputs are read past the page cache
}
