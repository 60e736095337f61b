package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/certificate"
	"github.com/thresh-dev/thresh/internal/certificate/comparison"
	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/input/identity"
	"github.com/thresh-dev/thresh/internal/journal"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	"github.com/thresh-dev/thresh/options"
)

const cmpReportHelp = `Certificates:
  --report writes a certificate, as thresh blank does: a page to print and sign
  (.html), or JSON with the same content (.json). All is compared then, not only
  up to the first difference. It has what is known of both inputs (model and
  serial number; inode and time; version), the blocks that differ or could not
  be read, the times, and what it does not certify. --verify checks its digest,
  which shows damage and not forgery: against that, sign the file or the paper.
  While it reads, a journal lies beside the first report. After an interruption,
  even a loss of power, the same command with --resume goes on where it ended,
  if the inputs are the same. A compressed input is then decompressed once more
  up to there; a pipe cannot be resumed.`

// cmpReportConflicts lists the flags that do not go with a certificate.
var cmpReportConflicts = []command.Conflict{
	{Flags: "report", With: "recursive", Why: "a certificate is about two inputs"},
	{Flags: "report", With: "verbose print-bytes context", Why: "the certificate lists blocks that differ"},
	{Flags: "verify", With: "report resume operator reference recursive ignore-initial bytes prefix cold all block " +
		"limit context verbose print-bytes meta null json output explain dry-run receipt engine cache workers chunk mem " +
		"offset length progress color no-decompress s3-endpoint", Why: "--verify reads certificates"},
}

// readComparison checks a certificate, and returns what it says.
func readComparison(document []byte) (certificate.Issue, []string, error) {
	c, err := comparison.Verify(document)
	return c.Issue, []string{c.Inputs[0].Name + ", " + c.Inputs[1].Name + ": " + c.Sentence}, err
}

// cmpReport is a run of cmp that ends with a certificate.
type cmpReport struct {
	*cmpRun
	*command.Certified
	limit   int
	is      [2]*command.Identified
	tracker *journal.Tracker
	visited []answer.Hit // and not yet settled
}

func newCmpReport(s *cmpRun) *cmpReport {
	r := &cmpReport{cmpRun: s, Certified: s.flags.Begin(s.Console, s.flags.Quiet), limit: 100}
	if s.flags.limit > 0 {
		r.limit = int(s.flags.limit)
	}
	return r
}

// sectorBytes is the size of the blocks that differ if none is given: the usual sector.
const sectorBytes = 512

// Ask compares the inputs, or what an earlier run left of them, and writes the certificate.
func (s *cmpReport) Ask(ctx context.Context) (err error) {
	defer func() {
		err = errors.Join(err, s.Certified.Close())
		for _, is := range s.is {
			if is != nil {
				err = errors.Join(err, is.Close())
			}
		}
	}()
	if err := s.begin(); err != nil {
		return s.fail(s.Inputs[0], err)
	}
	for _, in := range s.inputs {
		defer in.Close() // only read from, so an error loses nothing
	}
	o := s.rest()
	if s.Explaining() {
		if err := s.PrintPlan(thresh.ExplainCompare(s.inputs[0], s.inputs[1], o)); err != nil {
			return err
		}
	}
	bar := s.Bar(s.Inputs[0], s.total()-(o.Offset-s.options.Offset), true)
	stop := s.Record(func(int) journal.Summary { return s.tracker.Take() })
	s.found, err = thresh.Compare(ctx, s.inputs[0], s.inputs[1], o, func(hits []answer.Hit) error {
		s.visited = append(s.visited, hits...)
		return nil
	})
	stop()
	bar.Stop()
	for _, name := range s.Inputs {
		err = s.Ended(name, err)
	}
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !interrupted {
		return s.fail(s.Inputs[0], err)
	}
	s.Add(answer.Report{Bytes: 2 * s.found.Bytes, Skipped: s.found.Skipped, Receipt: s.found.Receipt})
	doc, err := s.certificate(interrupted)
	if err != nil {
		return s.fail(s.Inputs[0], err)
	}
	if err := s.print(doc); err != nil {
		return err
	}
	if interrupted {
		return s.Interrupted()
	}
	s.Found = doc.Result == comparison.Equal
	return s.fail(s.Inputs[0], s.Write(doc))
}

// begin opens the inputs, the reports, and the journal.
func (s *cmpReport) begin() (err error) {
	for i, name := range s.Inputs {
		if s.inputs[i], err = s.Open(name); err != nil {
			return err
		}
		if s.is[i], err = s.Identify(name); err != nil {
			return err
		}
	}
	if err := s.Create(s.is[0].OS(), s.is[1].OS()); err != nil {
		return err
	}
	s.Past = []journal.Past{{Done: journal.Summary{Off: s.options.Offset, End: s.options.Offset}}}
	switch streams := s.is[0].Stream() || s.is[1].Stream(); {
	case streams && s.flags.Resume:
		return errors.New("--resume: standard input and pipes cannot be read again from the middle")
	case !streams:
		if err := s.Journal(s.header(), []string{command.ShownName(s.Inputs[0])}, s.limit); err != nil {
			return err
		}
	}
	done := s.Past[0].Done
	for i, in := range s.inputs {
		if at := done.End + int64(i)*s.out.shift(); in.Compressed() && done.End > done.Off {
			s.Notef("%s is decompressed once more up to %d", command.ShownName(s.Inputs[i]), at)
		}
	}
	s.tracker = journal.NewTracker(done, s.limit)
	return nil
}

// header says what is asked, for the journal.
func (s *cmpReport) header() journal.Header {
	o := s.options
	h := journal.Header{Format: "thresh cmp journal 1", Offset: o.Offset, Other: o.Other, Length: o.Length,
		Inputs: []identity.Identity{s.is[0].Identity, s.is[1].Identity}}
	flags := []string{fmt.Sprint("--block ", s.blockBytes())}
	for _, flag := range []struct {
		name  string
		given bool
	}{{"--prefix", o.Prefix}, {"--cold", o.Past}, {"--no-decompress", s.NoDecompress}} {
		if flag.given {
			flags = append(flags, flag.name)
		}
	}
	for i, is := range s.is {
		if is.Member != "" {
			flags = append(flags, fmt.Sprintf("member of input %d: %q", i+1, is.Member))
		}
	}
	h.Flags = strings.Join(flags, " ")
	return h
}

// rest returns the options for what earlier sessions left.
func (s *cmpReport) rest() options.Compare {
	o := s.options
	done := s.Past[0].Done.End - o.Offset
	o.First, o.BlockBytes, o.Receipt, o.Settled = false, 0, true, s.settle
	o.Offset, o.Other = o.Offset+done, o.Other+done
	if o.Length != nil {
		left := *o.Length - done
		o.Length = &left
	}
	return o
}

// settle adds what was found before an offset.
func (s *cmpReport) settle(now options.Settled) error {
	done := s.tracker.Sofar()
	found := journal.Summary{Off: done.End, End: now.Off, Read: now.Off - done.End - now.Skipped, Holes: now.Skipped}
	left := s.visited[:0]
	for _, h := range s.visited {
		before := min(h.Len, now.Off-h.Off)
		if before > 0 {
			s.differs(&found, h.Off, before)
			h.Off, h.Len = h.Off+before, h.Len-before
		}
		if h.Len > 0 {
			left = append(left, h)
		}
	}
	s.visited = left
	var unread []journal.Span
	for i, list := range now.Unread {
		for _, u := range list {
			found.Read -= u.Len
			unread = append(unread, journal.Span{Off: u.Off, Len: u.Len, Why: u.Err.Error(), Input: i + 1})
		}
	}
	slices.SortFunc(unread, func(a, b journal.Span) int { return cmp.Compare(a.Off, b.Off) })
	for _, u := range unread {
		found.Unread.Add(u, s.limit)
	}
	for i, direct := range now.Direct {
		found.Cached[i] = found.Read > 0 && !direct
	}
	s.tracker.Add(found)
	return nil
}

// differs adds a range of bytes that differ, as whole blocks.
func (s *cmpReport) differs(found *journal.Summary, off, n int64) {
	if found.First == nil {
		found.First = &off
	}
	found.Different += n
	block := s.blockBytes()
	from := max(off/block*block, s.options.Offset)
	to := min((off+n-1)/block*block, math.MaxInt64-block) + block
	found.Other.Add(journal.Span{Off: from, Len: to - from}, s.limit)
}

func (s *cmpReport) blockBytes() int64 {
	if s.flags.block > 0 {
		return int64(s.flags.block)
	}
	return sectorBytes
}

// certificate puts together what was found.
func (s *cmpReport) certificate(interrupted bool) (*comparison.Certificate, error) {
	doc := &comparison.Certificate{Issue: s.Issue(), Prefix: s.options.Prefix, Longer: s.found.Longer,
		Summary: s.tracker.Sofar(), BlockBytes: s.blockBytes(), Interrupted: interrupted,
		Run: certificate.RunOf(s.found.Receipt)}
	doc.Sessions = s.Sessions(0, doc.Summary, doc.Ended, interrupted)
	doc.Other.Cut(doc.End)
	for i, in := range s.inputs {
		changed, err := s.is[i].Changed()
		if err != nil {
			return nil, err
		}
		side := comparison.Side{Name: certificate.Printable(command.ShownName(s.Inputs[i])), Identity: s.is[i].Identity,
			From: []int64{s.options.Offset, s.options.Other}[i], Direct: doc.Read > 0 && !doc.Cached[i],
			Compressed: in.Compressed(), Changed: changed}
		side.How = s.how(side)
		doc.Inputs[i] = side
	}
	doc.Complete()
	return doc, nil
}

// how says how an input was read.
func (s *cmpReport) how(side comparison.Side) (how string) {
	switch {
	case side.Direct:
		how = "by direct reads, past the page cache"
	case side.Kind == "stream":
		how = "as a stream, in order"
	case side.Version != "":
		how = "over the network"
	default:
		how = "through the page cache"
	}
	if side.Compressed {
		how += ", decompressed"
	}
	return how
}

// print prints the answer, and what could not be read on standard error.
func (s *cmpReport) print(doc *comparison.Certificate) error {
	for i, side := range doc.Inputs {
		var unread []failure.UnreadError
		for _, u := range doc.Unread.List {
			if u.Input == i+1 {
				at := u.Off + int64(i)*s.out.shift()
				unread = append(unread, failure.UnreadError{Name: s.Inputs[i], Off: at, Len: u.Len, Err: errors.New(u.Why)})
			}
		}
		if err := tellUnread(s.Run, s.Inputs[i], unread); err != nil {
			return err
		}
		if side.Changed != "" {
			s.Doubt(fmt.Errorf("%s: %s", side.Name, side.Changed))
		}
	}
	if n := doc.Unread.Unlisted(); n > 0 {
		s.Doubt(fmt.Errorf("and %s; --limit N lists more", numeral.Count(n, "more unread range")))
	}
	switch {
	case s.Quiet:
		return nil
	case s.JSON:
		for _, r := range doc.Other.List {
			if err := s.Out.JSON(map[string]int64{"offset": r.Off, "length": r.Len}); err != nil {
				return err
			}
		}
		return errors.Join(s.Out.JSON(map[string]any{"summary": doc}), s.Out.Flush())
	}
	fmt.Fprintln(s.Out, doc.Sentence)
	for _, r := range doc.Other.List {
		fmt.Fprintf(s.Out, "  from %d: %s\n", r.Off, numeral.Count(r.Len, "byte"))
	}
	if n := doc.Other.Unlisted(); n > 0 {
		fmt.Fprintf(s.Out, "  and %s; --limit N lists more\n", numeral.Count(n, "more range"))
	}
	return s.Out.Flush()
}

// End prints nothing more.
func (s *cmpReport) End(err error) error { return err }
