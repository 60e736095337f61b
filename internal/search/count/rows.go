package count

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/kernel/rows"
	"github.com/thresh-dev/thresh/internal/scan"
)

// Rows returns a counter of the records of quoted CSV, as RFC 4180 defines and package table
// reads them: a line feed inside a quoted field does not end a record. A quoted field begins
// with a quote; a quote elsewhere is misplaced and opens nothing. A last record without a line
// feed counts, and so does an empty line. Unreadable bytes are assumed not to change the state.
func Rows(delim byte) *Counter {
	best := rows.Best()
	d := fields.Dialect{Delim: delim, Quote: '"', Quoted: true}
	return &Counter{
		Traits: scan.Traits{Kernel: fmt.Sprintf("rows %v", best.ISA), SkipHoles: true, Text: true},
		speed:  func(b []byte) { best.Summarize(b, d) },
		begin: func(r *Run) func() partial {
			order, first := scan.NewOrder[rows.Summary](), &firstBytes{begin: r.span.Off}
			return func() partial { return &records{kernel: best, dialect: d, first: first, order: order} }
		},
		finish: func(r *Result) {
			if r.rows == nil {
				return
			}
			t := r.rows
			first := t.first.text(r.last.end)
			whole := t.kernel.Summarize(first, d)
			for _, s := range t.order.Stretches() {
				whole = whole.Then(s)
			}
			r.Count = whole.Feeds(fields.AtField)
			if len(first) == 0 && r.last.end == t.first.begin+int64(len(byteOrderMark)) {
				return // nothing but the mark, as table reads it
			}
			if r.last.end > 0 && (r.last.value != '\n' || whole.After(fields.AtField) == fields.InQuotes) {
				r.Count++
			}
		},
	}
}

// records summarizes blocks. The summaries of all workers go into one order.
type records struct {
	kernel  rows.Kernel
	dialect fields.Dialect
	first   *firstBytes
	order   *scan.Order[rows.Summary]
	last    lastByte
}

func (t *records) add(b engine.Block) {
	last := lastOf(b)
	own := b.Data[:b.Len]
	s := t.kernel.Summarize(own[t.first.see(b.Off, own):], t.dialect)
	t.order.Add(source.Range{Off: b.Off, End: last.end}, s)
	t.last.see(last)
}

// hole adds zero bytes. One zero byte has the same summary as many.
func (t *records) hole(r source.Range) {
	t.order.Add(r, t.kernel.Summarize([]byte{0}, t.dialect))
	t.last.see(lastByte{end: r.End})
}

func (t *records) sum(into *Result) error {
	into.rows = t
	into.last.see(t.last)
	return nil
}

const byteOrderMark = "\xef\xbb\xbf"

// firstBytes collects the bytes that may be a byte-order mark, which does not belong to the first
// field. They may come in several blocks, so they are summarized at the end.
type firstBytes struct {
	begin int64
	mu    sync.Mutex
	bytes [len(byteOrderMark)]byte
}

// see stores those bytes of b, a block at off, that belong to the first bytes, and returns how
// many there are.
func (f *firstBytes) see(off int64, b []byte) int {
	at := off - f.begin
	if at >= int64(len(f.bytes)) {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return copy(f.bytes[at:], b)
}

// text returns the first bytes without the mark. The input ends at end.
func (f *firstBytes) text(end int64) []byte {
	b := f.bytes[:min(int64(len(f.bytes)), max(0, end-f.begin))]
	return bytes.TrimPrefix(b, []byte(byteOrderMark))
}
