package histogram

import (
	"math"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// kernels are the functions of an instruction set for one chunk. Those over values return how many
// they handled: whole vectors, or all for the plain variant.
type kernels struct {
	// same returns a bit for each whole block of b, the lowest bit for the first block: whether all
	// its values, of 1 or 2 bytes, are the same. There are at most sectionBlocks blocks.
	same func(b []byte, width int) (runs uint64)

	// others copies the values of b, of 1 or 2 bytes, that are not usual, a little-endian number. It
	// returns how many bytes these have. b is a section. The bytes behind them are undefined.
	others func(list *others, b []byte, usual uint16, width int, table *compaction) (listed int)

	distances32 distances[uint32]
	distances64 distances[uint64]

	// slots sets places[i] to the slot of values[i], and returns the minimum and the maximum.
	slots func(places []uint64, values []float64, in *grid) (done int, low, high uint64)
}

// distances replaces each value, with its bytes reversed if swap is set, by its difference from base, modulo 2^32 or
// 2^64, and returns the minimum and the maximum of the differences.
type distances[T uint32 | uint64] func(values []T, swap bool, base T) (done int, low, high T)

// shortValues is the number of values from which a vector variant repays its set-up. It is also the
// largest number of lanes in a vector.
const shortValues = 16

// all and places use the vectors as far as possible, and the plain variant for the rest.

func (d distances[T]) all(values []T, swap bool, base T) (low, high T) {
	done, low, high := 0, ^T(0), T(0)
	if len(values) >= shortValues {
		done, low, high = d(values, swap, base)
	}
	if done < len(values) {
		_, least, most := distancesPlain(values[done:], swap, base)
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

// variants holds the variants of the kernels, best first.
var variants = append(vectorVariants(), kernel.Variant[kernels]{ISA: cpu.Plain, Func: kernels{
	same: samePlain, others: othersPlain, distances32: distancesPlain[uint32], distances64: distancesPlain[uint64],
	slots: slotsPlain,
}})
