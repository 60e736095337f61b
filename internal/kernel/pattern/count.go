package pattern

import (
	"bytes"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Counter is the signature of the counting kernel: it returns how many occurrences of p lie
// completely inside b, and the index of the last one, if any. It reads nothing outside b.
//
// A search that restarts after every match pays for each of them, mostly with unpredictable
// branches. The vector variants go through b once and avoid those branches. The candidates of a
// block are the bits of masks. Every mask is stored at the end of a list, which takes no branch: an
// empty mask is overwritten by the next. A full list is processed in rounds: each round compares
// one candidate of every mask, its first bytes at once, and keeps the masks that have another. One
// function of an instruction set makes the list and another processes it; their caller, which
// alternates between them, holds no vectors.
//
// If the pair of positions is the whole pattern, the bits are the matches and only their number
// matters.
type Counter = func(p *Pattern, b []byte) (n, last int)

// counters holds the kernel's variants, best first, for the same instruction sets as variants.
var counters = append(vectorCounters(), kernel.Variant[Counter]{ISA: cpu.Plain, Func: countPlain})

// Count returns how many occurrences begin in the first starts bytes of b and lie completely inside
// b, and the index after the last of them, 0 if there is none. Overlapping occurrences are all
// counted. It does not allocate, and its time is linear for a literal that does not overlap itself.
func (p *Pattern) Count(b []byte, starts int) (n, end int) {
	places := len(b) - len(p.value) + 1 // where an occurrence may begin
	if starts < 1 || places < 1 {
		return 0, 0
	}
	b = b[:len(b)-max(0, places-starts)]
	var last int
	if len(b) < shortBytes {
		n, last = countPlain(p, b)
	} else {
		n, last = p.counter.Func(p, b)
	}
	if n == 0 {
		return 0, 0
	}
	return n, last + len(p.value)
}

// pairIsAll reports whether a match of the pair is a match of the pattern.
func (p *Pattern) pairIsAll() bool { return len(p.order) <= 2 }

// countRest continues a count of n from b[i:], match by match.
func (p *Pattern) countRest(index Func, b []byte, i, n, last int) (int, int) {
	for {
		at := index(p, b[i:])
		if at < 0 {
			return n, last
		}
		n, last = n+1, i+at
		i = last + 1
	}
}

// indexLinear returns the index of the first occurrence of a literal, in linear time.
func indexLinear(p *Pattern, b []byte) int { return bytes.Index(b, p.value) }

// candidates are the places, counted from place, for which mask has a bit.
type candidates struct {
	mask  uint64
	place int
}

// listMax is the largest number of masks on a list.
const listMax = 64

// countState is a count in progress, block by block. The function that lists continues at next until the
// list might be full or next is beyond limit, the last place at which a block and what it compares
// lie inside the text. It returns how many masks it listed.
type countState struct {
	list        [listMax]candidates
	next, limit int
	n, last     int // occurrences so far, and the last of them
	failures    int // candidates that were not occurrences
}

// lastBlock returns the limit of a count of p in b, below 0 if b is shorter than a block.
func (p *Pattern) lastBlock(b []byte, blockStarts int) int {
	return len(b) - blockStarts - max(len(p.value), probeBytes)
}

func (t *countState) add(n, last int) { t.n, t.last = t.n+n, max(t.last, last) }

// some returns 1 if the mask has a candidate, else 0.
func some(mask uint64) int {
	if mask != 0 {
		return 1
	}
	return 0
}

// hits processes a list, for patterns of any length. The list is in ascending order.
func (p *Pattern) hits(b []byte, t *countState, listed int) {
	for _, c := range t.list[:listed] {
		for ; c.mask != 0; c.mask &= c.mask - 1 {
			if at := c.place + bits.TrailingZeros64(c.mask); p.matches(b[at:]) {
				t.add(1, at)
			} else {
				t.failures++
			}
		}
	}
}

// finishCount finishes a count. It searches the text after the last block, or after the place where the
// blocks were given up, match by match.
func (p *Pattern) finishCount(index Func, b []byte, t *countState) (n, last int) {
	if p.exhausted(t.failures, t.next) {
		index = indexLinear
	}
	return p.countRest(index, b, t.next, t.n, t.last)
}

// Variants with vectors of probeBytes compare that many bytes of a candidate at once; NEON compares
// half of them.
const (
	probeBytes = 32
	halfProbe  = probeBytes / 2
)

// probe holds the first bytes of a pattern; bytes after its end are masked out.
type probe struct{ value, mask [probeBytes]byte }

func newProbe(value, mask []byte) (p probe) {
	copy(p.value[:], value)
	copy(p.mask[:], mask)
	return p
}
