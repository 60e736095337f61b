package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// worker answers the questions for the records that begin in its blocks: those that begin
// behind a line feed in a block's own bytes, and the first one of the input.
type worker struct {
	*Run
	pass   *pass
	chunk  *fields.Chunk
	yield  func(scan.Hit) bool
	groups []*grouper
	batch
	counts
	clock clock
	block blockState
	only  *collecting // set while a block is gone through once more, for n-th records
}

// blockState is how far the worker has come with the block in hand. A block of a mapping may
// turn out to be unreadable in the middle, and is then searched again with fewer bytes; what
// was worked on before, from a copy, is not worked on again.
type blockState struct {
	off       int64
	end       int64        // of its own bytes, when it was begun
	state     fields.State // where it begins
	behind    fields.State // where the next one does
	cut       bool         // it was searched again with fewer bytes
	done      int64        // what begins before was worked on
	feeds     int64        // records that began in it and ended with a line feed of its own
	lines     int64        // line feeds in its own bytes; -1 where they were not counted
	handed    int64        // up to where others know the state that they begin in
	carry     *long        // the record that it begins within
	carried   bool         // that record ended here, and was worked on
	before    int64        // records that fit, of this worker, before the block
	keptKnown bool
	kept      int64 // records that fit before the block
	marks     []mark
	failed    bool // a malformed record ends the pass
	failedAt  int64
}

// counts is what is counted besides the answers.
type counts struct {
	fitting, empty, malformed      int64
	bytes                          int64 // of the records that were gone through, and of empty lines
	malformedLines, malformedBytes int64
	bad                            []int64 // by column that is parsed
	floats                         []bool  // the same: some of its numbers have an exponent
	large                          []bool  // the same: some of its integers have more digits than usual
}

func newWorker(r *Run) (*worker, error) {
	w := &worker{Run: r, pass: r.pass, chunk: new(fields.Chunk), block: blockState{off: -1}}
	w.batch.init(r)
	w.bad = make([]int64, len(r.numbers))
	w.floats, w.large = make([]bool, len(r.numbers)), make([]bool, len(r.numbers))
	if r.filter != nil {
		w.where = r.filter.Worker()
	}
	for _, a := range r.query.groups {
		g, err := newGrouper(r, a)
		w.groups = append(w.groups, g)
		if err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	return w, nil
}

func (w *worker) close() (err error) {
	for _, g := range w.groups {
		err = errors.Join(err, g.close())
	}
	return err
}

// Finish gives the worker back.
func (w *worker) Finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = append(w.idle, w)
}

// Search works on the records that begin in a block.
func (w *worker) Search(b engine.Block, yield func(scan.Hit) bool) {
	w.yield = yield
	if w.exposed { // some of the records in hand were counted, and nobody knows which
		w.exposed = false
		w.fail(fmt.Errorf("%s lost bytes near %d while they were being counted: did it shrink? try again, "+
			"or --engine pread", w.pass.file.Name, w.block.done))
		return
	}
	if b.Off == w.block.off {
		w.block.cut = true
	} else if !w.enter(b) {
		return
	}
	if w.carryOn(b) {
		w.work(b)
	}
	if w.block.failed || !w.pass.stop.Load() {
		w.leave(b)
	}
}

// enter begins a block. It returns false when the scan was stopped meanwhile.
func (w *worker) enter(b engine.Block) (ok bool) {
	p, end := w.pass, b.Off+int64(b.Len)
	s := blockState{off: b.Off, end: end, done: b.Off, cut: b.BrokeOff, lines: -1, handed: end, before: w.fitting,
		marks: w.block.marks[:0]}
	if p.states != nil {
		// What is before the first record is no part of a field.
		skip := int(min(max(p.begin-b.Off, 0), int64(b.Len)))
		text := b.Data[skip:b.Len]
		if state, known := p.states.Try(b.Off); known {
			s.state, s.lines, s.behind = w.walk(b.Off, text, state, skip > 0)
		} else {
			sum := w.sums.Summarize(text, w.Dialect.fields()) // while the blocks before are walked over
			if s.state, ok = p.states.Take(b.Off, p.stop); !ok {
				return false
			}
			if skip > 0 {
				s.state = fields.AtField
			}
			s.lines, s.behind = sum.Lines, sum.After(s.state)
		}
		s.lines += int64(bytes.Count(b.Data[:skip], []byte{'\n'}))
		p.states.Put(end, s.behind)
	}
	if p.carried != nil {
		if s.carry, ok = p.carried.Take(b.Off, p.stop); !ok {
			return false
		}
	}
	w.block = s
	return true
}

// walk goes over a block whose state was there when it began, which takes half of what a summary
// of it for every state takes. With first the text begins behind what is before the records.
func (w *worker) walk(off int64, text []byte, state fields.State, first bool) (
	begin fields.State, lines int64, behind fields.State) {
	walked := false
	defer func() {
		if !walked { // the mapping faults, and the block comes once more
			w.pass.states.Put(off, state)
		}
	}()
	begin = state
	if first {
		begin = fields.AtField
	}
	over := w.sums.Func(text, w.Dialect.fields(), begin)
	walked = true
	return begin, over.Lines, over.After
}

// carryOn goes on with the record of a stream that the block begins within. It returns
// false where that does not end in the block, in which no other can begin then.
func (w *worker) carryOn(b engine.Block) (ended bool) {
	s := &w.block
	if s.carry == nil || s.carried {
		return true
	}
	end := b.Off + int64(b.Len)
	_, ended = s.carry.feed(b.Data[:b.Len])
	if w.tooLong(s.carry, false) {
		return false
	}
	last := !ended && !s.cut && len(b.Data) == b.Len // context is missing: the input ends here
	if ended || last {
		s.carried = true
		w.one(s.carry)
	}
	if last {
		w.pass.carried.Put(end, nil)
	} else if !ended {
		s.carry.behind = s.carry.lines
		w.pass.carried.Put(end, s.carry)
	}
	return ended
}

// begin returns where the first record that begins in the block does, -1 where none does. The
// first record of the input may begin behind the block, where that does not hold all of a
// byte-order mark.
func (w *worker) begin(b engine.Block) int {
	p := w.pass
	first := int(max(min(p.begin-b.Off, math.MaxInt32), 0)) // where the first record begins, or what follows
	switch {
	case b.Off == p.span.Off && !w.Dialect.Header:
		return first
	case first > b.Len:
		return -1
	case first > 0 && w.Dialect.Header: // behind the line feed of the header, which is in the block
		return first
	}
	if feed := w.feed(b.Data[:b.Len], first, w.block.state); feed >= 0 {
		return feed + 1
	}
	return -1
}

// feed returns the first line feed at or behind from that ends a record, -1 where there is
// none. The state is that at from.
func (w *worker) feed(text []byte, from int, s fields.State) int {
	d := w.Dialect.fields()
	if !d.Quoted {
		if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
			return from + i
		}
		return -1
	}
	for i, c := range text[from:] {
		if s, _ = d.Next(s, c); s == fields.AtField && c == '\n' {
			return from + i
		}
	}
	return -1
}

// work works on the records that begin in the block, chunk by chunk.
func (w *worker) work(b engine.Block) {
	s := &w.block
	from := w.begin(b)
	if from > b.Len {
		w.behind(b, from)
		return
	}
	open, final := false, false
	end := -1
	if from >= 0 {
		end = w.feed(b.Data, b.Len, s.behind) + 1
		if end == 0 {
			end = len(b.Data)
			// The context of a file may be short because what is behind cannot be read, and that of
			// a slow stream because it has not come: but only the last block of a stream has none.
			final = !s.cut && (w.pass.stream && end == b.Len ||
				!w.pass.stream && b.Off+int64(end) >= w.pass.span.End)
			open = !s.cut && !final
		}
	}
	if w.pass.carried != nil && !open && w.only == nil {
		w.pass.carried.Put(b.Off+int64(b.Len), nil)
	}
	pos := max(from, int(s.done-b.Off))
	for pos < end && !s.failed && !w.pass.stop.Load() {
		n := w.wholeRecords(b, pos, end, final)
		if n == 0 {
			n = w.long(b, pos, end, open)
		}
		pos += n
		s.done = b.Off + int64(pos)
	}
}

// behind works on a first record that begins behind the first block, which does not hold all
// of a byte-order mark.
func (w *worker) behind(b engine.Block, from int) {
	l := w.newLong(b.Off + int64(from))
	if w.pass.carried == nil {
		if w.block.done == b.Off && w.readOn(l, l.off) {
			w.block.done++
			w.one(l)
		}
	} else if w.only == nil {
		l.skip = from - b.Len
		w.pass.carried.Put(b.Off+int64(b.Len), l)
	}
}

// long works on a record that is longer than a chunk, or ends behind the block's context. It
// returns how many bytes of the block were looked at.
func (w *worker) long(b engine.Block, pos, end int, open bool) int {
	l := w.newLong(b.Off + int64(pos))
	used, ended := l.feed(b.Data[pos:end])
	if w.tooLong(l, false) {
		return end - pos
	}
	switch {
	case ended:
		w.one(l)
		return used
	case w.block.cut: // the rest of it cannot be read
	case !open:
		w.one(l)
	case w.pass.carried == nil:
		if w.readOn(l, b.Off+int64(end)) {
			w.one(l)
		}
	case w.only == nil: // the blocks to come go on with it
		l = w.newLong(b.Off + int64(pos))
		l.feed(b.Data[pos:b.Len])
		l.behind = l.lines
		w.pass.carried.Put(b.Off+int64(b.Len), l)
	}
	return end - pos
}

// readOnBytes is how much of a long record is read at a time.
var readOnBytes = threshold.New("table: bytes read on of a long record", 1<<20, 1)

// readOn reads a record to its end, from an offset on. It returns false where that cannot
// be read, or the scan was stopped.
func (w *worker) readOn(l *long, off int64) bool {
	buf, step := make([]byte, readOnBytes.Get()), int64(readOnBytes.Get())
	for off < w.pass.span.End {
		if w.pass.stop.Load() {
			return false
		}
		part := buf[:min(step, w.pass.span.End-off)]
		n, err := w.pass.file.ReadAt(part, off)
		if _, ended := l.feed(part[:n]); ended {
			return true
		}
		if w.tooLong(l, false) {
			return false
		}
		off += int64(n)
		if err == nil || off >= w.pass.span.End {
			continue
		}
		// Try less, down to a page. Other blocks read the bytes behind that page themselves.
		page := min(unreadBytes-off%unreadBytes, w.pass.span.End-off)
		if len(part)-n > int(page) && !errors.Is(err, io.EOF) {
			step = max(int64(len(part)-n)/2, page)
			continue
		}
		w.pass.lost(w.unread(off, page, err))
		return false
	}
	return true
}

// unreadBytes is what one failed read gives up, as the engine that reads does.
const unreadBytes = 4 << 10

// unread names what could not be read on. Behind its end a file has nothing to be read.
func (w *worker) unread(off, page int64, err error) engine.UnreadError {
	var reason *fs.PathError
	if errors.As(err, &reason) {
		err = reason.Err
	}
	if errors.Is(err, io.EOF) {
		return engine.UnreadError{Name: w.pass.file.Name, Off: off, Len: w.pass.span.End - off, Err: engine.ErrEnded}
	}
	return engine.UnreadError{Name: w.pass.file.Name, Off: off, Len: page, Err: err}
}

// leave ends a block: what it told besides the answers goes to the sums, and n-th records
// are looked for, once it is known how many were before.
func (w *worker) leave(b engine.Block) {
	s, p := &w.block, w.pass
	end := b.Off + int64(b.Len)
	if p.kept != nil && !s.failed && !w.collect(b) {
		return
	}
	total := sum{lines: s.lines, marks: make([]mark, 0, len(s.marks))}
	if total.lines < 0 {
		total.lines = w.lines(b)
	}
	for _, m := range s.marks {
		if m.off >= b.Off {
			m.line = int64(bytes.Count(b.Data[:m.off-b.Off], []byte{'\n'}))
		}
		total.marks = append(total.marks, m)
	}
	p.sums.Add(source.Range{Off: b.Off, End: end}, total)
}

// lines returns how many line feeds the block's own bytes hold, where none is inside quotes:
// one for each record that began and ended in it, and those before its first record.
func (w *worker) lines(b engine.Block) int64 {
	from := w.begin(b)
	if from < 0 || w.block.cut {
		from = b.Len
		w.block.feeds = 0
	}
	return int64(bytes.Count(b.Data[:min(from, b.Len)], []byte{'\n'})) + w.block.feeds
}

// Miss takes note that a range cannot be read: it is taken to change no state, and to hold no
// record.
func (w *worker) Miss(u engine.UnreadError) {
	p, end := w.pass, u.Off+u.Len
	if u.Len == 0 {
		return // a stream that broke off: nothing follows
	}
	if p.states != nil && end > w.block.handed {
		if state, ok := p.states.Take(max(u.Off, w.block.handed), p.stop); ok {
			p.states.Put(end, state)
		}
	}
	if p.kept != nil {
		if kept, ok := p.kept.Take(u.Off, p.stop, &p.collected); ok {
			p.kept.Put(end, kept)
		}
	}
	p.sums.Add(source.Range{Off: u.Off, End: end}, sum{})
}
