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
