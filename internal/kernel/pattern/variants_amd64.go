package pattern

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.AVX512, Func: indexAVX512},
		{ISA: cpu.AVX2, Func: indexAVX2},
	}
}

func vectorCounters() []kernel.Variant[Counter] {
	return []kernel.Variant[Counter]{
		{ISA: cpu.AVX512, Func: countAVX512},
		{ISA: cpu.AVX2, Func: countAVX2},
	}
}

// Vector lengths in bytes.
const (
	bytesAVX2   = 32
	bytesAVX512 = 64
)

// listStarts is how many places a variant lists at a time. See countState.
const listStarts = 256

func indexAVX2(p *Pattern, b []byte) int {
	if len(b) < p.reach+bytesAVX2 {
		return indexPlain(p, b)
	}
	at, _ := seekAVX2(p, b, 0, p.third)
	if at < 0 || p.confirmed(b, at, probeBytes) {
		return at
	}
	return p.indexFrom(seekAVX2, b, at)
}

func indexAVX512(p *Pattern, b []byte) int {
	if len(b) < p.reach+bytesAVX512 {
		return indexAVX2(p, b)
	}
	at, _ := seekAVX512(p, b, 0, p.third)
	if at < 0 || p.confirmed(b, at, probeBytes) {
		return at
	}
	return p.indexFrom(seekAVX512, b, at)
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

func countAVX512(p *Pattern, b []byte) (n, last int) {
	if p.pairIsAll() && len(b)-len(p.value)+1 >= bytesAVX512 {
		return countPairAVX512(p, b)
	}
	limit := p.lastBlock(b, listStarts)
	if limit < 0 {
		return p.countRest(indexAVX512, b, 0, 0, 0)
	}
	t := countState{limit: limit}
	for t.next <= t.limit && !p.exhausted(t.failures, t.next) {
		p.verifyAVX2(b, &t, listAVX512(p, b, &t))
	}
	return p.finishCount(indexAVX512, b, &t)
}

// verifyAVX2 processes a list, and serves AVX-512 as well.
func (p *Pattern) verifyAVX2(b []byte, t *countState, listed int) {
	if len(p.value) > probeBytes {
		p.hits(b, t, listed)
		return
	}
	t.add(hitsAVX2(p, b, t.list[:listed]))
}
