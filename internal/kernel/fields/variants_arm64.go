package fields

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{{ISA: cpu.NEON, Func: kernelsNEON.mark}}
}

var kernelsNEON = vector{bareNEON, quotedNEON, kindsNEON, listEights, nil}

// interleaved interleaves the upper half of a vector with the lower one: byte i goes to 2*i, and
// byte i+8 to 2*i+1.
var interleaved = [16]uint8{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}

// weights gives the bytes at 2*i and 2*i+1 their bit within the bytes of a mask.
var weights = [16]uint8{1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128, 128}

// pairsAVX512 leaves all records to betweens.
func pairsAVX512(*Chunk, uint, records.Column) int { return 0 }

// pairEndsAVX512 leaves all records to equal.
func pairEndsAVX512(*Chunk, uint, []uint32) int { return 0 }
