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

// MinifyReport tells what a call of Minify did.
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

// Minify writes an input without the white space outside of its strings to out, in one pass and in
// bounded memory. A regular file is written by all workers at once, anything else in order.
func Minify(ctx context.Context, in *Input, out io.Writer, spec minify.Spec, o Options) (MinifyReport, error) {
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

// ExplainMinify returns the plan for a call of Minify with the same arguments.
func ExplainMinify(in *Input, spec minify.Spec, o Options) (Plan, error) {
	_, ask, err := minifying(in, nil, spec, o)
	if err != nil {
		return Plan{}, err
	}
	return explain(in, ask, o)
}

func minifying(in *Input, to *minify.Output, spec minify.Spec, o Options) (*minify.Run, request, error) {
	if o.Offset != 0 || o.Length != nil {
		return nil, request{}, ErrPart
	}
	run, err := minify.NewRun(in.file, to, spec, o.Chunk)
	if err != nil {
		return nil, request{}, err
	}
	traits := run.Traits()
	return run, request{Traits: &traits, speed: run.Speed, begin: func(*Input, source.Range) tasks {
		return tasks{searcher: run.Searcher}
	}}, nil
}
