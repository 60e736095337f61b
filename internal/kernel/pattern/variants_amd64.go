package pattern

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{{ISA: cpu.AVX2, Func: indexAVX2}}
}

func vectorCounters() []kernel.Variant[Counter] {
	return []kernel.Variant[Counter]{{ISA: cpu.AVX2, Func: countAVX2}}
}

func vectorCleaners() []kernel.Variant[Cleaner] {
	return []kernel.Variant[Cleaner]{{ISA: cpu.AVX2, Func: cleanAVX2}}
}

// bytesAVX2 is the length of a vector.
const bytesAVX2 = 32

// listStarts is how many places the variant lists at a time. See countState.
const listStarts = 256

func indexAVX2(p *Pattern, b []byte) int {
	if len(b) < p.reach+bytesAVX2 {
		return indexPlain(p, b)
	}
	if len(b) >= kernel.NearBytes+kernel.PairBytes && p.exact && len(p.value) <= kernel.NearBytes/2 {
		return p.indexPairsAVX2(b)
	}
	at, _ := seekAVX2(p, b, 0, p.third)
	return p.indexAtAVX2(b, at)
}

// indexPairsAVX2 is indexAVX2 for a text with a pair of stretches. See kernel.NearBytes.
func (p *Pattern) indexPairsAVX2(b []byte) int {
	at, _ := seekAVX2(p, b[:kernel.NearBytes], 0, p.third)
	if at < 0 {
		at = kernel.NearBytes - len(p.value) + 1 // the first place that was not tested
	} else if at+probeBytes <= kernel.NearBytes {
		return p.indexAtAVX2(b, at)
	}
	at, _ = seekAVX2(p, b, skipAVX2(p, b, at), p.third)
	return p.indexAtAVX2(b, at)
}

// indexAtAVX2 confirms a place returned by seekAVX2, or continues after it.
func (p *Pattern) indexAtAVX2(b []byte, at int) int {
	if at < 0 || p.confirmed(b, at, probeBytes) {
		return at
	}
	return p.indexFrom(seekAVX2, b, at)
}

func cleanAVX2(p *Pattern, b []byte) int {
	return p.clean(b, sieveAVX2, seekAVX2, 4*bytesAVX2, probeBytes)
}

func countAVX2(p *Pattern, b []byte) (n, last int) {
	if p.pairIsAll() && len(b)-len(p.value)+1 >= bytesAVX2 {
		return countPairAVX2(p, b)
	}
	limit := p.lastBlock(b, listStarts)
	if limit < 0 {
		return p.countRest(indexAVX2, b, 0, 0, 0)
	}
	t := countState{limit: limit}
	for t.next <= t.limit && !p.exhausted(t.failures, t.next) {
		p.verifyAVX2(b, &t, listAVX2(p, b, &t))
	}
	return p.finishCount(indexAVX2, b, &t)
}

// verifyAVX2 processes a list.
func (p *Pattern) verifyAVX2(b []byte, t *countState, listed int) {
	if len(p.value) > probeBytes {
		p.hits(b, t, listed)
		return
	}
	t.add(hitsAVX2(p, b, t.list[:listed]))
}
