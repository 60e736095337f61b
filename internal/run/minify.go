package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/json/minify"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/internal/scan"
)

// MinifySpec says how JSON is minified, and whether it is validated. A text may hold several
// values: one line feed then stands between two of them, and one behind the last if there is any
// in the input.
type MinifySpec = minify.Spec

// JSONError tells at which byte, and why, an input is not JSON.
type JSONError = minify.SyntaxError

// WriteError tells at which byte an output could not be written.
type WriteError = minify.WriteError

// MinifyReport tells what a call of MinifyFile did.
type MinifyReport struct {
	Bytes    int64    // read
	Written  int64    // to the output; after an error, of a file that is written at many places, in all
	Complete bool     // all of the input was read, and what stays of it was written
	Unread   []Unread // what could not be read; what follows it was not written
	Receipt  Receipt
}

// ErrSameFile is returned where an input is to be minified into itself: it would be overwritten while
// it is read.
var ErrSameFile = errors.New("the output is the input")

// ErrPart is returned for a part of an input, where it is unknown what lies in a string.
var ErrPart = errors.New("JSON is minified as a whole: a part of it may begin inside a string")

// MinifyFile writes an input less the white space outside of its strings to out, in one pass
// and in bounded memory. Every other byte stays as it was. If it is to be validated and is not
// JSON, the error is a *JSONError. Otherwise what is not JSON is minified like the rest; a line
// feed then stays between words that white space kept apart, unless one of them is a bracket,
// colon or comma.
//
// Where out is an *os.File that is a regular file and not appended to, all workers write to it
// at the same time, from where it stands; it stands behind the text afterwards. Any other
// writer is written to by one goroutine at a time, in order. A write that writes less than it
// was given, and says nothing, is an io.ErrShortWrite. Out must not be the file that is read.
//
// Of a text that turns out to be not JSON, or not readable to its end, a beginning may have
// been written by then, in a file also in pieces: the caller throws it away. The report is
// valid also when an error is returned. An unread range is no error.
func MinifyFile(ctx context.Context, in *Input, out io.Writer, spec MinifySpec, o Options) (MinifyReport, error) {
	if f, ok := out.(*os.File); ok && in.readsFrom(f) {
		return MinifyReport{}, fmt.Errorf("minify %s: %w", in.Name(), ErrSameFile)
	}
	to, err := minify.NewOutput(out)
	if err != nil {
		return MinifyReport{}, err
	}
	run, ask, err := minifying(in, to, spec, o)
	if err != nil {
		return MinifyReport{}, err
	}
	job, err := newJob(in, ask, o)
	if err != nil {
		return MinifyReport{}, err
	}
	job.Emit = func([]Hit) error { return nil }
	watch := startWatch(o.Receipt)
	if n, known := in.Bytes(); known {
		if err := to.Expect(n); err != nil {
			return MinifyReport{}, err
		}
	}
	res, err := scan.Run(ctx, *job)
	written, outErr := run.Done(err == nil && res.Complete)
	err = errors.Join(outErr, err)
	report := MinifyReport{Bytes: res.Scanned, Written: written, Unread: res.Unread,
		Complete: err == nil && res.Complete}
	res.Blocked = run.Writing()
	var watchErr error
	report.Receipt, watchErr = watch.receipt(ctx, in, ask, job, res)
	if to.Anywhere() && report.Receipt.Wall == string(wall.Output) {
		report.Receipt.Verdict = fmt.Sprintf("output: writing the file took %.0f %% of the time, at %.2f GB/s in all",
			100*res.Blocked.Seconds()/report.Receipt.Seconds, float64(written)/1e9/report.Receipt.Seconds)
	}
	return report, errors.Join(err, watchErr)
}

// readsFrom reports whether an input, or the compressed file that it is in, is an open file: a regular
// one, or a block device.
func (in *Input) readsFrom(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && in.IsFile(info)
}

// IsFile reports whether the input is, or is in, the regular file or block device that info is of, by
// whatever name or link.
func (in *Input) IsFile(info os.FileInfo) bool {
	own := in.file
	if in.packed != nil {
		own = in.packed.file
	}
	if own.Kind == source.Stream && !info.Mode().IsRegular() {
		return false
	}
	mine, err := own.OS().Stat()
	return err == nil && (os.SameFile(mine, info) || sameDevice(mine, info))
}

// ExplainMinify returns the plan for a call of MinifyFile with the same arguments.
func ExplainMinify(in *Input, spec MinifySpec, o Options) (Plan, error) {
	_, ask, err := minifying(in, nil, spec, o)
	if err != nil {
		return Plan{}, err
	}
	return explain(in, ask, o)
}

func minifying(in *Input, to *minify.Output, spec MinifySpec, o Options) (*minify.Run, inquiry, error) {
	if o.Offset != 0 || o.Length != nil {
		return nil, inquiry{}, ErrPart
	}
	run, err := minify.NewRun(in.file, to, spec, o.Chunk)
	if err != nil {
		return nil, inquiry{}, err
	}
	traits := run.Traits()
	return run, inquiry{Traits: &traits, speed: run.Speed, begin: func(*Input, source.Range) tasks {
		return tasks{searcher: run.Searcher}
	}}, nil
}
