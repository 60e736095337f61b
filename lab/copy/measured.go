package copy

import "slices"

// Measured has the outcomes of a variant's runs.
type Measured struct {
	Variant Variant
	Timed   []Outcome // one per round, at least one
	Traced  *Outcome  // nil if system calls were not traced
}

// CPUMillisPerGiB returns the median of the rounds.
func (m Measured) CPUMillisPerGiB() float64 {
	var values []float64
	for _, o := range m.Timed {
		values = append(values, o.CPUMillisPerGiB())
	}
	return median(values)
}

// CPURatio returns the ratio of the CPU times of m and n for the same amount of data. It is the median
// of the rounds' ratios: a temporary disturbance of the machine affects both variants of a round.
func (m Measured) CPURatio(n Measured) float64 {
	var values []float64
	for i := range min(len(m.Timed), len(n.Timed)) {
		values = append(values, m.Timed[i].CPUMillisPerGiB()/n.Timed[i].CPUMillisPerGiB())
	}
	return median(values)
}

// best returns the outcome with the most detailed system calls.
func (m Measured) best() Outcome {
	if m.Traced != nil {
		return *m.Traced
	}
	return m.Timed[0]
}

// Path returns the path of most bytes.
func (m Measured) Path() Path { return m.best().Path() }

// CallsPerGiB returns the number of data system calls for each GiB sent, if it is known.
func (m Measured) CallsPerGiB() (calls float64, known bool) { return m.best().CallsPerGiB() }

// median returns the median of at least one value. For an even number of values it is the mean of
// the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
