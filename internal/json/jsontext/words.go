package jsontext

import (
	"encoding/binary"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
)

// wrongEscape returns the place of the first byte behind a backslash that makes no escape, of
// those whose bits are in masks, or len(p). Digits that lie behind p are taken for right.
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

// short says which bytes behind a backslash are an escape by themselves.
var short = func() (is [256]bool) {
	for _, c := range `"\/bfnrt` {
		is[c] = true
	}
	return is
}()

// eight is the first eight bytes of a text that begins with a literal, under a mask, and
// how many the literal has. Asking so, there is no branch on which literal it is.
type eight struct {
	mask, bytes uint64
	n           int
}

// eightsTable is by the first byte.
func eightsTable() (all [256]eight) {
	for c := range all {
		all[c].bytes = 1 // which no mask of nothing leaves
	}
	for c, word := range literals {
		var bytes [8]byte
		if n := copy(bytes[:], word); n > 0 {
			all[c] = eight{1<<(8*n) - 1, binary.LittleEndian.Uint64(bytes[:]), n}
		}
	}
	return all
}

// literal returns where the literal ends that begins at i, or -1 if it does not know.
func literal(p []byte, i int) int {
	if i+8 > len(p) {
		return -1
	}
	e := &eights[p[i]]
	end := i + e.n
	if binary.LittleEndian.Uint64(p[i:])&e.mask != e.bytes || !ends[p[end]] {
		return -1
	}
	return end
}

// number returns where the number ends that begins at i, or -1 if it does not know.
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

// digits returns where the digits end that may begin at i, always before the last byte but
// one, or -1 if it does not know. It looks at eight bytes at a time: digits, less a zero,
// are those to which 0x76 may be added without reaching the upper bit. A carry only
// goes up, to bytes behind one that is no digit.
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
