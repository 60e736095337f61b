package simd

import "github.com/thresh-dev/thresh/internal/machine/cpu"

var countNEON = countByMaximum

// sveCounter returns countByPredicate, or nil if the processor has no SVE.
func sveCounter() func(b []byte) int {
	if !cpu.Has(cpu.SVE) {
		return nil
	}
	return countByPredicate
}

//go:noescape
func countByPredicate(b []byte) int
