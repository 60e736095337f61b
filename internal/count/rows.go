package count

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/rows"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/source"
)

// Rows returns the counter of the records of quoted CSV, as RFC 4180 has them: a line feed
// inside quotes does not end a record, and a doubled quote leaves and enters them again. A
// last record without line feed counts. What cannot be read is taken to hold no quotes.
func Rows() *Counter {
	best := rows.Best()
	return &Counter{
		Traits: scan.Traits{Kernel: fmt.Sprintf("rows %v", best.ISA), SkipHoles: true, Text: true},
		speed:  func(b []byte) { best.Summarize(b, '"') },
		begin: func(*Run) func() tally {
			order := scan.NewOrder[rows.Summary]()
			return func() tally { return &records{kernel: best, order: order} }
		},
		finish: func(r *Result) {
			var whole rows.Summary
			if r.rows != nil {
				for _, s := range r.rows.Stretches() {
					whole = whole.Then(s)
				}
			}
			r.Count = whole.Feeds
			if r.last.end > 0 && (r.last.value != '\n' || whole.Odd) {
				r.Count++
			}
		},
	}
}

// records sums up blocks. The sums of all workers go into one order.
type records struct {
	kernel rows.Kernel
	order  *scan.Order[rows.Summary]
	last   lastByte
}

func (t *records) add(b engine.Block) {
	last := lastOf(b)
	s := t.kernel.Summarize(b.Data[:b.Len], '"')
	t.order.Add(source.Range{Off: b.Off, End: last.end}, s)
	t.last.see(last)
}

func (t *records) hole(r source.Range) {
	t.order.Add(r, rows.Summary{})
	t.last.see(lastByte{end: r.End})
}

func (t *records) sum(into *Result) error {
	into.rows = t.order
	into.last.see(t.last)
	return nil
}
