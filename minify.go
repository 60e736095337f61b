package thresh

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/internal/minify"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/source"
	"github.com/thresh-dev/thresh/internal/wall"
)

// MinifySpec says how JSON is minified: as one text or as many values, with a line feed
// between two; and whether it is validated.
type MinifySpec = minify.Spec

// JSONError tells at which byte, and why, an input is not JSON.
type JSONError = minify.SyntaxError

// WriteError tells at which byte an output could not be written.
type WriteError = minify.WriteError

// MinifyReport tells what a call of MinifyFile did.
type MinifyReport struct {
	Bytes    int64    // read
	Written  int64    // to the output
	Complete bool     // all of the input was read, and what stays of it was written
	Unread   []Unread // what could not be read; what follows it was not written
	Receipt  Receipt
}

// ErrPart is returned for a part of an input, of which nobody can say what in it is a string.
var ErrPart = errors.New("JSON is minified as a whole: a part of it may begin inside a string")

// MinifyFile writes an input less the white space outside of its strings to out, in one pass
// and in bounded memory. Every other byte stays as it was, also where the input is not JSON,
// unless it is to be validated: the error is then a *JSONError.
//
// Where out is an *os.File that is a regular file and not appended to, all workers write to it
// at the same time, from where it stands; it stands behind the text afterwards. Any other
// writer is written to by one goroutine at a time, in order.
//
// Of a text that turns out to be not JSON, or not readable to its end, a beginning may have
// been written by then, in a file also in pieces: the caller throws it away. The report is
// valid also when an error is returned. An unread range is no error.
func MinifyFile(ctx context.Context, in *Input, out io.Writer, spec MinifySpec, o Options) (MinifyReport, error) {
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
