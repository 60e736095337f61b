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

// Bytes that come from memory arrive faster if a core reads two streams at a time: the hardware's
// prefetchers stop at the end of a page, so a single stream waits at the beginning of each, and
// then the other goes on. A kernel that can takes half of each block of its loop from one stretch
// and half from the stretch after it:
//
//	for each pair of stretches:
//	    for i in the first: test what is at i, and at i+StretchBytes
//
// A kernel that looks for the first of something reads the first bytes, and a pair in which there
// is something, in order. For bytes in a cache it makes no difference.
const (
	StretchBytes = 16 << 10
	PairBytes    = 2 * StretchBytes

	// NearBytes are read in order first: what is searched for repeatedly often lies nearer, and
	// then the second stretch would be read in vain.
	NearBytes = 8 << 10
)

// Work is a variant together with the bytes it works on.
type Work struct {
	Run    func(rounds int) // does the work that many times
	Answer func() any       // the result: all variants give equal ones, by ==
}

// Probe is a benchmark task of a family: every variant does the same work on the same bytes, which
// look like real data.
type Probe struct {
	Name      string                      // the family, and the task if the family has several
	StepBytes int                         // the work is a multiple of this many bytes
	MaxBytes  int                         // at most this many bytes; 0: any number
	Variants  []Variant[func(n int) Work] // set up work on n bytes; best first, the plain twin last
}

// Fit returns the largest size of the task, in bytes, that does not exceed n; at least one step.
func (p *Probe) Fit(n int) int {
	if p.MaxBytes > 0 {
		n = min(n, p.MaxBytes)
	}
	return max(p.StepBytes, n-n%p.StepBytes)
}

// NewProbe returns the probe of a table of variants. ready sets a variant up to work on n bytes; it
// generates these bytes itself, the same each time.
func NewProbe[F any](name string, step, most int, variants []Variant[F], ready func(f F, n int) Work) Probe {
	p := Probe{Name: name, StepBytes: step, MaxBytes: most}
	for _, v := range variants {
		p.Variants = append(p.Variants, Variant[func(int) Work]{v.ISA, func(n int) Work { return ready(v.Func, n) }})
	}
	return p
}

// Repeat returns the work of a function that has no effect but its result.
func Repeat[R comparable](f func() R) Work {
	var last R
	return Work{
		Run: func(rounds int) {
			for range rounds {
				last = f()
			}
		},
		Answer: func() any {
			last = f()
			return last
		},
	}
}
