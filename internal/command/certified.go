package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/internal/certificate"
	"github.com/thresh-dev/thresh/internal/journal"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/outfile"
)

// CertificateFlags holds the flags about certificates, as typed.
type CertificateFlags struct {
	Reports             []string
	Resume, Verify      bool
	Operator, Reference string
}

// Certificates returns the flags about certificates.
func (f *CertificateFlags) Certificates() []Flag {
	return []Flag{
		{Name: "report", To: &f.Reports, Help: "write a certificate to `FILE`.html or .json; may be repeated",
			Complete: cobra.FixedCompletions([]string{"html", "json"}, cobra.ShellCompDirectiveFilterFileExt)},
		{Name: "resume", To: &f.Resume, Help: "go on where a run was interrupted, with the same --report"},
		{Name: "operator", To: &f.Operator, Help: "`NAME` of who did it, for the certificate"},
		{Name: "reference", To: &f.Reference, Help: "`TEXT` for the certificate: an order, an asset tag"},
		{Name: "verify", To: &f.Verify, Help: "check the digest of certificates instead"},
	}
}

// Check returns an error for flags about the certificate that cannot have an effect.
func (f *CertificateFlags) Check(output string) error {
	for i, name := range f.Reports {
		if ext := filepath.Ext(name); ext != ".html" && ext != ".json" {
			return fmt.Errorf("--report %s: the name must end with .html or .json, which says what to write", name)
		}
		if slices.Contains(f.Reports[:i], name) || name == output {
			return fmt.Errorf("--report %s: the name is given twice", name)
		}
	}
	if len(f.Reports) > 0 {
		return nil
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{{"resume", f.Resume}, {"operator", f.Operator != ""}, {"reference", f.Reference != ""}} {
		if flag.given {
			return fmt.Errorf("--%s is for a certificate: give --report too", flag.name)
		}
	}
	return nil
}

// Certified is a run that ends with certificates, if any are asked for: its reports, and beside the first one the
// journal by which it is resumed.
type Certified struct {
	Session journal.Session
	Past    []journal.Past // of earlier sessions, one for each input

	flags   *CertificateFlags
	console *Console
	quiet   bool
	files   []*outfile.File
	journal *journal.Journal // nil without a report, or if the run cannot be resumed
}

// journalEvery is how often the journal records what was finished: what a loss of power costs.
const journalEvery = 2 * time.Second

// Begin begins a run.
func (f *CertificateFlags) Begin(c *Console, quiet bool) *Certified {
	host, err := os.Hostname()
	if err != nil {
		host = "" // not known
	}
	return &Certified{flags: f, console: c, quiet: quiet, Session: journal.Session{
		Began: time.Now().UTC().Truncate(time.Millisecond), Version: "thresh " + BuildVersion(), Host: host}}
}

// BuildVersion returns the versions of the program and of Go.
func BuildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return fmt.Sprintf("%s (%s)", info.Main.Version, info.GoVersion)
	}
	return "unknown"
}

// Create creates the reports, so that a folder that cannot be written is noticed now and not after hours. A report that
// is one of the inputs is refused.
func (r *Certified) Create(inputs ...*os.File) error {
	for _, name := range r.flags.Reports {
		for _, in := range inputs {
			if in != nil && outfile.Same(in, name) {
				return fmt.Errorf("%s is the same file as the input %s", name, in.Name())
			}
		}
		f, err := outfile.Create(name)
		if err != nil {
			return err
		}
		r.files = append(r.files, f)
	}
	return nil
}

// Close drops what was not finished, but for the journal.
func (r *Certified) Close() (err error) {
	for _, f := range r.files {
		err = errors.Join(err, f.Abort()) // nothing is left to abort if it was committed
	}
	if r.journal != nil {
		err = errors.Join(err, r.journal.Close())
	}
	return err
}

// journalName returns where the journal lies: beside the first report.
func (r *Certified) journalName() string { return r.flags.Reports[0] + ".journal" }

// Journal begins the journal, or continues that of an earlier run. At most limit ranges are listed.
func (r *Certified) Journal(h journal.Header, names []string, limit int) (err error) {
	if !r.flags.Resume {
		r.journal, err = journal.Create(r.journalName(), h)
		if errors.Is(err, fs.ErrExist) {
			return Hint(fmt.Errorf("%s is there: an earlier run was interrupted", r.journalName()),
				"--resume goes on where it ended; remove the file to start over")
		}
	} else {
		var past []journal.Past
		r.journal, past, err = journal.Resume(r.journalName(), h, limit)
		if past != nil {
			r.Past = past[:len(r.Past)]
		}
		if err == nil && !r.quiet {
			r.noteResumed(past, names)
		}
	}
	if err != nil {
		return err
	}
	return r.journal.Begin(r.Session)
}

// noteResumed says where the run goes on.
func (r *Certified) noteResumed(past []journal.Past, names []string) {
	if past == nil {
		fmt.Fprintf(r.console.Err, "thresh: note: there is no %s: starting at the beginning\n", r.journalName())
		return
	}
	for i, p := range r.Past {
		fmt.Fprintf(r.console.Err, "thresh: note: %s: going on at %d, after %s\n",
			names[i], p.Done.End, bytesize.Precise(p.Done.End-p.Done.Off))
	}
}

// Record writes the journal every journalEvery until stop is called, and then once more: what take returns of each
// input. A journal that can no longer be written is reported at once, and the run goes on: it needs none to finish.
func (r *Certified) Record(take func(input int) journal.Summary) (stop func()) {
	if r.journal == nil {
		return func() {}
	}
	failed := false
	add := func() {
		for i := range r.Past {
			s := take(i)
			if s.Off == s.End || failed {
				continue
			}
			if err := r.journal.Add(i, s); err != nil {
				failed = true
				Complain(r.console.Err, fmt.Errorf("this run cannot be resumed: %w", err))
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

// Issue says who made the document, and when.
func (r *Certified) Issue() certificate.Issue {
	issue := certificate.Issue{Program: r.Session.Version, Host: r.Session.Host,
		System: runtime.GOOS + " " + runtime.GOARCH, Operator: r.flags.Operator, Reference: r.flags.Reference,
		Began: r.Session.Began, Ended: time.Now().UTC().Truncate(time.Millisecond)}
	for _, p := range r.Past {
		if len(p.Stretches) > 0 && p.Stretches[0].Began.Before(issue.Began) {
			issue.Began = p.Stretches[0].Began
		}
	}
	return issue
}

// Sessions returns what all sessions did on an input, of which this one ends now.
func (r *Certified) Sessions(input int, done journal.Summary, ended time.Time, interrupted bool) []journal.Stretch {
	return append(slices.Clone(r.Past[input].Stretches), journal.Stretch{Session: r.Session, Ended: ended,
		From: r.Past[input].Done.End, To: done.End, Interrupted: interrupted})
}

// Interrupted returns the exit status of an interrupted run, and says how to go on.
func (r *Certified) Interrupted() error {
	err := errors.New("interrupted: the answer is incomplete")
	if r.journal == nil {
		return Exit(Interrupted, err)
	}
	return Exit(Interrupted, Hint(err, "the same command with --resume goes on where it ended"))
}

// Document is a certificate.
type Document interface {
	JSON() ([]byte, error)
	HTML() ([]byte, error)
}

// Write writes the certificates, and then removes the journal.
func (r *Certified) Write(doc Document) error {
	for _, f := range r.files {
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

// VerifyCertificates checks certificates. Read checks one, and returns who issued it and sentences of what it says.
func VerifyCertificates(c *Console, quiet bool, names []string,
	read func(document []byte) (issue certificate.Issue, says []string, err error)) error {
	status := Answered
	for _, name := range names {
		document, err := readDocument(c, name)
		if err != nil {
			return Exit(WrongUsage, err)
		}
		issue, says, err := read(document)
		if err != nil {
			Complain(c.Err, fmt.Errorf("%s: %w", name, err))
			status = Nothing
			continue
		}
		if quiet {
			continue
		}
		ended := issue.Ended.Format("2006-01-02 15:04:05 MST")
		fmt.Fprintf(c.Out, "%s: undamaged, of %s, by %s\n", name, ended, issue.Program)
		for _, text := range says {
			fmt.Fprintf(c.Out, "  %s\n", text)
		}
	}
	if !quiet && status == Answered {
		fmt.Fprintln(c.Err, "thresh: note: the digest shows damage, not forgery: against that, check a signature")
	}
	if status != Answered {
		return Exit(status, nil)
	}
	return nil
}

// documentBytesMax bounds what is read of a file that should be a certificate.
const documentBytesMax = 256 << 20

func readDocument(c *Console, name string) ([]byte, error) {
	f := c.In
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, err
		}
		defer f.Close() // only read from
	}
	b, err := io.ReadAll(io.LimitReader(f, documentBytesMax+1))
	if err == nil && len(b) > documentBytesMax {
		err = fmt.Errorf("%s is too large for a certificate", name)
	}
	return b, err
}
