// Package thresh answers questions about files too big for ordinary tools, as fast as the hardware
// allows, and names the wall it hit.
//
// A question has three parts: an input, a query, and what to do with the answer.
//
//	in, err := thresh.Open("app.log.gz")            // or FromBytes, FromReader, FromReaderAt, OpenFS
//	query, err := thresh.Text("req=7f3a9c")         // or Regexp, Values, NonZero, Lines, ...
//	for hit, err := range thresh.Hits(ctx, in, query, thresh.Options{}) {
//		...
//	}
//
// [Find] and [Hits] return places, [Count] returns a number, [Table] answers questions about
// delimited text, [Minify] writes JSON without its white space. FindAll, CountAll and TableAll do
// the same for many files.
//
// How the bytes reach memory (a mapping, parallel reads, direct reads through io_uring, a stream) is
// chosen by measuring the first pieces of the real work. Answers never depend on that choice, on the
// number of workers, or on the instruction set.
//
// # Reports and errors
//
// A part of a file that cannot be read does not end a run: the report lists it in Unread and says
// that it is not Complete. Errors that a caller may want to handle are documented types, found by
// [errors.As], and values such as [ErrTruncated], found by [errors.Is]; use these functions, because an
// error may be wrapped. A report that comes with an error is valid: it covers what was read.
//
// Options are checked by the call that uses them: a value that cannot be used, such as a negative
// number, is an [OptionError].
//
// # Concurrency
//
// A [Query] may be used by any number of calls at once. An [Input] serves one call at a time. Functions
// that a caller passes in are called by one goroutine at a time.
//
// # Stability
//
// The module follows semantic versioning. Before v1.0.0 a minor version may change the API, and the
// changelog says how; a patch version never does. Texts for people (errors, verdicts, plans) and the
// choice of engines may change at any time; answers, error types, and the names of walls do not.
package thresh

import (
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/run"
)

// Options say how a question is answered. The zero value is the best choice nearly always.
type Options struct {
	// Offset is where the search begins, in bytes from the start of the input. A range that does not
	// lie within an input of known size is a *RangeError.
	Offset int64
	// Length is how many bytes are searched; nil means to the end.
	Length *int64
	// Limit ends the search after this many hits, the first in the input; 0 means all. Count ignores it.
	Limit int64
	// Around is for streams: Input.ReadAt can read this many bytes before and after a hit while Find
	// reports it. At most 16 MiB. A value above 0 leaves one worker to scan a stream. Files do not
	// need it.
	Around int64

	// Engine is the way in which bytes reach memory; empty means EngineAuto.
	Engine Engine
	// Workers is how many goroutines scan; 0 means as many as pay, at most GOMAXPROCS.
	Workers int
	// ChunkBytes is the size of a piece of work; 0 means the best of the engine.
	ChunkBytes int
	// MemoryBytes bounds the memory of the run, without the page cache; 0 means 256 MiB. A bound that
	// is too small is a *MemoryError.
	MemoryBytes int64
	// Cache says what happens to the page cache; empty means CacheAuto.
	Cache Cache
	// Receipt asks for the wall and its evidence, which takes up to a twentieth of the run to measure.
	// Without it a receipt has bytes, time and engines only.
	Receipt bool
	// Progress is increased by the bytes that were scanned or skipped, for another goroutine to read;
	// it may be nil. It is not reset.
	Progress *atomic.Int64
}

// Engine is a way in which bytes reach memory.
type Engine string

// The engines. All but EngineAuto are meant for experiments: one that cannot read an input on this
// machine is an *EngineError.
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
// directly, and leaves the page cache as it was, what does not fit, and what direct reads bring in more
// than 1.3 times as fast. CacheKeep always keeps; together with EngineUring it is an *OptionError.
// CacheNeutral drops the pages that the run brought in, and only those.
const (
	CacheAuto    Cache = "auto"
	CacheKeep    Cache = "keep"
	CacheNeutral Cache = "neutral"
)

func (o Options) run() run.Options {
	return run.Options{Offset: o.Offset, Length: o.Length, Limit: o.Limit, Around: o.Around, Engine: string(o.Engine),
		Workers: o.Workers, Chunk: o.ChunkBytes, Memory: o.MemoryBytes, Cache: run.Cache(o.Cache), Receipt: o.Receipt,
		Progress: o.Progress}
}
