package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/batch"
	"github.com/thresh-dev/thresh/internal/table/ndjson"
	"github.com/thresh-dev/thresh/internal/table/notation"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/split"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// worker answers the questions for the records that begin in its blocks: records that begin
// after a line feed in a block's own bytes, and the first record of the input.
type worker struct {
	run       *Run
	query     *query.Query // of run
	pass      *pass
	chunk     *fields.Chunk
	yield     func(answer.Hit) bool
	operators []operator
	batch.Batch
	chunking
	totals
	clock  clock
	block  blockState
	probes []*probe    // by join
	only   *collecting // set during the second pass over a block, which collects n-th records
	dead   bool        // the worker has ended the run with an error; its groups may be half written, and stay as they are

	json  *ndjson.Locator // of lines of JSON; nil for delimited text
	split *split.Splitter // of lines that are split; nil for others

	notation *notation.Notation // of numbers; nil for plain ones

	rejects     rejecting
	formatted   formatted // of a Select
	bounds      bounds
	output      []records.Column // the columns that are printed
	raw         []records.Column // the same, those in the input as they are written, if JSON is printed as JSON; else nil
	asWritten   bool             // the format leaves records as they are written, see isPlain
	lean        []int            // the columns that are needed besides when records are printed as they are written
	leanColumns []records.Column
}

// blockState is the worker's progress in the current block. A block of a mapping may turn out to
// be unreadable in the middle. It is then searched again with fewer bytes, and records that were
// already processed, from a copy, are not processed again.
type blockState struct {
	off           int64
	end           int64        // end of the block's own bytes, when the block was begun
	state         fields.State // at the start of the block
	after         fields.State // at the start of the next block
	cut           bool         // the block was searched again with fewer bytes
	done          int64        // records that begin before this offset were processed
	feeds         int64        // records that began in the block and ended with one of its line feeds
	lines         int64        // line feeds in the block's own bytes; -1 if not counted
	handedTo      int64        // the state was handed on to the block at this offset
	carry         *longRecord  // the record that continues from the blocks before; nil for none
	carried       bool         // carry ended in this block and was processed
	workerFitting int64        // matching records of this worker before the block
	fittingKnown  bool
	fittingBefore int64 // matching records of the input before the block, if known
	marks         []mark
	failed        bool // a malformed record ends the pass
	failedAt      int64

	turn   *printer // it is this block's turn to print records
	exact  bool     // the worker prints as it goes on, and reads no further than the limit
	again  bool     // the block is processed again, because the limit is reached in it
	enough bool     // the rest of the block is not processed
	before totals   // of the worker, before the block
}

func newWorker(r *Run) (*worker, error) {
	w := &worker{run: r, query: r.query, chunk: new(fields.Chunk)}
	w.beginBatches(r)
	w.take(r.pass)
	w.beginProbes(r)
	w.where, w.scopes, w.comparisons = filtersOf(r.query)
	if r.query.SQL {
		w.comparedBad = w.comparesBad
	}
	if r.query.Dialect.JSON {
		w.json = ndjson.New(r.query.First.Paths, r.query.InFile())
	}
	if r.query.Printed != nil {
		if err := w.beginFormat(r); err != nil {
			return nil, err
		}
	}
	if r.query.Sorted != nil {
		s, err := r.newSorter()
		if err != nil {
			return nil, err
		}
		w.operators = append(w.operators, s)
	}
	if r.query.Profiled != nil {
		w.operators = append(w.operators, &profiler{columns: make([]profiled, r.query.Profiled.Columns)})
	}
	for _, a := range r.samples {
		w.operators = append(w.operators, &sampler{of: a})
	}
	for _, a := range r.query.Groups {
		g, err := newGrouper(r, a)
		w.operators = append(w.operators, g)
		if err != nil {
			return nil, errors.Join(err, w.close())
		}
	}
	return w, nil
}

func (w *worker) close() (err error) {
	err = w.rejects.close()
	for _, o := range w.operators {
		err = errors.Join(err, o.Close())
	}
	return err
}

// take has the worker search the blocks of an input next; nil for none.
func (w *worker) take(p *pass) {
	w.split = w.run.splitter(p)
	if w.pass, w.block.off = p, -1; p != nil {
		w.Batch.Input = p.number
	}
}

// fail ends the run with an error. The worker does nothing more, not even in this chunk: what failed may have left its
// groups in a state that means nothing.
func (w *worker) fail(err error) {
	w.dead = true
	w.run.fail(err)
}

// Finish makes the worker available for reuse.
func (w *worker) Finish() {
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	w.run.idle = append(w.run.idle, w)
}

// Search processes the records that begin in a block.
func (w *worker) Search(b engine.Block, yield func(answer.Hit) bool) {
	if w.dead {
		return
	}
	w.yield = yield
	if w.exposed { // some records of the batch were counted before the fault, and it is unknown which
		w.exposed = false
		w.fail(fmt.Errorf("%s lost bytes near %d while they were being counted: did it shrink? try again, "+
			"or Run.Engine pread", w.pass.file.Name, w.block.done))
		return
	}
	if b.Off == w.block.off {
		w.block.cut = true
	} else if !w.enter(b) {
		return
	}
	if w.continueRecord(b) {
		w.work(b)
	}
	if w.block.failed || !w.pass.stop.Load() {
		w.leave(b)
	}
}

// enter begins a block. It returns false if the scan was stopped meanwhile.
func (w *worker) enter(b engine.Block) (ok bool) {
	p, end := w.pass, b.Off+int64(b.Len)
	s := blockState{off: b.Off, end: end, done: b.Off, cut: b.BrokeOff, lines: -1, handedTo: end, workerFitting: w.fitting,
		marks: w.block.marks[:0], before: w.totals}
	w.formatted.reset()
	if p.states != nil {
		// The bytes before the first record are not part of any field.
		skip := int(min(max(p.begin-b.Off, 0), int64(b.Len)))
		text := b.Data[skip:b.Len]
		if state, known := p.states.Try(b.Off); known {
			s.state, s.lines, s.after = w.walk(b.Off, text, state, skip > 0)
		} else {
			sum := w.run.quotes.Summarize(text, w.query.Dialect.Fields()) // other workers walk over the blocks before meanwhile
			if s.state, ok = p.states.Take(b.Off, p.stop); !ok {
				return false
			}
			if skip > 0 {
				s.state = fields.AtField
			}
			s.lines, s.after = sum.Lines, sum.After(s.state)
		}
		s.lines += int64(bytes.Count(b.Data[:skip], []byte{'\n'}))
		p.states.Put(end, s.after)
	}
	if p.carried != nil {
		if s.carry, ok = p.carried.Take(b.Off, p.stop); !ok {
			return false
		}
	}
	w.block = s
	return true
}

// walk walks over a block whose state is already known. That takes half the time of a summary
// for every state. first is true if text begins at the first record of the input.
func (w *worker) walk(off int64, text []byte, state fields.State, first bool) (
	begin fields.State, lines int64, behind fields.State) {
	walked := false
	defer func() {
		if !walked { // the mapping faulted: the block will be searched again
			w.pass.states.Put(off, state)
		}
	}()
	begin = state
	if first {
		begin = fields.AtField
	}
	over := w.run.quotes.Func(text, w.query.Dialect.Fields(), begin)
	walked = true
	return begin, over.Lines, over.After
}

// continueRecord processes the record of a stream that continues from the block before, if there
// is one. It returns false if that record does not end in this block: then no other record
// begins in it.
func (w *worker) continueRecord(b engine.Block) (ended bool) {
	s := &w.block
	if s.carry == nil || s.carried {
		return true
	}
	end := b.Off + int64(b.Len)
	_, ended = s.carry.feed(b.Data[:b.Len])
	if w.tooLong(s.carry, false) {
		return false
	}
	last := !ended && !s.cut && len(b.Data) == b.Len // no context: the input ends here
	if ended || last {
		s.carried = true
		w.finishLong(s.carry)
	}
	if last {
		w.pass.carried.Put(end, nil)
	} else if !ended {
		s.carry.linesBefore = s.carry.lines
		w.pass.carried.Put(end, s.carry)
	}
	return ended
}

// begin returns the offset in the block of the first record that begins there, or -1 if none
// does. The first record of the input may begin after the block, if the block ends within the
// byte-order mark.
func (w *worker) begin(b engine.Block) int {
	p := w.pass
	first := int(max(min(p.begin-b.Off, math.MaxInt32), 0)) // the first record of the input, or 0
	switch {
	case b.Off == p.span.Off && !p.afterFeed:
		return first
	case first > b.Len:
		return -1
	case first > 0 && p.afterFeed: // its line feed is in the block, right before
		return first
	}
	if feed := w.feed(b.Data[:b.Len], first, w.block.state); feed >= 0 {
		return feed + 1
	}
	return -1
}

// feed returns the index of the first line feed that ends a record, at or after from, or -1 if
// there is none. s is the state at from.
func (w *worker) feed(text []byte, from int, s fields.State) int {
	d := w.query.Dialect.Fields()
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

// work processes the records that begin in the block, chunk by chunk.
func (w *worker) work(b engine.Block) {
	s := &w.block
	from := w.begin(b)
	if from > b.Len {
		w.firstAfterBlock(b, from)
		return
	}
	open, final := false, false
	end := -1
	if from >= 0 {
		end = w.feed(b.Data, b.Len, s.after) + 1
		if end == 0 {
			end = len(b.Data)
			// The context of a file may be short because the bytes after it are unreadable, and that
			// of a slow stream because the bytes have not arrived. But only the last block of a
			// stream has no context at all.
			final = !s.cut && (w.pass.stream && end == b.Len ||
				!w.pass.stream && b.Off+int64(end) >= w.pass.span.End)
			open = !s.cut && !final
		}
	}
	if w.pass.carried != nil && !open && !w.second() {
		w.pass.carried.Put(b.Off+int64(b.Len), nil)
	}
	pos := max(from, int(s.done-b.Off))
	for pos < end && !s.failed && !s.enough && !w.pass.stop.Load() {
		n := w.wholeRecords(b, pos, end, final)
		if n == 0 {
			n = w.long(b, pos, end, open)
		}
		pos += n
		s.done = b.Off + int64(pos)
	}
}

// firstAfterBlock processes the first record of the input if it begins after the first block,
// because that block ends within the byte-order mark.
func (w *worker) firstAfterBlock(b engine.Block, from int) {
	l := w.newLong(b.Off + int64(from))
	if w.pass.carried == nil {
		if w.block.done == b.Off && w.readOn(l, l.off) {
			w.block.done++
			w.finishLong(l)
		}
	} else if !w.second() {
		l.skip = from - b.Len
		w.pass.carried.Put(b.Off+int64(b.Len), l)
	}
}

// long processes a record that is longer than a chunk, or ends after the block's context. It
// returns how many bytes of the block it consumed.
func (w *worker) long(b engine.Block, pos, end int, open bool) int {
	l := w.newLong(b.Off + int64(pos))
	used, ended := l.feed(b.Data[pos:end])
	if w.tooLong(l, false) {
		return end - pos
	}
	switch {
	case ended:
		w.finishLong(l)
		return used
	case w.block.cut: // the rest of the record is unreadable
	case !open:
		w.finishLong(l)
	case w.pass.carried == nil:
		if w.readOn(l, b.Off+int64(end)) {
			w.finishLong(l)
		}
	case !w.second(): // the record continues in the next block
		l = w.newLong(b.Off + int64(pos))
		l.feed(b.Data[pos:b.Len])
		l.linesBefore = l.lines
		w.pass.carried.Put(b.Off+int64(b.Len), l)
	}
	return end - pos
}

// readOnBytes is the size of a read when a long record is read to its end.
var readOnBytes = threshold.New("table: bytes read on of a long record", 1<<20, 1)

// readOn reads a record from an offset to its end. It returns false if a read fails or the scan
// was stopped.
func (w *worker) readOn(l *longRecord, off int64) bool {
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
		// Try smaller reads, down to a page. The bytes after that page belong to other blocks,
		// which read them themselves.
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

// second reports whether the current block is processed a second time. What the next block needs was handed on.
func (w *worker) second() bool { return w.only != nil || w.block.again }

// unreadBytes is how many bytes are given up after a failed read, the same as in engine pread.
const unreadBytes = 4 << 10

// unread describes a range that could not be read. At io.EOF the file has become shorter, and the
// whole rest is lost.
func (w *worker) unread(off, page int64, err error) failure.UnreadError {
	var reason *fs.PathError
	if errors.As(err, &reason) {
		err = reason.Err
	}
	if errors.Is(err, io.EOF) {
		return failure.UnreadError{Name: w.pass.file.Name, Off: off, Len: w.pass.span.End - off, Err: failure.ErrEnded}
	}
	return failure.UnreadError{Name: w.pass.file.Name, Off: off, Len: page, Err: err}
}

// leave ends a block. It collects the n-th records, once it knows how many matching records
// came before the block, and hands in the block's partial result.
func (w *worker) leave(b engine.Block) {
	s, p := &w.block, w.pass
	end := b.Off + int64(b.Len)
	if p.fitting != nil && !s.failed && !w.collect(b) {
		return
	}
	if p.turns != nil && !w.printBlock(b) {
		return
	}
	total := partial{lines: s.lines, marks: make([]mark, 0, len(s.marks))}
	if total.lines < 0 {
		total.lines = w.lines(b)
	}
	for _, m := range s.marks {
		if m.off >= b.Off {
			m.line = int64(bytes.Count(b.Data[:m.off-b.Off], []byte{'\n'}))
		}
		total.marks = append(total.marks, m)
	}
	p.partials.Add(source.Range{Off: b.Off, End: end}, total)
}

// lines returns the number of line feeds in the block's own bytes, for tables without quotes:
// one for each record that began and ended in the block, and those before its first record.
func (w *worker) lines(b engine.Block) int64 {
	from := w.begin(b)
	if from < 0 || w.block.cut {
		from = b.Len
		w.block.feeds = 0
	}
	return int64(bytes.Count(b.Data[:min(from, b.Len)], []byte{'\n'})) + w.block.feeds
}

// Miss handles an unreadable range. It assumes that the range does not change the state and holds
// no records.
func (w *worker) Miss(u failure.UnreadError) {
	p, end := w.pass, u.Off+u.Len
	if u.Len == 0 {
		return // a stream that broke off: no bytes follow
	}
	if p.states != nil && end > w.block.handedTo {
		if state, ok := p.states.Take(max(u.Off, w.block.handedTo), p.stop); ok {
			p.states.Put(end, state)
		}
	}
	if p.fitting != nil {
		if kept, ok := p.fitting.Take(u.Off, p.stop, &p.collected); ok {
			p.fitting.Put(end, kept)
		}
	}
	if p.turns != nil {
		w.missTurn(u)
	}
	p.partials.Add(source.Range{Off: u.Off, End: end}, partial{})
}
