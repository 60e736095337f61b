package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/internal/blank"
	"github.com/thresh-dev/thresh/internal/blank/certificate"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/outfile"
	"github.com/thresh-dev/thresh/receipt"
)

// blankRun is one run of blank over all its inputs.
type blankRun struct {
	*blankFlags
	console *command.Console
	options blank.Options
	inputs  []*blank.Input
	reports []*outfile.File
	journal *blank.Journal // nil without a report, or with a stream
	session blank.Session
	past    []blank.Past // of earlier sessions; one for each input
	done    []*blank.Progress
	found   []blank.Summary
}

// journalEvery is how often the journal records what was finished: what a loss of power costs.
const journalEvery = 2 * time.Second

func (f *blankFlags) run(ctx context.Context, c *command.Call) error {
	o, err := f.options(c)
	if err != nil {
		return err
	}
	r := &blankRun{blankFlags: f, console: c.Console, options: o}
	if r.inputs, err = openBlank(c.Console, c.Args, o); err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	err = r.all(ctx)
	for _, report := range r.reports {
		err = errors.Join(err, report.Abort()) // nothing is left to abort if it was committed
	}
	if r.journal != nil {
		err = errors.Join(err, r.journal.Close())
	}
	err = errors.Join(err, closeBlank(r.inputs))
	var exit *command.ExitError
	if err != nil && !errors.As(err, &exit) {
		return command.Exit(command.WrongUsage, err)
	}
	return err
}

// all prepares the run, reads the inputs, and says what was found.
func (r *blankRun) all(ctx context.Context) error {
	host, err := os.Hostname()
	if err != nil {
		host = "" // not known
	}
	program, _, _ := strings.Cut(version(), "\n")
	r.session = blank.Session{Began: time.Now().UTC().Truncate(time.Millisecond), Version: program, Host: host}
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
		return r.interrupted()
	}
	if err := r.write(doc); err != nil {
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
	for _, in := range r.inputs {
		streams = streams || isStream(in)
		for _, name := range append([]string{r.Output}, r.blankFlags.reports...) {
			if name != "" && in.OS() != nil && outfile.Same(in.OS(), name) {
				return fmt.Errorf("%s is the same file as the input %s", name, in.Name)
			}
		}
	}
	for _, name := range r.blankFlags.reports {
		f, err := outfile.Create(name)
		if err != nil {
			return err
		}
		r.reports = append(r.reports, f)
	}
	r.past = make([]blank.Past, len(r.inputs))
	for i, in := range r.inputs {
		r.past[i].Done = in.Start()
	}
	switch {
	case streams && r.resume:
		return errors.New("--resume: standard input and pipes cannot be read again from the middle")
	case len(r.reports) > 0 && !streams:
		if err := r.openJournal(); err != nil {
			return err
		}
	}
	for i := range r.inputs {
		r.done = append(r.done, blank.NewProgress(r.past[i].Done, r.limit))
	}
	return nil
}

func isStream(in *blank.Input) bool { return in.Engine == "stream" }

// journalName returns where the journal lies: beside the first report.
func (r *blankRun) journalName() string { return r.blankFlags.reports[0] + ".journal" }

func (r *blankRun) openJournal() (err error) {
	header := blank.NewHeader(r.inputs)
	if !r.resume {
		r.journal, err = blank.CreateJournal(r.journalName(), header)
		if errors.Is(err, fs.ErrExist) {
			return command.Hint(fmt.Errorf("%s is there: an earlier run was interrupted", r.journalName()),
				"--resume goes on where it ended; remove the file to start over")

		}
	} else {
		var past []blank.Past
		r.journal, past, err = blank.ResumeJournal(r.journalName(), header, r.limit)
		if past != nil {
			r.past = past
		}
		if err == nil && !r.Quiet {
			r.noteResumed(past)
		}
	}
	if err != nil {
		return err
	}
	return r.journal.Begin(r.session)
}

// noteResumed says where the run goes on.
func (r *blankRun) noteResumed(past []blank.Past) {
	if past == nil {
		fmt.Fprintf(r.console.Err, "thresh: note: there is no %s: starting at the beginning\n", r.journalName())
	}
	for i, p := range past {
		fmt.Fprintf(r.console.Err, "thresh: note: %s: going on at %d, after %s\n",
			r.inputs[i].Name, p.Done.End, bytesize.Precise(p.Done.End-p.Done.Off))
	}
}

// read returns how many bytes were read of all inputs, in all sessions.
func (r *blankRun) read() (n int64) {
	for i, p := range r.past {
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
	stopJournal := r.record()
	r.found = make([]blank.Summary, len(r.inputs))
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
func (r *blankRun) first() bool { return r.Quiet && len(r.reports) == 0 }

// record writes the journal every journalEvery until stop is called, and then once more. A journal
// that can no longer be written is reported at once, and the run goes on: it needs none to finish.
func (r *blankRun) record() (stop func()) {
	if r.journal == nil {
		return func() {}
	}
	failed := false
	add := func() {
		for i, p := range r.done {
			s := p.Take()
			if s.Off == s.End || failed {
				continue
			}
			if err := r.journal.Add(i, s); err != nil {
				failed = true
				command.Complain(r.console.Err, fmt.Errorf("this run cannot be resumed: %w", err))
			}
		}
	}
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(journalEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				add()
			case <-quit:
				add()
				return
			}
		}
	}()
	return func() { close(quit); <-gone }
}

// certificate puts together what was found.
func (r *blankRun) certificate(measured receipt.Receipt, interrupted bool) (*certificate.Certificate, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	doc := &certificate.Certificate{
		Program: r.session.Version, Host: r.session.Host, System: runtime.GOOS + " " + runtime.GOARCH,
		Operator: r.operator, Reference: r.reference, Began: r.session.Began, Ended: now,
		Pattern: r.options.Pattern.String(),
		Run: certificate.Run{Bytes: measured.Bytes, Seconds: measured.Seconds,
			BytesPerSecond: measured.BytesPerSecond, Wall: string(measured.Wall), Verdict: measured.Verdict},
	}
	for i, in := range r.inputs {
		changed, err := in.Changed()
		if err != nil {
			return nil, err
		}
		stretches := append(r.past[i].Stretches, blank.Stretch{Session: r.session, Ended: now,
			From: r.past[i].Done.End, To: r.found[i].End, Interrupted: interrupted})
		if stretches[0].Began.Before(doc.Began) {
			doc.Began = stretches[0].Began
		}
		doc.Devices = append(doc.Devices, certificate.Device{Name: printable(in.Name), Identity: in.Identity,
			Summary: r.found[i], How: in.How, SectorBytes: in.SectorBytes, Changed: changed,
			Interrupted: interrupted && (r.found[i].End < in.Range.End || isStream(in)), Sessions: stretches})
	}
	doc.Complete()
	return doc, nil
}

// printable returns a name for people; one that is not UTF-8 with escapes.
func printable(name string) string {
	if strings.ToValidUTF8(name, "") == name {
		return name
	}
	return fmt.Sprintf("%q", name)
}

// interrupted returns the exit status of an interrupted run, and says how to go on.
func (r *blankRun) interrupted() error {
	err := errors.New("interrupted: the answer is incomplete")
	if r.journal == nil {
		return command.Exit(command.Interrupted, err)
	}
	return command.Exit(command.Interrupted, command.Hint(err, "the same command with --resume goes on where it ended"))
}

// write writes the certificates, and then removes the journal.
func (r *blankRun) write(doc *certificate.Certificate) error {
	for _, f := range r.reports {
		text, err := doc.JSON()
		if strings.HasSuffix(f.Name(), ".html") {
			text, err = doc.HTML()
		}
		if err != nil {
			return err
		}
		if _, err := f.Write(text); err != nil {
			return err
		}
		if err := f.Commit(true); err != nil {
			return err
		}
	}
	if r.journal == nil {
		return nil
	}
	err := r.journal.Remove()
	r.journal = nil
	return err
}
