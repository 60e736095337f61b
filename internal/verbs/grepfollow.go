package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/options"
)

// followedLines is how many lines of a file come before the ones that are added to it, as with tail.
const followedLines = 10

// Ask searches the inputs, or follows them.
func (s *grepRun) Ask(ctx context.Context) error {
	if !s.flags.follow {
		return s.Scan.Ask(ctx)
	}
	return s.follow(ctx)
}

// followed is a file that was followed to its end.
type followed struct {
	index  int
	report answer.GrepReport
	err    error
}

// follow searches files as they grow, until an interrupt or, if that ends them, --max-count or --to.
func (s *grepRun) follow(ctx context.Context) error {
	if err := s.OutputIsInput(s.grep.Mode == options.GrepPrint); err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	s.Endless = true
	reading, stop := context.WithCancel(ctx)
	defer stop()
	o := options.Follow{Last: followedLines, Note: func(text string) { s.Notef("%s", text) }}
	if s.flags.from == "now" {
		o.Last = 0
	}
	var names []string
	var files []*thresh.Input
	defer func() {
		for _, in := range files {
			in.Close() // only read from, so an error loses nothing
		}
	}()
	for name, err := range s.Names() {
		var in *thresh.Input
		switch {
		case err != nil:
		case name == "-":
			err = errors.New("standard input is searched as it comes until it ends: leave out --follow")
		case thresh.IsRemote(name):
			err = fmt.Errorf("%s is an object of a store: only files grow", name)
		default:
			in, err = thresh.Follow(reading, name, o)
		}
		if err := s.Fail(name, err); err != nil {
			return err
		}
		if in != nil {
			names, files = append(names, name), append(files, in)
		}
	}
	ended := make(chan followed)
	var out sync.Mutex
	for i, in := range files {
		go func() { // an interrupt ends the file, so that all that was read is answered
			w := &lineWriter{to: s.Out.OS(), turn: &out}
			report, err := thresh.Grep(context.WithoutCancel(ctx), in, s.query, w, s.with(s.Options))
			ended <- followed{i, report, err}
		}()
	}
	return s.gather(ctx, stop, names, ended)
}

// gather waits for the files. What is known of one is printed at once if it is the name of a file with a match, else in
// order. An error may concern all.
func (s *grepRun) gather(ctx context.Context, stop func(), names []string, ended <-chan followed) (err error) {
	late := make([]*followed, len(names))
	for range names {
		f := <-ended
		if f.err == nil && (s.grep.Mode != options.GrepAny || ctx.Err() != nil) {
			late[f.index] = &f
			continue
		}
		if doneErr := s.done(names[f.index], f.report, f.err); doneErr != nil && err == nil {
			err = doneErr
			stop()
		}
	}
	for i, f := range late {
		if f != nil && err == nil {
			err = s.done(names[i], f.report, f.err)
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// lineWriter writes whole lines to what several write to: it holds its turn until a line has ended.
type lineWriter struct {
	to   io.Writer
	turn *sync.Mutex
	has  bool
}

func (w *lineWriter) Write(b []byte) (int, error) {
	if !w.has {
		w.turn.Lock()
	}
	n, err := w.to.Write(b)
	if w.has = err == nil && n > 0 && b[n-1] != '\n'; !w.has {
		w.turn.Unlock()
	}
	return n, err
}
