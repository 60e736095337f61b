package main

import (
	"fmt"
	"slices"
)

// summary summarizes a number over several rounds.
type summary struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`  // of all rounds
	High   float64 `json:"high"` // of all rounds
	Rounds int     `json:"rounds"`

	Values []float64 `json:"values,omitempty"` // of each round, in order
}

// summarize returns the summary of at least one value. The median of an even number of values is the
// mean of the middle two.
func summarize(values []float64) summary {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return summary{
		Median: (sorted[(n-1)/2] + sorted[n/2]) / 2,
		Low:    sorted[0], High: sorted[n-1], Rounds: n, Values: slices.Clone(values),
	}
}

// ratios returns a[i]/b[i] for each round i. It compares rounds and not medians, because a temporary
// disturbance of the machine affects both sides of a round.
func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

// target is the target of a row. The zero value means none: the row is only for information.
type target struct {
	AtLeast float64 `json:"at_least,omitempty"`
	AtMost  float64 `json:"at_most,omitempty"`
}

func atLeast(v float64) target { return target{AtLeast: v} }
func atMost(v float64) target  { return target{AtMost: v} }

func (t target) none() bool { return t == target{} }

func (t target) met(v float64) bool {
	return (t.AtLeast == 0 || v >= t.AtLeast) && (t.AtMost == 0 || v <= t.AtMost)
}

func (t target) String() string {
	switch {
	case t.none():
		return "-"
	case t.AtMost != 0:
		return fmt.Sprintf("<= %g", t.AtMost)
	}
	return fmt.Sprintf(">= %g", t.AtLeast)
}
