// Package nonzero finds the first byte of a slice that is not zero.
//
// It is the kernel for holes that a file system does not know about, for the end of a
// disk image, and for everything else that is mostly zeros: no value is compared, bytes
// are only ORed together, so memory alone should limit it. A form reads blocks of several
// vectors, asks once a block whether any bit was set, and looks for the byte only in the
// block where one was.
package nonzero

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Func returns the index of the first byte of b that is not 0, -1 if there is none. It
// reads nothing outside b, whatever its length and alignment, and is safe for concurrent
// use. A goroutine cannot be interrupted in it, so b should have a MiB at most.
type Func = func(b []byte) int

// variants holds the forms of the kernel, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: indexPlain})

// Kernel is a form, which for short slices gives way to the plain one, and takes long ones piece
// by piece.
type Kernel struct{ kernel.Variant[Func] }

// Best returns the kernel of the fastest form that may run here. Choose once a job, not once
// a call.
func Best() Kernel { return Kernel{kernel.Choose(variants)} }

// shortBytes is from where on the set-up of a vector form pays.
const shortBytes = 32

// pieceBytes are taken in microseconds.
const pieceBytes = 256 << 10

// Index does what a Func does, for a slice of any length.
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
