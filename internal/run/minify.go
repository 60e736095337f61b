package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/json/minify"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/options"
)

// ErrPart is returned for a part of an input, where it is unknown what lies in a string.
var ErrPart = errors.New("JSON is minified as a whole: a part of it may begin inside a string")

// Minify writes an input without the white space outside of its strings to out, in one pass and in
// bounded memory. A regular file is written by all workers at once, anything else in order.
func Minify(ctx context.Context, in *Input, out io.Writer, spec options.Minify, o Options) (answer.MinifyReport,
	error) {
	if f, ok := out.(*os.File); ok && in.readsFrom(f) {
		return answer.MinifyReport{}, fmt.Errorf("minify %s: %w", in.Name(), failure.ErrSameFile)
	}
	to, err := minify.NewOutput(out)
	if err != nil {
		return answer.MinifyReport{}, err
	}
	run, ask, err := minifying(in, to, spec, o)
	if err != nil {
		return answer.MinifyReport{}, err
	}
	job, err := newJob(in, ask, o)
	if err != nil {
		return answer.MinifyReport{}, err
	}
	job.Emit = func([]answer.Hit) error { return nil }
	watch := startWatch(o.Receipt)
	if n, known := in.Bytes(); known {
		if err := to.Expect(n); err != nil {
			return answer.MinifyReport{}, err
		}
	}
	watch.followMemory()
	res, err := scan.Run(ctx, *job)
	written, outErr := run.Done(err == nil && res.Complete)
	err = errors.Join(outErr, err)
	report := answer.MinifyReport{Bytes: res.Scanned, Written: written, Unread: res.Unread,
		Complete: err == nil && res.Complete}
	res.Blocked = run.Writing()
	var watchErr error
	report.Receipt, watchErr = watch.receipt(ctx, in, ask, job, res)
	return report, errors.Join(err, watchErr)
}

// ExplainMinify returns the plan for a call of Minify with the same arguments.
func ExplainMinify(in *Input, spec options.Minify, o Options) (Plan, error) {
	_, ask, err := minifying(in, nil, spec, o)
	if err != nil {
		return Plan{}, err
	}
	return explain(in, ask, o)
}

func minifying(in *Input, to *minify.Output, spec options.Minify, o Options) (*minify.Run, request, error) {
	if o.Offset != 0 || o.Length != nil {
		return nil, request{}, ErrPart
	}
	if spec.DepthMax < 0 {
		return nil, request{}, badOption("DepthMax", spec.DepthMax, "DepthMax is %d, which is negative", spec.DepthMax)
	}
	run, err := minify.NewRun(in.file, to, spec, o.ChunkBytes)
	if err != nil {
		return nil, request{}, err
	}
	traits := run.Traits()
	return run, request{Traits: &traits, speed: run.Speed, begin: func(*Input, source.Range) tasks {
		return tasks{searcher: run.Searcher}
	}}, nil
}
