// Package utf8 reports whether bytes are valid UTF-8 (RFC 3629): no truncated character, no
// overlong encoding, no surrogates, nothing beyond U+10FFFF.
//
// Every fault shows in two neighbouring bytes, by their upper and lower halves, or in a third or
// fourth byte that is missing or out of place. A vector variant asks three tables which faults a
// pair can have: by the upper and the lower half of the first byte and by the upper half of the
// second. A fault named by all three is real (Keiser and Lemire, Validating UTF-8 in less than one
// instruction per byte, 2021). The function of an instruction set checks whole blocks, but not
// whether the last one cuts a character; the plain variant checks that and the bytes after the
// blocks.
//
// A text that arrives in pieces is cut at Whole; the rest goes with the next piece.
package utf8

import (
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Func reports whether b, of any length, is valid UTF-8. It reads nothing outside b and is safe for
// concurrent use.
type Func = func(b []byte) bool

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: validPlain})

// Kernel is a variant that leaves short texts to the plain one.
type Kernel struct{ kernel.Variant[Func] }

// Best returns the kernel with the fastest variant that can run here. Choose once per job, not once
// per call.
func Best() Kernel { return Kernel{kernel.Choose(variants)} }

// shortBytes is the length from which a vector variant repays its set-up, even for ASCII, of which
// the standard library checks eight bytes at a time.
const shortBytes = 128

// pieceBytes bounds the bytes of a call: the scheduler cannot interrupt a kernel.
const pieceBytes = 256 << 10

// Valid does what Func does.
func (k Kernel) Valid(b []byte) bool {
	for len(b) > pieceBytes {
		n := Whole(b[:pieceBytes])
		if !k.Func(b[:n]) {
			return false
		}
		b = b[n:]
	}
	if len(b) < shortBytes {
		return validPlain(b)
	}
	return k.Func(b)
}

// Whole returns the length of b without a truncated character at its end. At most 3 bytes are cut
// off; they may become valid with the bytes that follow.
func Whole(b []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(b)); n++ {
		c := b[len(b)-n]
		if utf8.RuneStart(c) {
			if needed(c) > n {
				return len(b) - n
			}
			break
		}
	}
	return len(b)
}

// validRest reports whether the rest of b is valid after blocks, a prefix of b without faults. A
// character that the end of blocks cuts is checked again.
func validRest(b, blocks []byte) bool { return utf8.Valid(b[Whole(blocks):]) }

// needed returns the length of the character that begins with c.
func needed(c byte) int {
	switch {
	case c >= 0xf0:
		return 4
	case c >= 0xe0:
		return 3
	case c >= 0xc0:
		return 2
	}
	return 1
}
