package grep

import (
	"bytes"
	"errors"
	"io"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// An input can be searched in parts, in several processes. A part has whole lines. Its search finds the selected ones
// as Records, and a Replay prints them as one search of the input would: with their numbers in the input, and with
// context, which is read where it lies.

// Part is what the search of a part of an input found.
type Part struct {
	Off, End int64
	Lines    int64 // in the part; not known if the search has ended early
	Zero     int64 // the offset of the first zero byte, if it matters; -1 if there is none
	Selected int64
	Counts   []int64 // of Each
	Records  []byte  // of Print: the selected lines
}

// OfPart returns the options of the search of a part. Which line is the first binary one that is selected is not told,
// so that its context cannot be printed.
func (o Options) OfPart() Options {
	if o.Mode == Print {
		matches := o.Only || o.Color || o.JSON
		o.Format = Format{Records: true, Bare: !matches || o.Invert}
	}
	o.Before, o.After = 0, 0
	return o
}

// Part returns what was found in a part, when the search is done.
func (r *Run) Part(of source.Range, report answer.GrepReport, records []byte) Part {
	return Part{Off: of.Off, End: of.End, Lines: r.first.lines, Zero: r.first.nul, Selected: report.Lines,
		Counts: report.Counts, Records: records}
}

// Replay prints the lines of the parts of an input.
type Replay struct {
	*Run
	w      *worker
	passed int64 // the end of the lines that were passed to the printer
	lines  int64 // before the next part
	counts []int64
}

// NewReplay prepares to print to out.
func NewReplay(q *Query, o Options, f *source.File, out *Sink) *Replay {
	r := &Replay{Run: NewRun(q, o, f, source.Range{End: f.Bytes}, out)}
	if o.Mode == Print {
		r.w = r.worker()
	}
	return r
}

// Add prints the lines of the next part.
func (r *Replay) Add(part Part) error {
	p := r.first
	p.bytes = part.End
	if r.Mode != Print {
		p.count += part.Selected
		if r.Max >= 0 {
			p.count = min(p.count, r.Max)
		}
		p.done = r.Mode == Any && p.count > 0 || r.Mode == Count && p.full()
		for i, n := range part.Counts {
			if r.counts == nil {
				r.counts = make([]int64, len(part.Counts))
			}
			r.counts[i] += n
		}
		return nil
	}
	if p.nul < 0 {
		p.nul = part.Zero
	}
	var records Records
	records.Write(part.Records)
	for line, ok := records.Next(); ok && !p.done; line, ok = records.Next() {
		if line.Kind == answer.LineBinary { // which has no context here: see OfPart
			p.count++
			p.binary, p.done = true, true
			return p.format.binary(p.nul)
		}
		if err := r.selected(line); err != nil {
			return err
		}
	}
	r.lines += part.Lines
	return nil
}

// selected prints a selected line, after the context before it.
func (r *Replay) selected(line answer.Line) error {
	if err := r.between(line.Offset, r.lines+line.Number-1); err != nil || r.first.done {
		return err
	}
	text := text{append(bytes.Clone(line.Text), '\n'), line.Offset}
	if line.Offset+int64(len(line.Text)) == r.file.Bytes {
		text.data = line.Text
	}
	var spans [][2]int
	for _, m := range line.Matches {
		spans = append(spans, [2]int{m.Start, m.End})
	}
	r.passed = line.Offset + int64(len(text.data))
	return r.commit(text, true, spans)
}

// between passes the lines up to an offset that are context; num is how many lines are before the offset. Only the
// edges of what is between two selected lines are read.
func (r *Replay) between(to, num int64) error {
	p, from := r.first, r.passed
	if p.Before+p.After > 0 && from < to {
		first, err := r.edge(from, to, p.owed, false)
		if err != nil {
			return err
		}
		if err := r.commit(first, false, nil); err != nil || p.done {
			return err
		}
		last, err := r.edge(from+int64(len(first.data)), to, p.Before, true)
		if err != nil {
			return err
		}
		p.lines = num - lines(last.data)
		if err := r.commit(last, false, nil); err != nil {
			return err
		}
	}
	p.lines, r.passed = num, to
	return nil
}

// edge reads the first or the last lines of a range of whole lines.
func (r *Replay) edge(from, to int64, n int, last bool) (text, error) {
	for size := int64(edgeBytes); n > 0 && from < to; size *= 2 {
		size = min(size, to-from)
		t := text{make([]byte, size), from}
		if last {
			t.off = to - size
		}
		if got, err := r.file.ReadAt(t.data, t.off); got < len(t.data) {
			return t, errors.Join(err, io.ErrUnexpectedEOF)
		}
		ends := lineEnds(t.data)
		switch {
		case last && len(ends) > n: // the first of them may be the end of a line
			begin := ends[len(ends)-1-n]
			return text{t.data[begin:], t.off + int64(begin)}, nil
		case len(ends) > n:
			return text{t.data[:ends[n-1]], t.off}, nil
		case size == to-from:
			return t, nil
		}
	}
	return text{nil, to}, nil
}

// edgeBytes is how much of an edge is read first.
const edgeBytes = 16 << 10

// lineEnds returns where lines end in whole lines.
func lineEnds(data []byte) (ends []int) {
	for at := 0; at < len(data); {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			i = len(data) - at - 1
		}
		at += i + 1
		ends = append(ends, at)
	}
	return ends
}

// commit passes lines to the printer that are all selected, or all not.
func (r *Replay) commit(t text, selected bool, spans [][2]int) error {
	if len(t.data) == 0 {
		return nil
	}
	f := found{nul: -1, upTo: len(t.data), feeds: lines(t.data), spans: spans}
	switch {
	case r.w.stretches && selected:
		f.pick(0, len(t.data))
		f.picks = f.feeds
	case !r.w.stretches && selected != r.Invert:
		from := 0
		for i, end := range lineEnds(t.data) {
			f.hits = append(f.hits, hit{start: from, end: end, num: int64(i), spans: len(spans)})
			from = end
		}
		f.n, f.picks = f.feeds, f.feeds
	}
	return r.w.commit(r.first, &f, t)
}

// Done prints what comes after the last line. Complete says that all parts were added, or as many as matter.
func (r *Replay) Done(complete bool) (answer.GrepReport, error) {
	var err error
	if complete && r.Mode == Print && !r.first.done && r.first.owed > 0 {
		err = r.between(r.file.Bytes, 0)
	}
	result, doneErr := r.Run.Done(complete && err == nil)
	if r.Mode == Each {
		result.Counts = make([]int64, len(r.query.Patterns))
		copy(result.Counts, r.counts)
	}
	return result.GrepReport, errors.Join(err, doneErr)
}
