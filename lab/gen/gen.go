// Package gen makes big, realistic data to try programs on: logs, disk images, typed
// arrays, haystacks. The same arguments give the same bytes on every machine. One core
// makes more than half a gigabyte a second.
package gen

import (
	"bufio"
	"io"
	"math/rand/v2"
)

const bufferBytes = 1 << 20

// newRand returns the source of all that is random in data of that kind and seed.
func newRand(kind string, seed uint64) *rand.PCG {
	var stream uint64
	for _, c := range []byte(kind) {
		stream = stream<<8 | uint64(c)
	}
	return rand.NewPCG(seed, stream)
}

// below returns a number from 0 to n-1. For the small n used here the remainder of 32
// random bits is even enough, and cheaper than a number without bias.
func below(r *rand.PCG, n int) int { return int(r.Uint64() >> 32 % uint64(n)) }

func newWriter(w io.Writer) *bufio.Writer { return bufio.NewWriterSize(w, bufferBytes) }
