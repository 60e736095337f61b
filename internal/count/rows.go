package count

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/rows"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/source"
)

// Rows returns the counter of the records of quoted CSV, as RFC 4180 has them: a line feed
// inside quotes does not end a record, and a doubled quote leaves and enters them again. A
// last record without line feed counts.
func Rows() *Counter {
	best := rows.Best()
	return &Counter{
		Traits: scan.Traits{Kernel: fmt.Sprintf("rows %v", best.ISA), SkipHoles: true, Text: true},
		speed:  func(b []byte) { best.Func(b) },
		begin: func(*Run) func() tally {
			all := &order{begins: map[int64]*stretch{}, ends: map[int64]*stretch{}}
			return func() tally { return &records{summarise: best.Func, order: all} }
		},
		finish: func(r *Result) {
			if r.rows == nil { // nothing to read
				return
			}
			whole := r.rows.whole()
			r.Count = whole.Feeds
			if r.rows.last.end > 0 && (r.rows.last.value != '\n' || whole.Odd) {
				r.Count++
			}
		},
	}
}

// records sums up blocks. The sums of all workers go into one order.
type records struct {
	summarise rows.Func
	order     *order
}

func (t *records) add(b engine.Block) {
	last := lastOf(b)
	s := t.summarise(b.Data[:b.Len])
	t.order.add(source.Range{Off: b.Off, End: last.end}, s, last)
}

func (t *records) hole(r source.Range) { t.order.add(r, rows.Summary{}, lastByte{end: r.End}) }

func (t *records) sum(into *Result) error {
	into.rows = t.order
	return nil
}

// order composes the sums of ranges in file order, whatever the order in which they come.
// It keeps one sum for each stretch of neighbours, so few at a time: as many as there are
// workers, unless something could not be read.
type order struct {
	mu           sync.Mutex
	begins, ends map[int64]*stretch
	last         lastByte
}

type stretch struct {
	source.Range
	rows.Summary
}

func (o *order) add(r source.Range, s rows.Summary, last lastByte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last.see(last)
	next := &stretch{r, s}
	if before, ok := o.ends[r.Off]; ok {
		delete(o.begins, before.Off)
		delete(o.ends, before.End)
		next = &stretch{source.Range{Off: before.Off, End: r.End}, before.Then(s)}
	}
	if behind, ok := o.begins[r.End]; ok {
		delete(o.begins, behind.Off)
		delete(o.ends, behind.End)
		next.End, next.Summary = behind.End, next.Then(behind.Summary)
	}
	o.begins[next.Off], o.ends[next.End] = next, next
}

// whole composes all stretches, as if there were nothing between them.
func (o *order) whole() (s rows.Summary) {
	for _, off := range slices.Sorted(maps.Keys(o.begins)) {
		s = s.Then(o.begins[off].Summary)
	}
	return s
}
