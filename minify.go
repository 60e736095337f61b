package thresh

import (
	"context"
	"io"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/json/minify"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/options"
)

// Minify writes an input to out without the white space outside of its strings, in one pass and in
// bounded memory. Every other byte stays as it was. Text that is not JSON is minified in the same way,
// unless it is to be validated; a line feed then stays between words that white space separated,
// unless one of them is a bracket, colon or comma.
//
// If out is an *os.File that is a regular file and not opened for appending, all workers write to it
// at the same time, from its position on; its position is after the text then. Any other writer
// is written to in order, by one goroutine at a time. A Write that writes too little without an error
// is an io.ErrShortWrite; other errors of the output are a *failure.WriteError. An out that is the input is
// failure.ErrSameFile.
//
// If the text turns out not to be JSON, or cannot be read to its end, a part of it may have been
// written, to a file also in pieces: discard it. What comes after a range that cannot be read is not
// written.
func Minify(ctx context.Context, in *Input, out io.Writer, o options.Minify) (answer.MinifyReport, error) {
	if err := required("ctx", ctx, "out", out); err != nil {
		return answer.MinifyReport{}, err
	}
	i, err := in.use()
	if err != nil {
		return answer.MinifyReport{}, err
	}
	r, err := run.Minify(ctx, i, out, o, run.Options{Run: o.Run})
	return answer.MinifyReport{Bytes: r.Bytes, Written: r.Written, Complete: r.Complete, Unread: r.Unread,
		Receipt: r.Receipt}, err
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
