// Package nonzero finds the first byte of a slice that is not zero.
//
// It serves holes that the file system does not report, the end of a disk image, and anything else
// that is mostly zeros. It only ORs bytes together and compares nothing, so memory bandwidth should
// be its only limit. A variant reads blocks of several vectors, tests once per block whether any
// bit is set, and looks for the byte only in the first block that has one.
package nonzero

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Func returns the index of the first byte of b that is not 0, or -1 if there is none. It reads
// nothing outside b, whatever its length and alignment, and is safe for concurrent use. The
// scheduler cannot interrupt it, so b should be at most a MiB.
type Func = func(b []byte) int

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: indexPlain})

// Kernel is a variant that leaves short slices to the plain one and takes long ones in pieces.
type Kernel struct{ kernel.Variant[Func] }

// Best returns the kernel with the fastest variant that can run here. Choose once per job, not once
// per call.
func Best() Kernel { return Kernel{kernel.Choose(variants)} }

// shortBytes is the length from which a vector variant repays its set-up.
const shortBytes = 32

// pieceBytes bounds a call to some microseconds.
const pieceBytes = kernel.NearBytes + 8*kernel.PairBytes

// Index does what Func does, for a slice of any length.
func (k Kernel) Index(b []byte) int {
	if len(b) < shortBytes {
		return indexPlain(b)
	}
	for off := 0; off < len(b); off += pieceBytes {
		if i := k.Func(b[off:min(off+pieceBytes, len(b))]); i >= 0 {
			return off + i
		}
	}
	return -1
}

// Probes returns the benchmark tasks of the family: nothing but zeros.
func Probes() []kernel.Probe {
	return []kernel.Probe{kernel.NewProbe("nonzero", 1, 0, variants, func(f Func, n int) kernel.Work {
		b, k := make([]byte, n), Kernel{kernel.Variant[Func]{Func: f}}
		return kernel.Repeat(func() int { return k.Index(b) })
	})}
}
