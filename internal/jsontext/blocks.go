package jsontext

import (
	"encoding/binary"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/utf8"
)

// chunkBytes is how much is looked at together, so that it stays in the cache of a core
// between the kernels and the walk.
const chunkBytes = 16 << 10

// behindBytes is what must follow on a chunk in the same piece, so that nearly all words
// that begin in it also end there. It is more than an escape needs.
const behindBytes = 64

// blocks is the fast way.
type blocks struct {
	scan    jsonscan.Func
	utf8    utf8.Kernel
	begins  [chunkBytes + jsonscan.BlockBytes]uint16
	escaped [chunkBytes / jsonscan.BlockBytes]uint64
	saved   []state // the stack where the chunk began
}

// accept takes as much of p, in chunks, as it knows to be right, and returns how much that
// is. m is between words or between characters of a string, before and behind.
func (f *blocks) accept(m *machine, p []byte) (n int) {
	at := jsonscan.State{InString: m.place == inString}
	wide := 0    // all before is UTF-8
	wordEnd := 0 // of the last number or literal
	for from := 0; from+jsonscan.BlockBytes+behindBytes <= len(p); {
		to := min(from+chunkBytes, from+(len(p)-behindBytes-from)/jsonscan.BlockBytes*jsonscan.BlockBytes)
		words, end, found := f.scan(p[from:to], f.begins[:], f.escaped[:], at)
		if found.Foul {
			return n
		}
		whole := to
		if found.Wide || wide < from {
			whole = utf8.Whole(p[:to])
			if !f.utf8.Valid(p[wide:whole]) {
				return n
			}
		}
		if found.Escapes && !escapes(p, from, f.escaped[:(to-from)/jsonscan.BlockBytes]) {
			return n
		}
		state := m.state
		f.saved = append(f.saved[:0], m.stack...)
		last, ok := m.walk(p[from:], f.begins[:words])
		if !ok {
			m.state, m.stack = state, append(m.stack[:0], f.saved...)
			return n
		}
		wordEnd = max(wordEnd, from+last)
		// A number or literal that began in the chunk may reach beyond it. A character of which
		// there is only a part is begun again, and so is an escape of which there is only a backslash;
		// digits of an escape that reach beyond are right, and may as well be letters.
		m.place, n = between, max(to, wordEnd)
		if end.InString {
			m.place, n = inString, whole
			if end.Escaped {
				n = to - 1
			}
		}
		wide, from, at = whole, to, end
	}
	return n
}

// escapes reports whether what stands behind the backslashes of a chunk makes escapes.
func escapes(p []byte, from int, escaped []uint64) bool {
	for i, mask := range escaped {
		for ; mask != 0; mask &= mask - 1 {
			at := from + i*jsonscan.BlockBytes + bits.TrailingZeros64(mask)
			if short[p[at]] {
				continue
			}
			if p[at] != 'u' || !hex[p[at+1]] || !hex[p[at+2]] || !hex[p[at+3]] || !hex[p[at+4]] {
				return false
			}
		}
	}
	return true
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
