package limits

import (
	"fmt"
	"slices"
	"time"

	"github.com/thresh-dev/thresh/internal/quantile"
)

// Figure is the result of repeated measurements.
type Figure struct {
	Median  float64 `json:"median"`
	Spread  float64 `json:"spread"` // from the 10th to the 90th percentile, as a fraction of the median
	Unit    string  `json:"unit"`   // GB/s (10^9 bytes), ns, or files/s
	Samples int     `json:"samples"`
	Noisy   bool    `json:"noisy,omitzero"` // the spread is too wide to compare a run with the figure
	// Taken is set if the figure is kept from an earlier measurement than the others.
	Taken time.Time `json:"taken,omitzero"`
}

// A figure is noisy above these spreads. A rate is a ceiling that runs are compared with, and noise
// would make them "at 85 %" or "at 110 %" by chance; a cost only has to give the order of magnitude
// of its share.
const (
	noisyRateSpread = 0.25
	noisyCostSpread = 0.5
)

// samplesTrusted is how many samples it takes for a spread to mean anything.
const samplesTrusted = 3

// Usable reports whether a run may be compared with the figure: it was measured and is not noisy.
func (f Figure) Usable() bool { return f.Samples > 0 && !f.Noisy && f.Median > 0 }

// String returns the median with three digits and the unit.
func (f Figure) String() string { return Number(f.Median) + " " + f.Unit }

// Number formats v with three digits, more only for large numbers: 0.123, 12.3, 12345.
func Number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// figureOf returns the figure of the samples, which it sorts.
func figureOf(unit string, samples []float64) Figure {
	if len(samples) == 0 {
		return Figure{}
	}
	slices.Sort(samples)
	f := Figure{Median: quantile.Of(samples, 0.5), Unit: unit, Samples: len(samples)}
	if f.Median > 0 {
		f.Spread = (quantile.Of(samples, 0.9) - quantile.Of(samples, 0.1)) / f.Median
	}
	widest := noisyRateSpread
	if unit == nanoseconds {
		widest = noisyCostSpread
	}
	f.Noisy = f.Spread > widest || f.Samples < samplesTrusted || f.Median <= 0
	return f
}
