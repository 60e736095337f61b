package pattern

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{
		{ISA: cpu.NEON, Func: indexNEON},
	}
}

func vectorCounters() []kernel.Variant[Counter] {
	return []kernel.Variant[Counter]{
		{ISA: cpu.NEON, Func: countNEON},
	}
}

func vectorCleaners() []kernel.Variant[Cleaner] {
	return []kernel.Variant[Cleaner]{
		{ISA: cpu.NEON, Func: cleanNEON},
	}
}

// bytesNEON is the length of a vector.
const bytesNEON = 16

// listStarts is how many places the variant lists at a time. See countState.
const listStarts = 64

// bitOfByte holds, for each byte of a vector, its bit in a mask.
var bitOfByte = [16]uint8{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128}

func indexNEON(p *Pattern, b []byte) int {
	if len(b) < p.reach+bytesNEON {
		return indexPlain(p, b)
	}
	at, _ := seekNEON(p, b, 0, p.third)
	if at < 0 || p.confirmed(b, at, halfProbe) {
		return at
	}
	return p.indexFrom(seekNEON, b, at)
}

func cleanNEON(p *Pattern, b []byte) int {
	return p.clean(b, sieveNEON, seekNEON, 4*bytesNEON, halfProbe)
}

func countNEON(p *Pattern, b []byte) (n, last int) {
	limit := p.lastBlock(b, listStarts)
	if limit < 0 {
		return p.countRest(indexNEON, b, 0, 0, 0)
	}
	t := countState{limit: limit}
	for t.next <= t.limit && !p.exhausted(t.failures, t.next) {
		listed := listNEON(p, b, &t)
		if len(p.value) > halfProbe {
			p.hits(b, &t, listed)
		} else {
			t.add(hitsNEON(p, b, t.list[:listed]))
		}
	}
	return p.finishCount(indexNEON, b, &t)
}
