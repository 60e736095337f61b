package copy

import "slices"

// Measured is what several runs say of one variant.
type Measured struct {
	Variant Variant
	Timed   []Outcome // one a round, at least one
	Traced  *Outcome  // nil: system calls were not traced
}

// CPUMillisPerGiB returns the median of the rounds.
func (m Measured) CPUMillisPerGiB() float64 {
	var values []float64
	for _, o := range m.Timed {
		values = append(values, o.CPUMillisPerGiB())
	}
	return median(values)
}

// CPURatio returns how many times the CPU of n it took to send as much: the median of the
// ratios of the rounds, because what disturbs a machine for a while disturbs both.
func (m Measured) CPURatio(n Measured) float64 {
	var values []float64
	for i := range min(len(m.Timed), len(n.Timed)) {
		values = append(values, m.Timed[i].CPUMillisPerGiB()/n.Timed[i].CPUMillisPerGiB())
	}
	return median(values)
}

// look returns the outcome that knows most of system calls.
func (m Measured) look() Outcome {
	if m.Traced != nil {
		return *m.Traced
	}
	return m.Timed[0]
}

// Path returns the way that most bytes took.
func (m Measured) Path() Path { return m.look().Path() }

// CallsPerGiB returns how many system calls that carry data were made for each GiB sent, if
// that is known.
func (m Measured) CallsPerGiB() (calls float64, known bool) { return m.look().CallsPerGiB() }

// median returns the median of values, of which there must be at least one. That of an even
// number is the mean of the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
