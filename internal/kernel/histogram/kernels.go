package histogram

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

// kernels are what an instruction set does on a chunk.
type kernels struct {
	// same returns the whole blocks of b, at most a chunk, in which all values, of 1 or 2
	// bytes, are the same.
	same func(b []byte, width int) blocks

	// distances32 replaces each value, its bytes reversed if swap says so, by its
	// difference from base, modulo 2^32, and returns the least and the most difference.
	distances32 func(values []uint32, swap bool, base uint32) (low, high uint32)

	// distances64 does the same for 64 bits.
	distances64 func(values []uint64, swap bool, base uint64) (low, high uint64)

	// slots sets places[i] to the slot of values[i], and returns the least and the most.
	slots func(places []uint64, values []float64, g *grid) (low, high uint64)
}

// shortValues is from where on the set-up of a vector form pays.
const shortValues = 16

// differences32, differences64 and places call the form that suits the length.

func (k *kernels) differences32(values []uint32, swap bool, base uint32) (low, high uint32) {
	if len(values) < shortValues {
		return distances32Plain(values, swap, base)
	}
	return k.distances32(values, swap, base)
}

func (k *kernels) differences64(values []uint64, swap bool, base uint64) (low, high uint64) {
	if len(values) < shortValues {
		return distances64Plain(values, swap, base)
	}
	return k.distances64(values, swap, base)
}

func (k *kernels) places(slots []uint64, values []float64, g *grid) (low, high uint64) {
	if len(values) < shortValues {
		return slotsPlain(slots, values, g)
	}
	return k.slots(slots, values, g)
}

// variants holds the forms of the kernels, best first.
var variants = append(vectorVariants(), kernel.Variant[kernels]{ISA: cpu.Plain, Func: kernels{
	same: samePlain, distances32: distances32Plain, distances64: distances64Plain, slots: slotsPlain,
}})
