package thresh

import (
	"context"
	"errors"
	"iter"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/follow"
	"github.com/thresh-dev/thresh/internal/run"
	"github.com/thresh-dev/thresh/internal/search/grep"
	"github.com/thresh-dev/thresh/options"
)

// Lines returns the lines that match, in order, with their context, each as soon as it is known that no line before it
// is selected. Leaving the loop ends the search. Errors come after all lines, with the zero Line: a
// *failure.UnreadError for each range that could not be read, then the error that ended the search, if any.
//
// A line and its matches are valid until the next one. While the loop body runs, the search goes on until some hundred
// KiB of lines wait; then it waits, too. Grep prints lines, and is faster for very many: it prints ranges of lines
// without taking them apart.
//
// Lines end with a line feed; the last one need not. A part of the input that cannot be read ends a line; line numbers
// after it do not count the lines in it.
func Lines(ctx context.Context, in *Input, q *LineQuery, o options.Lines) iter.Seq2[answer.Line, error] {
	return func(yield func(answer.Line, error) bool) {
		report, left, err := eachLine(ctx, in, q, o, yield)
		if left {
			return
		}
		for i := range report.Unread {
			if !yield(answer.Line{}, &report.Unread[i]) {
				return
			}
		}
		if err != nil {
			yield(answer.Line{}, err)
		}
	}
}

// Follow returns an input that reads a file as it grows, for Lines and Grep, until ctx ends, which is not an error: the
// input ends then. Lines come as they are written. A file that gets another name, and what then has its name, are read
// one after the other, each to its end; one that was truncated is read again from its start, and what may be lost by
// that goes to Note. Nothing need be there when Follow is called, but a folder, a device or a compressed file is an
// error. A path that was a regular file is not followed through a symbolic link.
//
// LogTimes.From chooses where reading begins, and LogTimes.To ends it, also by the clock if no later line comes.
func Follow(ctx context.Context, name string, o options.Follow) (*Input, error) {
	if err := errors.Join(required("ctx", ctx), notNegative("Last", int64(o.Last))); err != nil {
		return nil, err
	}
	in, err := run.Follow(ctx, name, follow.Options{Last: o.Last, Note: o.Note})
	if err != nil {
		return nil, err
	}
	return &Input{in}, nil
}

// eachLine passes lines on to yield. Left says that the loop was left.
func eachLine(ctx context.Context, in *Input, q *LineQuery, o options.Lines,
	yield func(answer.Line, error) bool) (report answer.GrepReport, left bool, err error) {
	if err := required("ctx", ctx); err != nil {
		return report, false, err
	}
	i, err := in.use()
	if err != nil {
		return report, false, err
	}
	query, err := q.use()
	if err != nil {
		return report, false, err
	}
	spec, how, err := grepOptions(options.Grep{Lines: o})
	if err != nil {
		return report, false, err
	}
	spec.Records = true
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pipe := &linePipe{ctx: ctx, parts: make(chan []byte), taken: make(chan struct{})}
	go func() {
		defer close(pipe.parts)
		report, err = run.Grep(ctx, i, query, pipe, spec, how)
	}()
	var lines grep.Records
	for part := range pipe.parts { // until the search has ended, also if the loop is left
		if !left {
			lines.Write(part)
		}
		pipe.taken <- struct{}{}
		for line, ok := lines.Next(); ok && !left; line, ok = lines.Next() {
			if left = !yield(line, nil); left {
				cancel()
			}
		}
	}
	return report, left, err
}

// linePipe hands what a search writes to the goroutine that runs the loop: a loop body must not run in another one.
type linePipe struct {
	ctx   context.Context
	parts chan []byte
	taken chan struct{}
}

// Write returns when the part has been copied.
func (p *linePipe) Write(b []byte) (int, error) {
	select {
	case p.parts <- b:
		<-p.taken
		return len(b), nil
	case <-p.ctx.Done():
		return 0, p.ctx.Err()
	}
}
