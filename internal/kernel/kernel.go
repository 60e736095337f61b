// Package kernel holds what the kernel families below it share: the table of a kernel's variants
// and the choice among them.
//
// A family is a folder of pure functions over bytes: no I/O, no goroutines, no allocation per call.
// Its plain variant, in a file whose name ends in _plain.go, is always compiled and defines what is
// right. Every other variant has the same signature and a file of its own, named after its
// instruction set.
package kernel

import "github.com/thresh-dev/thresh/internal/machine/cpu"

// Variant is one implementation of a kernel, written for one instruction set.
type Variant[F any] struct {
	ISA  cpu.ISA
	Func F
}

// Choose returns the first variant that can run on this machine. A table is ordered best first and
// ends with the plain twin, which always can. Choose once per job, not once per call.
func Choose[F any](variants []Variant[F]) Variant[F] {
	for _, v := range variants {
		if cpu.Has(v.ISA) {
			return v
		}
	}
	panic("thresh: bug: a table of kernel variants without a plain twin")
}
