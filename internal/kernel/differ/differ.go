// Package differ finds where two runs of bytes differ, and where they are equal again.
package differ

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Func is the signature of both kernels. It returns the index of the first byte that differs between a and b, or that
// is equal in both, and -1 if there is none. The slices have the same length, which may be 0, and any alignment;
// nothing outside them is read. It is safe for concurrent use. The scheduler cannot interrupt it, so the slices should
// be at most a MiB.
type Func = func(a, b []byte) int

// pair are the kernels of an instruction set.
type pair struct{ differs, equals Func }

// variants holds the variants, best first.
var variants = append(vectorVariants(), kernel.Variant[pair]{ISA: cpu.Plain, Func: pair{differsPlain, equalsPlain}})

// Kernel is a variant that leaves short slices to the plain one and takes long ones in pieces.
type Kernel struct{ kernel.Variant[pair] }

// Best returns the kernel with the fastest variant that can run here. Choose once per job, not once per call.
func Best() Kernel { return Kernel{kernel.Choose(variants)} }

// pieceBytes bounds a call to some microseconds.
const pieceBytes = 64 << 10

// Index returns the index of the first byte that differs between a and b, which have the same length; -1 if none does.
func (k Kernel) Index(a, b []byte) int { return inPieces(k.Func.differs, a, b) }

// Equal returns the index of the first byte that is the same in a and b, which have the same length; -1 if none is.
func (k Kernel) Equal(a, b []byte) int { return inPieces(k.Func.equals, a, b) }

func inPieces(f Func, a, b []byte) int {
	for off := 0; off < len(a); off += pieceBytes {
		end := min(off+pieceBytes, len(a))
		if i := f(a[off:end], b[off:end]); i >= 0 {
			return off + i
		}
	}
	return -1
}

// Runs calls yield with the runs of bytes that differ between a and b, which have the same length, in ascending order,
// until yield returns false. It returns false if yield did.
func (k Kernel) Runs(a, b []byte, yield func(from, to int) bool) bool {
	for pos := 0; pos < len(a); {
		i := k.Index(a[pos:], b[pos:])
		if i < 0 {
			return true
		}
		from, to := pos+i, len(a)
		if n := k.Equal(a[from:], b[from:]); n >= 0 {
			to = from + n
		}
		if !yield(from, to) {
			return false
		}
		pos = to
	}
	return true
}

// Probes returns the benchmark tasks of the family: the same bytes twice.
func Probes() []kernel.Probe {
	return []kernel.Probe{kernel.NewProbe("differ", 1, 0, variants, func(f pair, n int) kernel.Work {
		a, b, k := make([]byte, n), make([]byte, n), Kernel{kernel.Variant[pair]{Func: f}}
		return kernel.Repeat(func() int { return k.Index(a, b) })
	})}
}
