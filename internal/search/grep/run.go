package grep

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Mode is what is asked of the lines.
type Mode uint8

// The modes.
const (
	Print Mode = iota // the selected lines
	Count             // how many are selected
	Any               // whether one is selected
	Each              // how often each pattern occurs
)

// Options say which of the lines are selected and what happens to them.
type Options struct {
	Mode
	Format
	Invert        bool  // lines that do not match are selected
	Max           int64 // at most so many are; negative: all
	Before, After int   // lines of context
	Text          bool  // a file with zero bytes is printed like others
}

// numbered reports whether the lines must be counted.
func (o *Options) numbered() bool { return o.Mode == Print && (o.Numbers || o.JSON || o.Records) }

// Result tells what a run found: of the report, all but what was read.
type Result struct {
	answer.GrepReport
	Time time.Duration // spent with output
}

// Run is one input that is searched.
type Run struct {
	Options
	query *Query
	file  *source.File
	span  source.Range
	turns *scan.Handoff[*printer]
	first *printer
	lost  func(failure.UnreadError)

	mu    sync.Mutex
	idle  []*worker    // finished workers; the next phase goes on with them
	stop  *atomic.Bool // the scan's
	found atomic.Bool  // of Any
	err   error

	detached atomic.Int64 // the cost of parts that wait for their turn
	spare    sync.Pool    // of parts that were printed
}

// NewRun prepares to search a range of a file. Output goes to out, which may be nil in modes without.
func NewRun(q *Query, o Options, f *source.File, span source.Range, out *Sink) *Run {
	r := &Run{Options: o, query: q, file: f, span: span}
	r.first = newPrinter(r, out)
	r.turns = scan.NewHandoff(span.Off, r.first)
	return r
}

// hitsMax is how many lines of a block a worker remembers. If there are more, it searches the rest of the
// block when its turn has come.
var hitsMax = threshold.New("grep: matching lines of a block", 64<<10, 1)

// workerBytes is the memory of a worker: its list of lines, and its share of the output.
const workerBytes = 2 << 20

// Traits describes a search for planning.
func (q *Query) Traits() scan.Traits {
	return scan.Traits{Kernel: q.kernel, Worker: q.workerBytes + workerBytes, Text: true, InOrder: true}
}

// Speed searches b, to measure how fast that is.
func (q *Query) Speed(b []byte) {
	q.matcher().lines(b, func(at int) int { return at + 1 })
}

// Searcher returns the searcher of one worker; it is a scan.NewSearcher.
func (r *Run) Searcher(lost func(failure.UnreadError), stop *atomic.Bool) scan.Searcher {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop != stop { // they are the same for all workers of a scan, which read them without the lock
		r.stop, r.lost, r.first.long.lost = stop, lost, lost
	}
	if n := len(r.idle); n > 0 {
		w := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return w
	}
	return r.worker()
}

// worker returns a new worker. An error of its patterns has been found by Compile.
func (r *Run) worker() *worker {
	w := &worker{Run: r, hitsMax: hitsMax.Get(), stretches: r.first.simple(), joins: r.first.joined}
	if r.Mode == Each {
		w.tally, w.err = r.query.each()
		return w
	}
	w.matcher = r.query.matcher()
	if m, ok := w.matcher.(literal); ok {
		w.rare = m.Pattern
	}
	if w.wanted = r.Mode == Print && !r.Invert && r.first.format.wantsMatches(); w.wanted {
		w.spanner = r.query.matcher() // a regex.Searcher serves one search at a time
	}
	return w
}

// fail stops the scan and keeps the first error.
func (r *Run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
	r.halt()
}

func (r *Run) halt() {
	if r.stop != nil {
		r.stop.Store(true)
	}
}

// errPending reports a part of a line in which not all matches are known.
var errPending = errors.New("too many matches are undecided until the end of the line; " +
	"use an expression whose matches cannot extend to the end of the line")

// pending reports a part of the text at off.
func (r *Run) pending(off int64, part [2]int) {
	r.lost(failure.UnreadError{Name: r.file.Name, Off: off + int64(part[0]), Len: int64(part[1] - part[0]),
		Err: errPending})
}

// Answered reports whether the scan ended early because no further line matters.
func (r *Run) Answered() bool { return r.found.Load() || r.first.done }

// Done ends the search: the last line may have no line feed. Complete says that all of the range was read, or
// as much as matters. All workers must have ended.
func (r *Run) Done(complete bool) (Result, error) {
	p := r.first
	err := r.err
	if _, ok := r.turns.Last(); ok && err == nil && complete && !r.Answered() {
		err = r.end()
	}
	p.partial = !complete && !r.Answered()
	if err == nil {
		err = p.end()
	}
	if closeErr := p.long.close(); err == nil {
		err = closeErr
	}
	result := Result{GrepReport: answer.GrepReport{Lines: p.count, Matches: p.matches, Binary: -1}}
	if p.out != nil {
		result.Written, result.Time = p.out.total()-p.outFrom-p.uncounted, p.out.spent-p.spentFrom
	}
	if r.found.Load() {
		result.Lines = 1
	}
	if p.binary {
		result.Binary = r.at(p.nul)
	}
	if r.Mode == Each {
		result.Counts = make([]int64, len(r.query.Patterns))
		for _, w := range r.idle {
			if w.tally != nil {
				w.tally.addTo(result.Counts)
			}
		}
	}
	return result, err
}

// end searches the last line, if it has no line feed.
func (r *Run) end() error {
	w := r.worker()
	if n := len(r.idle); n > 0 {
		w = r.idle[n-1]
	} else {
		r.idle = append(r.idle, w)
	}
	return w.finishLine(r.first, nil, r.first.long.end)
}

// Output is what several searches write to, one after the other.
type Output struct {
	io.Writer
	off int64 // bytes written
}

// Sink collects output and writes it in large pieces.
type Sink struct {
	out     *Output
	turn    func() error // called before the first write; may be nil
	buf     []byte
	lead    string // written before anything else, if another search has written something
	written int64
	spent   time.Duration
}

var (
	sinkBytes = threshold.New("grep: output collected before it is written", 256<<10, 1)
	// What is as long as that is written from where it lies.
	directBytes = threshold.New("grep: output written without a copy", 32<<10, 1)
)

// NewSink returns a sink that writes to out. Turn, if not nil, waits until that is allowed; before it was called, the
// searches that print to the sink leave what they print to Flush, unless it is much.
func NewSink(out *Output, turn func() error) *Sink { return &Sink{out: out, turn: turn} }

// between prints what separates the output of two searches.
func (s *Sink) between(separator string) {
	if s.total() > 0 {
		s.text(separator)
	} else {
		s.lead = separator
	}
}

func (s *Sink) byte(c byte)     { s.buf = append(s.buf, c) }
func (s *Sink) text(str string) { s.buf = append(s.buf, str...) }

// add adds bytes, which are not kept.
func (s *Sink) add(b []byte) error {
	if len(b) < directBytes.Get() {
		s.buf = append(s.buf, b...)
		if len(s.buf) < sinkBytes.Get() {
			return nil
		}
		return s.Flush()
	}
	if err := s.Flush(); err != nil {
		return err
	}
	return s.write(b)
}

// addPart adds what is printed of a part of a line.
func (s *Sink) addPart(l *shown, from, to int) error {
	head, rest := l.part(from, to)
	if len(head) > 0 {
		if err := s.add(head); err != nil {
			return err
		}
	}
	return s.add(rest)
}

// Copy prints what another search with these options has printed.
func (s *Sink) Copy(printed []byte, o Options) error {
	if len(printed) == 0 {
		return nil
	}
	if o.Mode == Print && o.Before+o.After > 0 {
		s.between(newFormatter(&o, s).separator())
	}
	return errors.Join(s.add(printed), s.Flush())
}

// lines adds whole lines, of which the last one may lack its line feed.
func (s *Sink) lines(b []byte) error {
	err := s.add(b)
	if err == nil && b[len(b)-1] != '\n' {
		s.byte('\n')
	}
	return err
}

// total returns how much was printed.
func (s *Sink) total() int64 { return s.written + int64(len(s.buf)) }

// offer writes what was collected if that need not wait for a turn, or is much.
func (s *Sink) offer() error {
	if s.turn != nil && len(s.buf) < sinkBytes.Get() {
		return nil
	}
	return s.Flush()
}

// Flush writes what was collected.
func (s *Sink) Flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	err := s.write(s.buf)
	s.buf = s.buf[:0]
	return err
}

func (s *Sink) write(b []byte) error {
	if s.turn != nil {
		if err := s.turn(); err != nil {
			return err
		}
		s.turn = nil
	}
	began := time.Now()
	defer func() { s.spent += time.Since(began) }()
	if s.lead != "" && s.out.off > 0 {
		if err := s.out.write([]byte(s.lead)); err != nil {
			return err
		}
	}
	s.lead = ""
	s.written += int64(len(b))
	return s.out.write(b)
}

func (o *Output) write(b []byte) error {
	n, err := o.Write(b)
	o.off += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return &failure.WriteError{Name: "the output", Off: o.off, Err: err}
	}
	return nil
}
