package grep

import (
	"bytes"
	"time"
)

// printer goes from worker to worker in file order. It knows what depends on all lines before.
type printer struct {
	*Run
	by     *worker // that has it
	out    *Sink
	format formatter
	// What the sink had before:
	outFrom   int64
	spentFrom time.Duration
	partial   bool  // not all of the input was searched, so that no figures of it are final
	uncounted int64 // bytes of JSON's last message

	lines   int64 // before the text
	count   int64 // selected lines
	matches int64 // in them, with JSON
	bytes   int64 // searched
	owed    int   // lines of context that are still to be printed
	printed int64 // the offset behind the last printed line, -1 before the first
	nul     int64 // the offset of the first zero byte, -1 before it
	binary  bool  // a selected line was not printed because of it
	done    bool  // no further line matters
	joined  bool  // selected lines and their context are all printed as they are

	text      text     // in which it prints
	gap       gap      // the lines at the end of what was passed that were not printed
	shown     shown    // the line that is printed
	matchesOf [][2]int // in the line that is printed, if they are wanted
	old       []*kept  // the lines before them, from earlier texts, up to Before
	long      longLine // the line that continues in the next block
}

// gap is a range of lines in a text; num is the number of lines in the text before its end.
type gap struct {
	from, to int
	num      int64
}

// kept is a line from an earlier text.
type kept struct {
	data     []byte // nil if it is so long that it is read again
	off, end int64
	num      int64
}

func newPrinter(r *Run, out *Sink) *printer {
	p := &printer{Run: r, out: out, printed: -1, nul: -1}
	if out != nil {
		p.outFrom, p.spentFrom = out.total(), out.spent
	}
	p.done = r.Max == 0
	p.long.file = r.file
	p.format = newFormatter(&r.Options, out)
	p.joined = r.Mode == Print && p.format.plain() && r.Max < 0 && r.Before+r.After > 0 && !r.Invert
	return p
}

// begin sets the text in which lines are printed.
func (p *printer) begin(t text) { p.text, p.gap = t, gap{} }

// pass prints the selected lines of a part of the text, with their context. Num and endNum are how many lines
// of the text are before its start and before its end.
func (p *printer) pass(f *found, from, to int, num, endNum int64) error {
	if p.simple() {
		return p.stretches(f)
	}
	if p.joined && !f.apart {
		defer func(count int64) { p.count = count + f.picks }(p.count)
	}
	spans := 0
	for _, h := range f.hits {
		if err := p.stretch(from, h.start, num, h.num, p.Invert); err != nil || p.done {
			return err
		}
		p.matchesOf = f.spans[spans:max(h.spans, spans)]
		if err := p.stretch(h.start, h.end, h.num, h.num+1, !p.Invert); err != nil || p.done {
			return err
		}
		from, num, spans = h.end, h.num+1, max(h.spans, spans)
	}
	return p.stretch(from, to, num, endNum, p.Invert)
}

// simple reports whether the selected lines, and nothing else, are printed as they are.
func (p *printer) simple() bool {
	return p.Mode == Print && p.format.plain() && p.Max < 0 && p.Before+p.After == 0
}

// stretches prints stretches of selected lines as they are.
func (p *printer) stretches(f *found) error {
	if p.nul >= 0 {
		for _, h := range f.hits {
			if _, _, err := p.selected(h.start, h.end, 0); err != nil || p.done {
				return err
			}
		}
		return nil
	}
	data := p.text.data
	for _, h := range f.hits {
		if err := p.out.add(data[h.start:h.end]); err != nil {
			return err
		}
	}
	if n := len(f.hits); n > 0 && data[f.hits[n-1].end-1] != '\n' {
		p.out.byte('\n')
	}
	p.count += f.picks
	return nil
}

// stretch passes lines that are all selected, or all not.
func (p *printer) stretch(from, to int, num, endNum int64, selected bool) error {
	if from == to {
		return nil
	}
	if selected && !p.full() {
		rest, restNum, err := p.selected(from, to, num)
		if err != nil || p.done {
			return err
		}
		if rest == to {
			p.done = p.full() && p.owed == 0
			return nil
		}
		from, num = rest, restNum
	}
	if p.owed > 0 && from < to {
		end, first := from, num
		for ; p.owed > 0 && end < to; p.owed-- {
			end, num = p.lineEnd(end, to), num+1
		}
		if err := p.contexts(from, end, first); err != nil {
			return err
		}
		if p.nul >= 0 && p.text.off+int64(end) > p.nul { // a line is missing there
			p.binary, p.done = true, true
			return p.format.binary(p.nul)
		}
		from = end
	}
	if p.done = p.full() && p.owed == 0; p.done || from == to || p.Before == 0 {
		return nil
	}
	if p.gap.to != from || p.gap.from == p.gap.to {
		p.gap.from = from
	}
	p.gap.to, p.gap.num = to, endNum
	return nil
}

// full reports whether as many lines were selected as are wanted.
func (p *printer) full() bool { return p.Max >= 0 && p.count >= p.Max }

func (p *printer) lineEnd(from, to int) int {
	if i := bytes.IndexByte(p.text.data[from:to], '\n'); i >= 0 {
		return from + i + 1
	}
	return to
}

// selected prints selected lines, up to Max. It returns where it has stopped.
func (p *printer) selected(from, to int, num int64) (rest int, restNum int64, err error) {
	if err := p.before(); err != nil {
		return 0, 0, err
	}
	if p.format.plain() && p.Max < 0 && (p.nul < 0 || p.text.off+int64(to) <= p.nul) {
		return to, 0, p.raw(p.text.data[from:to], p.text.off+int64(from))
	}
	for from < to && !p.full() {
		end := p.lineEnd(from, to)
		line, off := p.text.data[from:end], p.text.off+int64(from)
		if p.nul >= 0 && off+int64(len(line)) > p.nul {
			p.count++
			p.binary, p.done = true, true
			return from, num, p.format.binary(p.nul)
		}
		p.separate(off)
		p.matches += int64(len(p.matchesOf))
		if err := p.shown.rewrite(&p.Format, line, off); err != nil {
			return from, num, err
		}
		if err := p.format.line(&p.shown, off, p.number(num), p.matchesOf); err != nil {
			return from, num, err
		}
		p.count++
		p.printed, p.owed = off+int64(len(line)), p.After
		from, num = end, num+1
	}
	return from, num, nil
}

// number returns the number of a line that has num lines of the text before it.
func (p *printer) number(num int64) int64 { return p.lines + num + 1 }

// raw prints selected lines as they are.
func (p *printer) raw(data []byte, off int64) error {
	p.separate(off)
	p.count += max(int64(bytes.Count(data, feed)), 1)
	p.printed, p.owed = off+int64(len(data)), p.After
	return p.out.lines(data)
}

// separate prints what stands between two groups of lines.
func (p *printer) separate(off int64) {
	switch {
	case p.Before+p.After == 0 || p.printed == off:
	case p.printed < 0:
		before := p.out.total()
		p.out.between(p.format.separator())
		p.outFrom += p.out.total() - before // it belongs to none of the two searches
	default:
		p.out.text(p.format.separator())
	}
}

// context prints a line of context. Lines behind a zero byte are not printed.
func (p *printer) context(line []byte, off, num int64) error {
	if p.nul >= 0 && off+int64(len(line)) > p.nul {
		return nil
	}
	p.separate(off)
	p.printed = off + int64(len(line))
	if err := p.shown.rewrite(&p.Format, line, off); err != nil {
		return err
	}
	return p.format.context(&p.shown, off, p.number(num))
}

// contexts prints lines of context of the text.
func (p *printer) contexts(from, to int, num int64) error {
	data, off := p.text.data, p.text.off
	if p.joined && p.nul < 0 {
		p.separate(off + int64(from))
		p.printed = off + int64(to)
		return p.out.lines(data[from:to])
	}
	for ; from < to; num++ {
		end := p.lineEnd(from, to)
		if err := p.context(data[from:end], off+int64(from), num); err != nil {
			return err
		}
		from = end
	}
	return nil
}

// before prints the context before a selected line: the end of the gap, and of what was kept before it.
func (p *printer) before() error {
	starts := p.lastLines(p.Before)
	if old := p.old; len(starts) < p.Before && len(old) > 0 {
		for _, k := range old[max(0, len(old)-(p.Before-len(starts))):] {
			if err := p.long.use(k, func(line []byte) error { return p.context(line, k.off, k.num-p.lines) }); err != nil {
				return err
			}
		}
	}
	if n := len(starts); n > 0 {
		if err := p.contexts(starts[0], p.gap.to, p.gap.num-int64(n)); err != nil {
			return err
		}
	}
	p.gap, p.old = gap{}, p.old[:0]
	return nil
}

// lastLines returns where the last lines of the gap begin, at most n.
func (p *printer) lastLines(n int) (starts []int) {
	data := p.text.data[p.gap.from:p.gap.to]
	for end := len(data); end > 0 && len(starts) < n; {
		end = lineStart(data, 0, end-1)
		starts = append(starts, p.gap.from+end)
	}
	for i, j := 0, len(starts)-1; i < j; i, j = i+1, j-1 {
		starts[i], starts[j] = starts[j], starts[i]
	}
	return starts
}

// finish ends a text: the lines at its end may be context of the next one.
func (p *printer) finish() error {
	starts := p.lastLines(p.Before)
	for i, from := range starts {
		end := p.gap.to
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		k := &kept{off: p.text.off + int64(from), end: p.text.off + int64(end), num: p.lines - int64(len(starts)-i)}
		if err := p.long.keep(k, p.text.data[from:end]); err != nil {
			return err
		}
		p.old = append(p.old, k)
	}
	if n := len(p.old) - p.Before; n > 0 {
		p.old = append(p.old[:0], p.old[n:]...)
	}
	p.gap, p.text = gap{}, text{}
	return nil
}

func (p *printer) flush() error {
	if p.out == nil {
		return nil
	}
	return p.out.offer()
}

// end prints what comes after the last line.
func (p *printer) end() error {
	if p.Mode != Print {
		return nil
	}
	if err := p.format.end(p); err != nil {
		return err
	}
	return p.flush()
}
