package grep

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// worker searches blocks.
type worker struct {
	*Run
	matcher matcher
	rare    *pattern.Pattern // without it, no line matches; nil if there is no such text
	spanner matcher          // finds the matches in the lines that matcher finds
	wanted  bool             // matches are printed
	tally   *tally           // of Each
	hitsMax int
	err     error // why it cannot search

	stretches bool // selected lines are printed as they are, and nothing else
	joins     bool // selected lines and their context are printed as they are: near ones are one hit

	block, line found // what it has found in a block, and in a line that blocks cut
	printing    bool  // it is this worker's turn
}

// text is a range of the input in memory: whole lines.
type text struct {
	data []byte
	off  int64 // of data[0] in the input
}

// Search searches the whole lines of a block, waits for its turn, and prints.
//
// If a page of a mapping cannot be read, Search panics, and the block comes again with fewer bytes. When
// its turn has come, it has read all of the block. A page that is lost in the microseconds after that
// fails the run, because a part of the output may have been written.
func (w *worker) Search(b engine.Block, _ func(answer.Hit) bool) {
	switch {
	case w.printing:
		w.fail(fmt.Errorf("%s changed near %d while it was read: try again", w.file.Name, b.Off))
		return
	case w.err != nil:
		w.fail(w.err)
		return
	}
	own := b.Data[:b.Len]
	first, last := bytes.IndexByte(own, '\n')+1, bytes.LastIndexByte(own, '\n')+1
	last = max(first, last)
	w.search(&w.block, own[first:last], true)
	if w.Run.found.Load() {
		w.halt()
		return
	}
	all := part{off: b.Off, end: b.Off + int64(b.Len), head: own[:first], tail: own[last:], found: &w.block,
		text: text{own[first:last], b.Off + int64(first)}}
	p, ok := w.turn(all)
	if !ok {
		return
	}
	w.printing = true
	err := w.print(p, all)
	w.printing = false
	w.handOn(p, err, all.end)
}

// turn returns the printer when it is the block's turn. It returns false if there is nothing more to do, because
// the scan was stopped, or because another worker will print the block.
func (w *worker) turn(b part) (*printer, bool) {
	if p, ok := w.turns.Try(b.off); ok {
		return p, true
	}
	cost := w.cost(b)
	if !w.detachable(b, cost) || w.detached.Load()+cost > int64(detachedBytes.Get()) {
		return w.turns.Take(b.off, w.stop)
	}
	d := w.detach(b, cost)
	w.detached.Add(cost)
	p, ok := w.turns.Leave(b.off, d.print)
	if ok {
		w.detached.Add(-cost)
		w.spare.Put(d)
	}
	return p, ok
}

// print prints the lines that end in a block.
func (w *worker) print(p *printer, b part) error {
	p.by = w
	p.bytes += b.end - b.off
	if len(b.head) > 0 {
		if err := w.finishLine(p, b.head, b.off); err != nil || p.done {
			return err
		}
		if err := w.commit(p, b.found, b.text); err != nil || p.done {
			return err
		}
	}
	if b.skipped > 0 || len(b.behind.data) > 0 {
		rest := found{nul: -1, upTo: len(b.behind.data), feeds: b.skipped}
		if err := w.commit(p, &rest, b.behind); err != nil {
			return err
		}
	}
	return p.long.extend(b.tail, b.end-int64(len(b.tail)))
}

// handOn hands the printer to the block that begins at off.
func (w *worker) handOn(p *printer, err error, off int64) {
	if err == nil {
		err = p.flush()
	}
	switch {
	case err != nil:
		w.fail(err)
	case p.done:
		w.halt()
	default:
		p.by = w
		w.turns.Put(off, p)
	}
}

// Miss ends the line that reaches into unreadable bytes: what was read of it is searched, and so is
// what follows behind them, as lines of their own.
func (w *worker) Miss(u failure.UnreadError) {
	p, ok := w.turns.Take(u.Off, w.stop)
	if !ok {
		return
	}
	w.handOn(p, w.finishLine(p, nil, u.Off), u.Off+u.Len)
}

// Finish returns the worker to the run.
func (w *worker) Finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = append(w.idle, w)
}

// finishLine searches and prints the line that ends with the bytes at off.
func (w *worker) finishLine(p *printer, end []byte, off int64) error {
	if p.long.empty() {
		return w.single(p, text{end, off})
	}
	return p.long.finish(end, off, func(t text) error { return w.single(p, t) },
		func(t text, end int64) error { return w.squeezedLine(p, t, end) })
}

// single searches and prints one line.
func (w *worker) single(p *printer, t text) error {
	if len(t.data) == 0 {
		return nil
	}
	w.search(&w.line, t.data, false)
	return w.commit(p, &w.line, t)
}

// search finds the matching lines of a text. Early says that the turn has not come yet: any line then
// answers a question of whether there is one.
func (w *worker) search(f *found, data []byte, early bool) {
	*f = found{hits: f.hits[:0], lost: f.lost[:0], nul: -1, each: f.each, spans: f.spans}
	if w.Mode == Each {
		f.upTo = len(data)
		f.lost = w.tally.count(&f.each, data, f.lost)
		return
	}
	w.more(f, data)
	if early && w.Mode == Any && w.selected(f) > 0 {
		w.Run.found.Store(true)
	}
}

// selected returns how many lines of a text are selected, in modes that do not print them.
func (w *worker) selected(f *found) int64 {
	if w.Invert {
		return f.feeds - f.n
	}
	return f.n
}

// more searches on, until the list of lines is full or the text ends.
func (w *worker) more(f *found, data []byte) {
	from, feeds := f.upTo, w.numbered()
	f.hits, f.spans, f.picks, f.upTo = f.hits[:0], f.spans[:0], 0, len(data)
	end, before := from, f.n // of the hit before; matching lines before from
	base := from             // of the piece that is searched
	yield := func(at int) int {
		at += base
		start := lineStart(data, end, at)
		last := end
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i + 1
		} else {
			end = len(data)
		}
		f.n++
		switch {
		case w.stretches:
			if w.Invert {
				f.pick(last, start)
			} else {
				f.pick(start, end)
			}
			if len(f.hits) == w.hitsMax {
				f.upTo = end
				return -1
			}
		case w.joins && !f.apart && f.join(last, start, end, data, w.Before+w.After):
		case w.Mode == Print:
			h := hit{start: start, end: end}
			if feeds {
				f.feeds += int64(bytes.Count(data[last:start], feed))
				h.num = f.feeds
				f.feeds++
			}
			if w.wanted {
				w.addSpans(f, data[start:end], start)
				h.spans = len(f.spans)
			}
			f.hits = append(f.hits, h)
			if len(f.hits) == w.hitsMax {
				f.upTo = end
				return -1
			}
		case w.Mode == Any && !w.Invert:
			return -1
		}
		return end - base
	}
	for base < len(data) && f.upTo == len(data) {
		if base = w.skip(f, data, base); base == len(data) {
			break
		}
		piece := w.piece(f, data, base)
		w.matcher.lines(piece, yield)
		base += len(piece)
	}
	if w.joins && f.nul >= 0 && !f.apart {
		f.apart, f.upTo, f.n = true, from, before
		w.more(f, data)
		return
	}
	switch {
	case w.joins:
		f.picks = f.n - before
	case w.stretches && w.Invert:
		f.pick(end, f.upTo)
		f.picks = lines(data[from:f.upTo]) - (f.n - before)
	case w.stretches:
		f.picks = f.n - before
	case feeds:
		f.feeds += lines(data[end:f.upTo])
	case w.Invert && f.upTo == len(data):
		f.feeds = lines(data)
	}
}

// looksForZeros reports whether the first zero byte of a text matters and is not known.
func (w *worker) looksForZeros(f *found) bool { return w.Mode == Print && !w.Text && f.nul < 0 }

// skip returns where the first line begins, at from or later, that may match or hold a zero byte, if one pass over
// the text can tell. Where many lines match, the piece that is then searched twice is nearly all of it.
func (w *worker) skip(f *found, data []byte, from int) int {
	if w.rare == nil || !w.looksForZeros(f) {
		return from
	}
	n := w.rare.Clean(data[from:])
	if from+n == len(data) {
		return len(data)
	}
	return lineStart(data, from, from+n)
}

// pieceBytes is how much is searched for zero bytes, and then for lines, which come from the first cache then.
var pieceBytes = threshold.New("grep: bytes of lines searched twice", 32<<10, 1)

// piece returns the next whole lines to search, after looking for the first zero byte in them if it matters.
func (w *worker) piece(f *found, data []byte, from int) []byte {
	if !w.looksForZeros(f) {
		return data[from:]
	}
	to := len(data)
	if n := pieceBytes.Get(); to-from > n {
		if i := bytes.LastIndexByte(data[from:from+n], '\n'); i >= 0 {
			to = from + i + 1
		} else if i := bytes.IndexByte(data[from+n:], '\n'); i >= 0 {
			to = from + n + i + 1
		}
	}
	if i := bytes.IndexByte(data[from:to], 0); i >= 0 {
		f.nul = from + i
	}
	return data[from:to]
}

// addSpans adds the matches in a line that begins at index start.
func (w *worker) addSpans(f *found, line []byte, start int) {
	f.spans = w.spanner.spans(bytes.TrimSuffix(line, feed), f.spans)
	for _, part := range undecided(w.spanner) {
		f.lost = append(f.lost, [2]int{start + part[0], start + part[1]})
	}
}

// lineStart returns where the line begins in which index at lies; it begins at from or later.
func lineStart(data []byte, from, at int) int {
	const feeds, ones, highs = 0x0a0a0a0a0a0a0a0a, 0x0101010101010101, 0x8080808080808080
	for at-from >= 8 {
		x := binary.LittleEndian.Uint64(data[at-8:at]) ^ feeds
		if y := (x - ones) &^ x & highs; y != 0 {
			return at - 8 + lastFeed(data[at-8:at]) + 1
		}
		at -= 8
	}
	return from + lastFeed(data[from:at]) + 1
}

// lastFeed returns the index of the last line feed in a few bytes, -1 if there is none.
func lastFeed(b []byte) int {
	i := len(b) - 1
	for i >= 0 && b[i] != '\n' {
		i--
	}
	return i
}

var feed = []byte{'\n'}

// lines returns how many lines there are in whole lines, the last of which may lack its line feed.
func lines(data []byte) int64 {
	n := int64(bytes.Count(data, feed))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// commit adds what was found in a text to the answer, in its turn.
func (w *worker) commit(p *printer, f *found, t text) error {
	for _, r := range f.lost {
		w.pending(t.off, r)
	}
	switch w.Mode {
	case Each:
		w.tally.commit(&f.each)
		return nil
	case Print:
		return w.commitLines(p, f, t)
	}
	p.count += w.selected(f)
	if w.Max >= 0 && p.count >= w.Max || w.Mode == Any && p.count > 0 {
		p.done = true
		if w.Max >= 0 {
			p.count = min(p.count, w.Max)
		}
	}
	return nil
}

// commitLines prints the lines of a text.
func (w *worker) commitLines(p *printer, f *found, t text) error {
	p.begin(t)
	for from, num := 0, int64(0); ; {
		if p.nul < 0 && f.nul >= 0 {
			p.nul = t.off + int64(f.nul)
		}
		if err := p.pass(f, from, f.upTo, num, f.feeds); err != nil || p.done {
			return err
		}
		if f.upTo == len(t.data) {
			break
		}
		from, num = f.upTo, f.feeds
		w.more(f, t.data)
	}
	p.lines += f.feeds
	return p.finish()
}
