package run

import (
	"fmt"
	"math"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/search/logtime"
	"github.com/thresh-dev/thresh/internal/table"
	"github.com/thresh-dev/thresh/options"
)

// Options say how a question is answered: what the public options of all questions have, and what cells of a cluster
// and times of a log add.
type Options struct {
	options.Run
	Offset  int64
	Length  *int64
	Limit   int64
	Context int64
	Times   *logtime.Window // of Grep: only lines of this window; nil means all
	Part    *source.Range   // scan only this part of the range; nil scans all of it
	Tables  int             // that hold groups at the same time, and share the memory for them; 0 means 1

	Rejects *table.Rejects // of a table; may be nil

	memoryByDefault bool   // MemoryBytes is the default, which settleMemory may lower
	memoryWhy       string // that it was lowered, and why
	fewerWhy        string // that there are fewer workers than usual, because of MemoryBytes
}

// ForFind returns the options of a search for places.
func ForFind(o options.Find) Options {
	return Options{Run: o.Run, Offset: o.Offset, Length: o.Length, Limit: o.Limit, Context: o.Context}
}

// ForScan returns the options of a question about all of a range.
func ForScan(o options.Scan) Options { return Options{Run: o.Run, Offset: o.Offset, Length: o.Length} }

func badOption(field string, value any, format string, args ...any) error {
	return &failure.OptionError{Field: field, Value: value, Reason: fmt.Sprintf(format, args...)}
}

// workersMost is more than any machine has use for. Each worker has a goroutine, and buffers.
const workersMost = 4096

// check fills in defaults and rejects what cannot be.
func (o *Options) check() error {
	switch {
	case o.Workers < 0:
		return badOption("Workers", o.Workers, "%d workers: at least one is needed", o.Workers)
	case o.Workers > workersMost:
		return badOption("Workers", o.Workers, "%d workers: the most are %d", o.Workers, workersMost)
	case o.ChunkBytes < 0:
		return badOption("ChunkBytes", o.ChunkBytes, "a chunk of %d bytes: at least one is needed", o.ChunkBytes)
	case o.MemoryBytes < 0:
		return badOption("MemoryBytes", o.MemoryBytes, "a memory bound of %d bytes is negative", o.MemoryBytes)
	case o.Offset < 0:
		return badOption("Offset", o.Offset, "offset %d is negative", o.Offset)
	case o.Length != nil && *o.Length < 0:
		return badOption("Length", *o.Length, "length %d is negative", *o.Length)
	case o.Limit < 0:
		return badOption("Limit", o.Limit, "a limit of %d hits is negative", o.Limit)
	case o.Context < 0:
		return badOption("Context", o.Context, "%d bytes around hits is negative", o.Context)
	}
	if o.Engine == "" {
		o.Engine = plan.Auto
	}
	if o.MemoryBytes == 0 {
		o.MemoryBytes, o.memoryByDefault = o.defaultMemory(), true
	}
	switch o.Cache {
	case "":
		o.Cache = options.CacheAuto
	case options.CacheAuto, options.CacheKeep, options.CacheNeutral:
	default:
		return badOption("Cache", o.Cache, "cache policy %q is unknown (known: auto, keep, neutral)", o.Cache)
	}
	if e := catalog.Named(string(o.Engine)); o.Cache == options.CacheKeep && e != nil && e.Past {
		return badOption("Cache", o.Cache, "Run.Engine %s reads past the page cache, "+
			"so Run.Cache keep has nothing to keep; leave one out", e.Name)
	}
	return nil
}

// clip limits the range to an input of n bytes, as far as it reaches beyond it.
func (o *Options) clip(n int64) {
	o.Offset = min(o.Offset, n)
	length := n - o.Offset
	if o.Length != nil {
		length = min(length, *o.Length)
	}
	o.Length = &length
}

// span returns the range of the input that the options ask for.
func (o *Options) span(f *source.File) (source.Range, error) {
	end := int64(math.MaxInt64)
	if o.Length != nil && *o.Length < end-o.Offset {
		end = o.Offset + *o.Length
	}
	if f.Kind == source.Stream {
		return source.Range{Off: o.Offset, End: end}, nil
	}
	if o.Offset > f.Bytes || o.Length != nil && end > f.Bytes {
		length := f.Bytes - o.Offset
		if o.Length != nil {
			length = *o.Length
		}
		return source.Range{}, &failure.RangeError{Name: f.Name, Off: o.Offset, Len: length, Bytes: f.Bytes}
	}
	return source.Range{Off: o.Offset, End: min(end, f.Bytes)}, nil
}
