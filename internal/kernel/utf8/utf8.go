// Package utf8 says whether bytes are UTF-8 (RFC 3629): nothing cut off, no character longer than it
// need be, no surrogates, nothing beyond U+10FFFF.
//
// Every fault shows in two bytes that stand next to each other, looked at by their upper and lower
// halves, or in a missing or surplus third or fourth byte. A vector form asks three tables
// for what a pair may be guilty of, by the halves of the first byte and the upper
// half of the second, and a fault that all three name is one (Keiser and Lemire, Validating
// UTF-8 in less than one instruction per byte, 2021). The function of an instruction set looks
// at whole blocks, but not whether the last of them cuts a character off; what is behind them is left
// to the plain form.
//
// A text that comes in pieces is cut at Whole, and what is behind goes with the next.
package utf8

import (
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Func reports whether b, of any length, is UTF-8. It reads nothing outside of b and is safe for
// concurrent use.
type Func = func(b []byte) bool

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: validPlain})

// Kernel is a form, which for short texts gives way to the plain one.
type Kernel struct{ kernel.Variant[Func] }

// Best returns the kernel of the fastest form that may run here. Choose once a job, not once
// a call.
func Best() Kernel { return Kernel{kernel.Choose(variants)} }

// shortBytes is from where on the set-up of a vector form pays, even for ASCII, eight bytes of
// which the standard library takes at once.
const shortBytes = 128

// pieceBytes is how much of a text a form gets at once: no goroutine can be stopped in one.
const pieceBytes = 256 << 10

// Valid does what a Func does.
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

// Variants returns all forms, best first.
func Variants() []kernel.Variant[Func] { return variants }

// Whole returns how much of b is left if a character is cut off that its last bytes begin: what
// is behind is at most 3 bytes, and may be UTF-8 only together with what follows.
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

// validBehind reports whether b ends well, of which blocks are the first bytes and without a
// fault. A character that they cut off is looked at again.
func validBehind(b, blocks []byte) bool { return utf8.Valid(b[Whole(blocks):]) }

// needed returns how many bytes a character takes that begins with c.
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
