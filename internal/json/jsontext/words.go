package jsontext

import (
	"encoding/binary"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
)

// wrongEscape returns the index of the first byte after a backslash that is not a valid escape, or
// len(p). It checks the escapes that blocks found, from index from on. Escapes that may reach beyond p
// count as valid.
func wrongEscape(p []byte, from int, blocks []jsonscan.Block) int {
	for i := range blocks {
		for mask := blocks[i].Escaped; mask != 0; mask &= mask - 1 {
			at := from + i*jsonscan.BlockBytes + bits.TrailingZeros64(mask)
			if at+5 > len(p) || short[p[at]] {
				continue
			}
			if p[at] != 'u' || !hex[p[at+1]] || !hex[p[at+2]] || !hex[p[at+3]] || !hex[p[at+4]] {
				return at
			}
		}
	}
	return len(p)
}

// short is true for the bytes that form an escape alone with the backslash before them.
var short = func() (is [256]bool) {
	for _, c := range `"\/bfnrt` {
		is[c] = true
	}
	return is
}()

// masked is a literal of n bytes in the low bytes of a word, and the mask of these bytes. Comparing
// masked words needs no branch for which literal it is.
type masked struct {
	mask, bytes uint64
	n           int
}

// literalMaskTable returns the literal for each first byte.
func literalMaskTable() (all [256]masked) {
	for c := range all {
		all[c].bytes = 1 // never equal: the mask is 0
	}
	for c, word := range literals {
		var bytes [8]byte
		if n := copy(bytes[:], word); n > 0 {
			all[c] = masked{1<<(8*n) - 1, binary.LittleEndian.Uint64(bytes[:]), n}
		}
	}
	return all
}

// literal returns where the literal at p[i] ends, or -1 for "don't know".
func literal(p []byte, i int) int {
	if i+8 > len(p) {
		return -1
	}
	e := &literalMask[p[i]]
	end := i + e.n
	if binary.LittleEndian.Uint64(p[i:])&e.mask != e.bytes || !ends[p[end]] {
		return -1
	}
	return end
}

// number returns where the number at p[i] ends, or -1 for "don't know".
func number(p []byte, i int) int {
	if p[i] == '-' {
		i++
	}
	begin := i
	i = digits(p, i)
	if i <= begin || p[begin] == '0' && i > begin+1 {
		return -1
	}
	if ends[p[i]] {
		return i
	}
	if p[i] == '.' {
		begin = i + 1
		if i = digits(p, begin); i <= begin {
			return -1
		}
	}
	if p[i]|0x20 == 'e' {
		if i++; p[i] == '+' || p[i] == '-' {
			i++
		}
		begin = i
		if i = digits(p, begin); i <= begin {
			return -1
		}
	}
	if !ends[p[i]] {
		return -1
	}
	return i
}

// digits returns where the run of digits at p[i] ends, or -1 for "don't know". The end is always
// before the second to last byte of p. It checks eight bytes at a time: after the XOR with '0', a digit is
// a byte to which 0x76 can be added without setting the top bit. A carry only affects higher
// bytes, which come after a byte that is not a digit.
func digits(p []byte, i int) int {
	for i+10 <= len(p) {
		word := binary.LittleEndian.Uint64(p[i:]) ^ 0x3030303030303030
		if others := (word + 0x7676767676767676 | word) & 0x8080808080808080; others != 0 {
			return i + bits.TrailingZeros64(others)/8
		}
		i += 8
	}
	return -1
}
