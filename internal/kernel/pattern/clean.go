package pattern

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// A search in text also asks where it stops being text. Memory is what both questions wait for, so one
// pass answers both: a sieve tests a block of places for the pair, the position at doubt and zero bytes,
// and only a block that has some of them is looked at more closely.

// Cleaner is the signature of that kernel: it returns the index of the first occurrence of p that lies
// completely inside b, or of the first zero byte if that comes before, or len(b) if there is neither. It
// reads nothing outside b.
type Cleaner = func(p *Pattern, b []byte) int

// cleaners holds the kernel's variants, best first, for the same instruction sets as variants.
var cleaners = append(vectorCleaners(), kernel.Variant[Cleaner]{ISA: cpu.Plain, Func: cleanPlain})

// Sieve is the vector part of a variant. It returns the first block of places, of those at from and then
// block by block, that has a zero byte, or a place where the pair and the position at doubt match. If there
// is none, it returns the first block that, with the bytes that a probe or the pattern takes behind it, is
// not completely inside b. The same bounds apply to the length of b as to that of a Seeker's.
type Sieve = func(p *Pattern, b []byte, from, doubt int) int

// Clean returns how many bytes at the start of b hold no zero byte and no beginning of an occurrence. An
// occurrence that the end of b cuts off is none. It does not allocate.
func (p *Pattern) Clean(b []byte) int {
	if len(b) < shortBytes {
		return cleanPlain(p, b)
	}
	return p.cleaner.Func(p, b)
}

// cleanPlain searches twice.
func cleanPlain(p *Pattern, b []byte) int {
	at := indexPlain(p, b)
	if at < 0 {
		at = len(b)
	}
	return firstZero(b[:at])
}

// firstZero returns the index of the first zero byte, len(b) if there is none.
func firstZero(b []byte) int {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return i
	}
	return len(b)
}

// clean is a variant made of its vector parts: a sieve of so many places, and a seeker that compares probed
// bytes of the probe.
func (p *Pattern) clean(b []byte, sieve Sieve, seek Seeker, places, probed int) int {
	window := places + max(len(p.value), probeBytes)
	i, doubt, failures := 0, p.third, 0
	for !p.exhausted(failures, i) {
		if i = sieve(p, b, i, doubt); i+window > len(b) {
			break
		}
		w := b[i : i+window]
		at, refuted := seek(p, w, 0, doubt)
		for at >= 0 && !p.confirmed(w, at, probed) {
			failures++
			refuted = p.mismatch(w[at:])
			at, refuted = seek(p, w, at+1, refuted)
		}
		if at >= 0 {
			return i + firstZero(w[:at])
		}
		if n := firstZero(w[:places]); n < places {
			return i + n
		}
		i, doubt = i+places, refuted
	}
	at := p.Index(b[i:])
	if at < 0 {
		return i + firstZero(b[i:])
	}
	return i + firstZero(b[i:i+at])
}
