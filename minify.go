package thresh

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/json/minify"
	"github.com/thresh-dev/thresh/internal/run"
)

// MinifyOptions say how JSON is minified. In the zero value nothing is validated, which is the
// fastest.
type MinifyOptions struct {
	// Validate makes a text that is not JSON a *JSONError.
	Validate bool
	// DepthMax bounds the nesting of a validated text; 0 means 10,000.
	DepthMax int
	// NDJSON expects any number of values, none included, and ends each with a line feed. Without it
	// a validated text holds at least one value. Several values are separated by one line feed, and
	// the last of several is followed by one if the input has any.
	NDJSON bool
	// EndLine ends an output that is not empty with a line feed, so that more can follow it.
	EndLine bool

	// These are as in Options.
	Engine      Engine
	Workers     int
	ChunkBytes  int
	MemoryBytes int64
	Cache       Cache
	Receipt     bool
	Progress    *atomic.Int64
}

func (o MinifyOptions) run() (minify.Spec, run.Options) {
	return minify.Spec{NDJSON: o.NDJSON, Validate: o.Validate, DepthMax: o.DepthMax, EndFeed: o.EndLine},
		Options{Engine: o.Engine, Workers: o.Workers, ChunkBytes: o.ChunkBytes, MemoryBytes: o.MemoryBytes, Cache: o.Cache,
			Receipt: o.Receipt, Progress: o.Progress}.run()
}

// MinifyReport tells what a call of Minify did.
type MinifyReport struct {
	Bytes    int64 // read
	Written  int64 // to the output; after an error, of a file that is written at several places, in all
	Complete bool  // all of the input was read and written
	Unread   []UnreadError
	Receipt  Receipt
}

// Minify writes an input to out without the white space outside of its strings, in one pass and in
// bounded memory. Every other byte stays as it was. Text that is not JSON is minified in the same way,
// unless it is to be validated; a line feed then stays between words that white space separated,
// unless one of them is a bracket, colon or comma.
//
// If out is an *os.File that is a regular file and not opened for appending, all workers write to it
// at the same time, from its position on; its position is behind the text afterwards. Any other writer
// is written to in order, by one goroutine at a time. A Write that writes too little without an error
// is an io.ErrShortWrite; other errors of the output are a *WriteError. An out that is the input is
// ErrSameFile.
//
// If the text turns out not to be JSON, or cannot be read to its end, a part of it may have been
// written, to a file also in pieces: discard it. What lies behind a range that cannot be read is not
// written.
func Minify(ctx context.Context, in *Input, out io.Writer, o MinifyOptions) (MinifyReport, error) {
	i, err := in.use()
	if err != nil {
		return MinifyReport{}, err
	}
	spec, options := o.run()
	r, err := run.Minify(ctx, i, out, spec, options)
	return MinifyReport{Bytes: r.Bytes, Written: r.Written, Complete: r.Complete, Unread: unread(r.Unread),
		Receipt: newReceipt(r.Receipt)}, public(err)
}

// AppendMinified appends JSON in memory to dst, without the white space outside of its strings, and
// returns the result. Nothing is checked: of text that is not JSON the spaces, tabs, carriage returns
// and line feeds outside of double quotes are removed, too.
//
// Src is one JSON value. Of several, the white space between them is removed as well, so that 1 and 2
// become 12: minify them one by one, or use Minify, which keeps them apart.
//
// It does not allocate if dst has room for all of src. AppendMinified(src[:0], src) works in place;
// otherwise dst must not share memory with src.
func AppendMinified(dst, src []byte) []byte { return minify.Append(dst, src) }

// AppendMinifiedParallel does what AppendMinified does with as many goroutines, GOMAXPROCS if workers
// is not positive. It pays from some megabytes on. Dst must not share memory with src, not even in
// place.
func AppendMinifiedParallel(dst, src []byte, workers int) []byte {
	return minify.AppendParallel(dst, src, workers)
}
