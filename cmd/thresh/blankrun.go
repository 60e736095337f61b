package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/blank"
	"github.com/thresh-dev/thresh/internal/blank/certificate"
	shared "github.com/thresh-dev/thresh/internal/certificate"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/journal"
	"github.com/thresh-dev/thresh/internal/output/outfile"
	"github.com/thresh-dev/thresh/receipt"
)

// blankRun is one run of blank over all its inputs.
type blankRun struct {
	*blankFlags
	*command.Certified
	console *command.Console
	options blank.Options
	inputs  []*blank.Input
	done    []*blank.Progress
	found   []journal.Summary
}

func (f *blankFlags) run(ctx context.Context, c *command.Call) error {
	o, err := f.options(c)
	if err != nil {
		return err
	}
	r := &blankRun{blankFlags: f, Certified: f.Begin(c.Console, f.Quiet), console: c.Console, options: o}
	if r.inputs, err = openBlank(c.Console, c.Args, o); err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	err = errors.Join(r.all(ctx), r.Close(), closeBlank(r.inputs))
	var exit *command.ExitError
	if err != nil && !errors.As(err, &exit) {
		return command.Exit(command.WrongUsage, err)
	}
	return err
}

// all prepares the run, reads the inputs, and says what was found.
func (r *blankRun) all(ctx context.Context) error {
	if err := r.begin(); err != nil {
		return err
	}
	watch, err := blank.StartWatch()
	if err != nil {
		return err
	}
	before := r.read()
	err = r.check(ctx)
	if err == nil && slices.ContainsFunc(r.inputs, isStream) {
		err = r.console.Settle() // the signal may have ended the program that writes the stream
	}
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !interrupted {
		return err
	}
	read := r.read() - before
	measured, err := watch.Receipt(ctx, r.inputs, read)
	if err != nil {
		return err
	}
	doc, err := r.certificate(measured, interrupted)
	if err != nil {
		return err
	}
	if err := r.print(doc, interrupted); err != nil {
		return err
	}
	r.printReceipt(measured, doc, interrupted)
	if interrupted {
		return r.Interrupted()
	}
	if err := r.Write(doc); err != nil {
		return err
	}
	return map[certificate.Result]error{
		certificate.Blank:      nil,
		certificate.NotBlank:   command.Exit(command.Nothing, nil),
		certificate.Incomplete: command.Exit(command.Unread, nil),
	}[doc.Result]
}

// begin creates the reports, so that a folder that cannot be written is noticed now and not after
// hours, and the journal, or continues that of an earlier run.
func (r *blankRun) begin() error {
	streams := false
	var names []string
	var files []*os.File
	for _, in := range r.inputs {
		streams = streams || isStream(in)
		names, files = append(names, in.Name), append(files, in.OS())
		if r.Output != "" && in.OS() != nil && outfile.Same(in.OS(), r.Output) {
			return fmt.Errorf("%s is the same file as the input %s", r.Output, in.Name)
		}
	}
	if err := r.Create(files...); err != nil {
		return err
	}
	r.Past = make([]journal.Past, len(r.inputs))
	for i, in := range r.inputs {
		r.Past[i].Done = in.Start()
	}
	switch {
	case streams && r.Resume:
		return errors.New("--resume: standard input and pipes cannot be read again from the middle")
	case len(r.Reports) > 0 && !streams:
		if err := r.Journal(blank.NewHeader(r.inputs), names, r.limit); err != nil {
			return err
		}
	}
	for i := range r.inputs {
		r.done = append(r.done, blank.NewProgress(r.Past[i].Done, r.limit))
	}
	return nil
}

func isStream(in *blank.Input) bool { return in.Engine == "stream" }

// read returns how many bytes were read of all inputs, in all sessions.
func (r *blankRun) read() (n int64) {
	for i, p := range r.Past {
		if r.found != nil {
			n += r.found[i].Read
		} else {
			n += p.Done.Read
		}
	}
	return n
}

// check reads all inputs at once. An error of one ends the others.
func (r *blankRun) check(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stopShow := r.show()
	stopJournal := r.Record(func(i int) journal.Summary { return r.done[i].Take() })
	r.found = make([]journal.Summary, len(r.inputs))
	errs := make([]error, len(r.inputs))
	var wg sync.WaitGroup
	for i, in := range r.inputs {
		wg.Go(func() {
			r.found[i], errs[i] = in.Check(ctx, r.done[i], r.first())
			if errs[i] != nil {
				cancel(errs[i])
			}
		})
	}
	wg.Wait()
	stopShow()
	stopJournal()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err // the others were cancelled because of it
		}
	}
	return errors.Join(errs...)
}

// first reports whether the first other byte ends the run: the ranges are not asked for.
func (r *blankRun) first() bool { return r.Quiet && len(r.Reports) == 0 }

// certificate puts together what was found.
func (r *blankRun) certificate(measured receipt.Receipt, interrupted bool) (*certificate.Certificate, error) {
	doc := &certificate.Certificate{Issue: r.Issue(), Pattern: r.options.Pattern.String(),
		Run: shared.RunOf(measured)}
	for i, in := range r.inputs {
		changed, err := in.Changed()
		if err != nil {
			return nil, err
		}
		doc.Devices = append(doc.Devices, certificate.Device{Name: shared.Printable(in.Name), Identity: in.Identity,
			Summary: r.found[i], How: in.How, SectorBytes: in.SectorBytes, Changed: changed,
			Interrupted: interrupted && (r.found[i].End < in.Range.End || isStream(in)),
			Sessions:    r.Sessions(i, r.found[i], doc.Ended, interrupted)})
	}
	doc.Complete()
	return doc, nil
}
