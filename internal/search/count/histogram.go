package count

import (
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/histogram"
	"github.com/thresh-dev/thresh/question"
)

// Histogram returns a counter of the values of a column, in all and in each bin.
func Histogram(c question.Values, b question.Bins) (*Counter, error) {
	t, err := compare.ParseType(string(c.Type))
	if err != nil {
		return nil, err
	}
	h, err := histogram.Compile(histogram.Spec{Type: t, Width: b.Width, Bins: b.Number, Low: b.Low, High: b.High})
	if err != nil {
		return nil, err
	}
	traits, fits, err := compile(c, t, "histogram", h.ISA())
	if err != nil {
		return nil, err
	}
	traits.Worker = histogramBytes
	return &Counter{
		Traits: traits,
		speed: func(b []byte) {
			// The sample is zeros, which need one bin. If they cannot be counted, the count itself fails.
			_ = h.Counter().Add(0, b, int(traits.Width))
		},
		begin: func(r *Run) func() partial {
			layout := layoutOf(&traits, r.span)
			return func() partial {
				return &bins{run: r, column: column{layout: layout, fits: fits}, counter: h.Counter()}
			}
		},
		figures: func(r *Result) error {
			if r.bins == nil { // nothing to read
				r.bins = h.Counter()
			}
			binned, err := r.bins.Result()
			if err != nil {
				return err
			}
			r.Histogram = &binned
			all := binned.Below + binned.Above + binned.NaN
			for _, b := range binned.Bins {
				all += b.Count
			}
			r.Count = int64(all)
			return nil
		},
	}, nil
}

// histogramBytes bounds the memory of a worker's table: 2^20 bins and room to grow.
const histogramBytes = 16 << 20

// bins counts values by bin.
type bins struct {
	column
	run     *Run
	counter *histogram.Counter
	failed  bool
}

func (t *bins) add(b engine.Block) {
	if t.failed {
		return
	}
	t.each(b, func(off int64, values []byte, stride int) {
		t.check(t.counter.Add(off, values, stride))
	})
}

func (t *bins) hole(r source.Range) { t.check(t.counter.AddZeros(uint64(t.zeros(r)))) }

// check stops the scan if there are too many bins.
func (t *bins) check(err error) {
	if err != nil && !t.failed {
		t.failed = true
		t.run.fail(err)
	}
}

func (t *bins) sum(into *Result) error {
	if into.bins == nil {
		into.bins = t.counter
		return nil
	}
	return into.bins.Merge(t.counter)
}
