package histogram

import (
	"math"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// kernels are what an instruction set does on a chunk. Those over values return how many
// they have done: whole vectors, or all for the plain form.
type kernels struct {
	// same has a bit for each whole block of b, the first block's being the lowest: whether
	// all its values, of 1 or 2 bytes, are the same. There are at most sectionBlocks.
	same func(b []byte, width int) (runs uint64)

	// distances32 replaces each value, its bytes reversed if swap says so, by its
	// difference from base, modulo 2^32, and returns the least and the most difference.
	distances32 func(values []uint32, swap bool, base uint32) (done int, low, high uint32)

	// distances64 does the same for 64 bits.
	distances64 func(values []uint64, swap bool, base uint64) (done int, low, high uint64)

	// slots sets places[i] to the slot of values[i], and returns the least and the most.
	slots func(places []uint64, values []float64, in *grid) (done int, low, high uint64)
}

// shortValues is from where on the set-up of a vector form pays, and as many lanes as a
// vector may have.
const shortValues = 16

// differences32, differences64 and places have the vectors do what they can, and the plain
// form the rest.

func (k *kernels) differences32(values []uint32, swap bool, base uint32) (low, high uint32) {
	done, low, high := 0, uint32(math.MaxUint32), uint32(0)
	if len(values) >= shortValues {
		done, low, high = k.distances32(values, swap, base)
	}
	if done < len(values) {
		_, least, most := distances32Plain(values[done:], swap, base)
		low, high = min(low, least), max(high, most)
	}
	return low, high
}

func (k *kernels) differences64(values []uint64, swap bool, base uint64) (low, high uint64) {
	done, low, high := 0, uint64(math.MaxUint64), uint64(0)
	if len(values) >= shortValues {
		done, low, high = k.distances64(values, swap, base)
	}
	if done < len(values) {
		_, least, most := distances64Plain(values[done:], swap, base)
		low, high = min(low, least), max(high, most)
	}
	return low, high
}

func (k *kernels) places(slots []uint64, values []float64, in *grid) (low, high uint64) {
	done, low, high := 0, uint64(math.MaxUint64), uint64(0)
	if len(values) >= shortValues {
		done, low, high = k.slots(slots, values, in)
	}
	if done < len(values) {
		_, least, most := slotsPlain(slots[done:], values[done:], in)
		low, high = min(low, least), max(high, most)
	}
	return low, high
}

// variants holds the forms of the kernels, best first.
var variants = append(vectorVariants(), kernel.Variant[kernels]{ISA: cpu.Plain, Func: kernels{
	same: samePlain, distances32: distances32Plain, distances64: distances64Plain, slots: slotsPlain,
}})
