package run

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/search/logtime"
)

// Options say how a question is answered. The public package documents the fields.
type Options struct {
	Offset  int64
	Length  *int64
	Limit   int64
	Engine  string
	Workers int
	Chunk   int
	Memory  int64
	Cache   Cache
	Around  int64
	Receipt bool
	Times   *logtime.Window // of Grep: only lines of this window; nil means all
	Part    *source.Range   // scan only this part of the range; nil scans all of it

	Progress *atomic.Int64
}

// Cache says what happens to the page cache.
type Cache string

// The policies; the public package documents them.
const (
	CacheAuto    Cache = "auto"
	CacheKeep    Cache = "keep"
	CacheNeutral Cache = "neutral"
)

const memoryDefault = 256 << 20

// OptionError reports an option whose value cannot be used.
type OptionError struct {
	Field  string // its name
	Value  any
	Reason string
}

func (e *OptionError) Error() string { return e.Reason }

func badOption(field string, value any, format string, args ...any) error {
	return &OptionError{field, value, fmt.Sprintf(format, args...)}
}

// RangeError reports a range that does not lie within the input.
type RangeError struct {
	Name     string
	Off, Len int64 // Len is negative where the range begins behind the end
	Bytes    int64 // size of the input
}

func (e *RangeError) Error() string {
	if e.Len < 0 {
		return fmt.Sprintf("%s has %d bytes: a range of bytes from %d lies outside", e.Name, e.Bytes, e.Off)
	}
	return fmt.Sprintf("%s has %d bytes: a range of %d bytes from %d lies outside", e.Name, e.Bytes, e.Len, e.Off)
}

// check fills in defaults and rejects what cannot be.
func (o *Options) check() error {
	switch {
	case o.Workers < 0:
		return badOption("Workers", o.Workers, "%d workers: at least one is needed", o.Workers)
	case o.Chunk < 0:
		return badOption("ChunkBytes", o.Chunk, "a chunk of %d bytes: at least one is needed", o.Chunk)
	case o.Memory < 0:
		return badOption("MemoryBytes", o.Memory, "a memory bound of %d bytes is negative", o.Memory)
	case o.Offset < 0:
		return badOption("Offset", o.Offset, "offset %d is negative", o.Offset)
	case o.Length != nil && *o.Length < 0:
		return badOption("Length", *o.Length, "length %d is negative", *o.Length)
	case o.Limit < 0:
		return badOption("Limit", o.Limit, "a limit of %d hits is negative", o.Limit)
	case o.Around < 0:
		return badOption("Around", o.Around, "%d bytes around hits is negative", o.Around)
	}
	if o.Engine == "" {
		o.Engine = plan.Auto
	}
	if o.Memory == 0 {
		o.Memory = memoryDefault
	}
	switch o.Cache {
	case "":
		o.Cache = CacheAuto
	case CacheAuto, CacheKeep, CacheNeutral:
	default:
		return badOption("Cache", o.Cache, "cache policy %q is unknown (known: auto, keep, neutral)", o.Cache)
	}
	if o.Cache == CacheKeep && o.Engine == plan.Uring {
		return badOption("Cache", o.Cache, "--engine uring reads past the page cache, "+
			"so --cache keep has nothing to keep; leave one out")
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
		return source.Range{}, &RangeError{f.Name, o.Offset, length, f.Bytes}
	}
	return source.Range{Off: o.Offset, End: min(end, f.Bytes)}, nil
}
