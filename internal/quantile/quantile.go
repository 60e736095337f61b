// Package quantile takes quantiles of measurements.
package quantile

import "slices"

// Of returns the q-th quantile of at least one sorted value, with linear interpolation between neighbours.
func Of(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := at - float64(low)
	return sorted[low]*(1-part) + sorted[low+1]*part
}

// Median returns the median of at least one value, the mean of the middle two if their number is even. It leaves
// values as they are.
func Median(values []float64) float64 { return Of(slices.Sorted(slices.Values(values)), 0.5) }

// RunsLeast is how many runs it takes to know how much they differ.
const RunsLeast = 3

// Spread is the median of values, with the lowest and the highest.
type Spread struct{ Median, Low, High float64 }

// SpreadOf returns the spread of at least one value.
func SpreadOf(values []float64) Spread {
	return Spread{Median(values), slices.Min(values), slices.Max(values)}
}

// Ratios returns a[i]/b[i] for each round i. It compares rounds and not medians, because a temporary
// disturbance of the machine affects both sides of a round.
func Ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

// Turns measures sides in turn, and returns what they gave by side and round. Each round begins with another side, so
// that none is always the second. A round before the first is not counted: it fills the caches for all.
func Turns(sides, rounds int, measure func(side int) (float64, error)) ([][]float64, error) {
	values := make([][]float64, sides)
	for round := range rounds + 1 {
		for k := range sides {
			side := (round + k) % sides
			value, err := measure(side)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				values[side] = append(values[side], value)
			}
		}
	}
	return values, nil
}
