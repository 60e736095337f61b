package count

import (
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/stats"
	"github.com/thresh-dev/thresh/question"
)

// Statistics returns a counter of the values of a column that also computes their minimum,
// maximum, sum and mean.
func Statistics(c question.Values) (*Counter, error) {
	t, err := compare.ParseType(string(c.Type))
	if err != nil {
		return nil, err
	}
	k := stats.For(t)
	traits, fits, err := compile(c, t, "stats", k.ISA())
	if err != nil {
		return nil, err
	}
	return &Counter{
		Traits: traits,
		speed:  func(b []byte) { k.Add(stats.New(t), b, int(traits.Width)) },
		begin: func(r *Run) func() partial {
			layout := layoutOf(&traits, r.span)
			return func() partial {
				return &summed{column: column{layout: layout, fits: fits}, kernel: k, summary: stats.New(t)}
			}
		},
		figures: func(r *Result) error {
			s := r.summary
			if s == nil { // nothing to read
				s = stats.New(t)
			}
			r.Count = int64(s.N())
			r.Stats = statsOf(s)
			return nil
		},
	}, nil
}

func statsOf(s *stats.Summary) *answer.Stats {
	figures := &answer.Stats{N: int64(s.N()), NaN: int64(s.NaN()), Inf: int64(s.Inf())}
	if figures.N > figures.NaN {
		figures.Min, figures.Max = s.MinText(), s.MaxText()
		figures.Sum, figures.Mean = s.SumText(), s.MeanText()
	}
	return figures
}

// summed summarizes values.
type summed struct {
	column
	kernel  *stats.Kernel
	summary *stats.Summary
}

func (t *summed) add(b engine.Block) {
	t.each(b, func(_ int64, values []byte, stride int) { t.kernel.Add(t.summary, values, stride) })
}

func (t *summed) hole(r source.Range) { t.summary.AddZeros(uint64(t.zeros(r))) }

func (t *summed) sum(into *Result) error {
	if into.summary == nil {
		into.summary = t.summary
		return nil
	}
	into.summary.Merge(t.summary)
	return nil
}
