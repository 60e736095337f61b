package table

import (
	"encoding/binary"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/table/order"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/row"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// Records are printed in file order. Each worker formats the records of its block, in parallel with the
// others, and waits for its turn to print them: the printer goes from block to block. A worker that has
// formatted much waits for its turn within the block, and then prints as it goes on.
//
// A limit must not depend on how the input is cut, nor may what is reported about the records up to it. So if
// the limit is reached in a block, its worker forgets what it has counted and formatted, and processes the
// block again, in batches that are never longer than the number of records that are still to be printed.

// printedBytes is the most that a worker formats before it waits for its turn.
var printedBytes = threshold.New("table: bytes of formatted records that wait", 4<<20, 1)

// printer prints records. It belongs to the worker whose turn it is.
type printer struct {
	answer  *query.SelectPlan
	out     answer.Writer
	begun   bool
	ended   bool
	printed int64  // with those that are skipped
	totals  totals // of the blocks that were printed, if there is a limit
	cells   []answer.Cell
	err     error // the first error: nothing is printed after it, which would leave a gap
	took    time.Duration
}

// Printing returns how long printing records took. No worker may be at work.
func (r *Run) Printing() time.Duration {
	if r.printer == nil {
		return 0
	}
	return r.printer.took
}

// begin begins the answer.
func (p *printer) begin() error {
	if p.begun {
		return nil
	}
	p.begun = true
	return p.out.Begin(p.answer.Title, p.answer.Heading)
}

// end ends the answer. It may be called again.
func (p *printer) end() error {
	if p.ended {
		return nil
	}
	p.ended = true
	if err := p.begin(); err != nil {
		return err
	}
	return p.out.End(nil)
}

// full reports whether the limit is reached.
func (p *printer) full() bool { return p.answer.Most > 0 && p.printed >= p.answer.Most }

// ends reports whether the limit is reached with the next n records.
func (p *printer) ends(n int64) bool { return p.answer.Most > 0 && p.printed+n >= p.answer.Most }

// starts reports whether some of the next n records are skipped, and others are printed.
func (p *printer) starts(n int64) bool {
	return p.printed < p.answer.Skip && p.printed+n > p.answer.Skip
}

// print prints the formatted records of a worker.
func (p *printer) print(f *formatted) error {
	if p.err == nil {
		began := time.Now()
		p.err = p.write(f)
		p.took += time.Since(began)
	}
	return p.err
}

func (p *printer) write(f *formatted) error {
	if err := p.begin(); err != nil || f.n == 0 {
		return err
	}
	p.printed += f.n
	if p.printed <= p.answer.Skip { // none of them is printed, see quota
		return nil
	}
	return p.writeRows(f)
}

// writeRows writes formatted records.
func (p *printer) writeRows(f *formatted) error {
	if _, packed := f.format.(packedRows); !packed {
		return p.out.(row.Formatter).Rows(f.text)
	}
	for rest := f.text; len(rest) > 0; {
		p.cells = p.cells[:0]
		for range p.answer.Columns {
			var cell answer.Cell
			cell, rest = unpackCell(rest)
			p.cells = append(p.cells, cell)
		}
		if err := p.out.Row(p.cells); err != nil {
			return err
		}
	}
	return nil
}

// packedRows is the format of rows for an Output that takes them as cells: each text after its length.
type packedRows struct{}

func (packedRows) Append(dst []byte, fields [][]byte) ([]byte, error) {
	for _, text := range fields {
		if text == nil {
			dst = append(dst, 0)
			continue
		}
		dst = append(binary.AppendUvarint(dst, uint64(len(text))+1), text...)
	}
	return dst, nil
}

func (packedRows) KeepsJSON() bool { return false }

func (packedRows) AsWritten(byte, byte) bool { return false }

func unpackCell(b []byte) (cell answer.Cell, rest []byte) {
	n, size := binary.Uvarint(b)
	if n == 0 {
		return answer.Cell{Null: true}, b[size:]
	}
	end := size + int(n) - 1
	return answer.Cell{Text: b[size:end:end]}, b[end:]
}

// Stream sets where the records of a Select go while the inputs are read. It must be called before Input.
func (r *Run) Stream(out answer.Writer) { r.out = out }

// Enough reports whether no further record matters, because the limit of a Select is reached.
func (r *Run) Enough() bool { return r.query != nil && r.query.Streams() && r.printer.full() }

// writeSelected ends the answer: the records have been printed.
func (r *Run) writeSelected(out answer.Writer) error {
	if r.printer.out == nil { // no record was read
		r.printer.out = out
	}
	return r.printer.end()
}

// formatted is what a worker has formatted and not yet printed.
type formatted struct {
	format row.Format
	text   []byte
	n      int64 // records
	fields [][]byte
}

func (f *formatted) reset() { f.text, f.n = f.text[:0], 0 }

// formatOf returns a format of rows for one worker.
func formatOf(heading []answer.Column, out answer.Writer) row.Format {
	if f, ok := out.(row.Formatter); ok {
		if format := f.Format(heading); format != nil {
			return format
		}
	}
	return packedRows{}
}

// takeTurn waits until the blocks before the current one are printed. It returns false if the scan was stopped
// meanwhile.
func (w *worker) takeTurn() (ok bool) {
	s := &w.block
	if s.turn == nil {
		s.turn, _ = w.pass.turns.Take(s.off, w.pass.stop)
	}
	return s.turn != nil
}

// printMuch prints what the worker has formatted if that is much, or if it reaches the limit.
func (w *worker) printMuch() {
	f, s := &w.formatted, &w.block
	switch {
	case w.pass.turns == nil: // only the speed is of interest
		f.reset()
	case s.exact:
		if s.turn.answer.Counts() || len(f.text) >= w.run.much() {
			w.print()
			s.enough = s.turn.full()
		}
	case len(f.text) >= w.run.much() && w.takeTurn():
		switch p := s.turn; {
		case p.ends(f.n):
			s.enough = true // and the rest of the block is not needed
		case p.starts(f.n): // the block goes on to its end, which hands on what the next block needs
		default:
			s.exact = true
			w.print()
		}
	}
}

// limitWithin reports whether only a part of the records that are formatted may be printed. Then the block is to be
// processed again.
func (w *worker) limitWithin() bool {
	p, n := w.block.turn, w.formatted.n
	return !w.block.exact && (p.ends(n) || p.starts(n))
}

// print prints what the worker has formatted. It is the worker's turn.
func (w *worker) print() {
	if err := w.block.turn.print(&w.formatted); err != nil {
		w.fail(err)
	}
	w.formatted.reset()
}

// quota returns how many of n records may be processed at once: no more than are to be skipped or the limit leaves,
// once the worker prints as it goes on.
func (w *worker) quota(n int) int {
	s := &w.block
	if !s.exact {
		return n
	}
	a, printed := s.turn.answer, s.turn.printed
	switch {
	case printed < a.Skip:
		return int(min(int64(n), a.Skip-printed))
	case a.Most > 0:
		return int(min(int64(n), a.Most-printed))
	}
	return n
}

// printBlock prints the records of a block when its turn has come, and lets the next block print. It returns
// false if the block is not to be counted, because the scan was stopped.
func (w *worker) printBlock(b engine.Block) (ok bool) {
	if !w.takeTurn() {
		return false
	}
	s, p := &w.block, w.block.turn
	if w.limitWithin() {
		w.processAgain(b)
	}
	w.print()
	if p.answer.Most > 0 {
		p.totals.merge(w.totals.since(s.before))
	}
	s.turn = nil
	switch {
	case s.failed:
	case p.full():
		w.run.enough = order.AppendPlace(nil, w.pass.number, s.done)
		w.pass.stop.Store(true)
	default:
		w.pass.turns.Put(b.Off+int64(b.Len), p)
	}
	return true
}

// processAgain processes the block from its beginning, up to the limit.
func (w *worker) processAgain(b engine.Block) {
	s := &w.block
	w.formatted.reset()
	w.totals = s.before
	s.exact, s.again, s.enough, s.failed = true, true, false, false
	s.done, s.feeds, s.marks = b.Off, 0, s.marks[:0]
	if s.carried {
		w.finishLong(s.carry)
	}
	w.work(b)
}

// missTurn passes the turn on over a range that cannot be read.
func (w *worker) missTurn(u failure.UnreadError) {
	if p, ok := w.pass.turns.Take(u.Off, w.pass.stop); ok {
		w.pass.turns.Put(u.Off+u.Len, p)
	}
}

// totals are the counters that are reported about records.
type totals struct {
	fitting, empty, malformed      int64
	bytes                          int64 // of processed records and empty lines
	malformedLines, malformedBytes int64
}

func (t *totals) merge(o totals) {
	t.fitting += o.fitting
	t.empty += o.empty
	t.malformed += o.malformed
	t.bytes += o.bytes
	t.malformedLines += o.malformedLines
	t.malformedBytes += o.malformedBytes
}

// since returns what was counted after an earlier state.
func (t totals) since(before totals) totals {
	return totals{t.fitting - before.fitting, t.empty - before.empty, t.malformed - before.malformed,
		t.bytes - before.bytes, t.malformedLines - before.malformedLines, t.malformedBytes - before.malformedBytes}
}
