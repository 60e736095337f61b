package main

import "testing"

// TestHeadlinesNameCases: a case that is renamed must not vanish from the plot.
func TestHeadlinesNameCases(t *testing.T) {
	names := map[string]bool{}
	for _, c := range cases {
		names[c.name] = true
	}
	for _, h := range headlines {
		if !names[h.rowCase] {
			t.Errorf("the plot shows %q, which is no case", h.rowCase)
		}
	}
}
