package pattern

import (
	"bytes"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Counter is a form of the count: it returns how many occurrences of p lie wholly inside
// b, and the index of the last of them where there is one. It reads nothing outside b.
//
// A search that begins anew behind every hit pays for each of them, most of all with
// branches that no processor foresees. The vector forms go through b once and around those
// branches. The candidates of a block are the bits of masks; masks that have any are put
// on a list, which takes no branch, as a mask without is written over by the next. A full
// list is worked off in rounds: each compares one candidate of every mask, its first bytes
// at once, and keeps the masks that have another. One function of an instruction set makes
// the list, another works it off, and those that call them in turn hold no vectors.
//
// Where the pair of positions is the whole pattern, the bits are the hits and only their
// number is of interest.
type Counter = func(p *Pattern, b []byte) (n, last int)

// counters holds the forms, best first, for the same instruction sets as variants.
var counters = append(vectorCounters(), kernel.Variant[Counter]{ISA: cpu.Plain, Func: countPlain})

// Count returns how many occurrences begin in the first starts bytes of b and lie wholly
// inside b, and the index behind the last of them, 0 if there is none. Where occurrences
// share bytes, all are counted. It does not allocate, and its time is linear for a literal
// that does not overlap itself.
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

// pairIsAll reports whether what fits the pair fits the pattern.
func (p *Pattern) pairIsAll() bool { return len(p.order) <= 2 }

// countRest goes on with a count of n from b[i:] hit by hit.
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

// candidates are the places, from one on, for which a mask has a bit.
type candidates struct {
	mask  uint64
	place int
}

// listMax bounds the masks on a list.
const listMax = 64

// tally is a count under way, block by block. The function that lists goes on at next
// until the list might be full or next is beyond limit, the last place at which a block and
// what it compares lie inside the text, and returns how many masks it listed.
type tally struct {
	list        [listMax]candidates
	next, limit int
	n, last     int // occurrences so far, and the last of them
	failures    int // candidates that were none
}

// lastBlock returns the limit of a tally of p in b, below 0 if there is not one block.
func (p *Pattern) lastBlock(b []byte, blockStarts int) int {
	return len(b) - blockStarts - max(len(p.value), probeBytes)
}

func (t *tally) add(n, last int) { t.n, t.last = t.n+n, max(t.last, last) }

// some returns 1 where a mask has a candidate, else 0.
func some(mask uint64) int {
	if mask != 0 {
		return 1
	}
	return 0
}

// hits works off a list, for patterns of any length. The list is in rising order.
func (p *Pattern) hits(b []byte, t *tally, listed int) {
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

// countOn ends a tally: what is behind its blocks, or behind the place where it was given
// up, is searched hit by hit.
func (p *Pattern) countOn(index Func, b []byte, t *tally) (n, last int) {
	if p.exhausted(t.failures, t.next) {
		index = indexLinear
	}
	return p.countRest(index, b, t.next, t.n, t.last)
}

// probeBytes are compared at once where a candidate stands, by forms that have vectors so
// long; NEON compares half of them.
const (
	probeBytes = 32
	halfProbe  = probeBytes / 2
)

// probe is the first bytes of a pattern with what is behind it masked out.
type probe struct{ value, mask [probeBytes]byte }

func newProbe(value, mask []byte) (p probe) {
	copy(p.value[:], value)
	copy(p.mask[:], mask)
	return p
}
