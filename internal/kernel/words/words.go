// Package words counts the lines, words and characters of UTF-8 text, as GNU wc does in a UTF-8
// locale, piece by piece and in any order.
//
// A word is a run of printable characters between white space. Everything else neither separates
// words nor is one: control characters, code points without a character, and bytes that are not
// UTF-8. So "a\x01b" is one word, and a lone "\x01" is none. Bytes that are not UTF-8 are not
// characters either.
//
// Whether a word begins at the first character of a piece depends on what is before it, so a piece
// is summarized for both answers. The summaries of neighbours compose to the summary of both.
//
// A vector variant turns 64 bytes of ASCII into masks of the printable bytes and of the white
// space. A word begins at a printable byte whose neighbour before it is outside words. What is
// neither printable nor white space takes the state of the byte before it; as in a ripple carry,
// one addition passes the state on through a run of such bytes of any length. 64 bytes that are not
// all ASCII are left to the plain variant.
package words

import (
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Summary describes a piece of text. The zero Summary describes no bytes.
type Summary struct {
	Lines int64 // line feeds
	Chars int64 // characters, each of one code point

	words [2]int64 // words that begin in the piece, if it begins outside a word, and inside one
	turns [2]bool  // whether the piece ends in the other state
}

// Words returns how many words begin in the piece. Inside says that a word continues into it.
func (s *Summary) Words(inside bool) int64 { return s.words[state(inside)] }

// Then returns the summary of a piece followed by the next one. It is associative.
func (s Summary) Then(next Summary) Summary {
	whole := Summary{Lines: s.Lines + next.Lines, Chars: s.Chars + next.Chars}
	for i := range s.words {
		middle := i
		if s.turns[i] {
			middle = 1 - i
		}
		whole.words[i] = s.words[i] + next.words[middle]
		whole.turns[i] = s.turns[i] != next.turns[middle]
	}
	return whole
}

// state returns the index of a state: 0 outside words, 1 inside one.
func state(inside bool) int {
	if inside {
		return 1
	}
	return 0
}

// Zeros returns the summary of n bytes that are 0: characters, but neither words nor white space.
func Zeros(n int64) Summary { return Summary{Chars: n} }

// Walk describes a piece that begins in a known state.
type Walk struct {
	Lines, Chars, Words int64
	Inside              bool // the piece ends inside a word
}

// Func walks over b, of any length, from inside a word or from outside. A character that the end of
// b cuts counts as bytes that are not UTF-8. It reads nothing outside b and is safe for concurrent
// use. The scheduler cannot interrupt it, so b should be at most a MiB: Summarize passes partBytes.
type Func = func(b []byte, inside bool) Walk

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: walkPlain})

// Kernel is a variant that takes pieces of any length.
type Kernel struct{ kernel.Variant[Func] }

// Best returns the kernel with the fastest variant that can run here. Choose once per job, not once
// per call.
func Best() Kernel { return Kernel{kernel.Choose(variants)} }

// partBytes is how many bytes are walked before states are compared: they stay in the first-level
// cache.
const partBytes = 4 << 10

// Summarize summarizes a piece of any length. Its end must be one that Boundary allows.
func (k Kernel) Summarize(b []byte) Summary {
	var s Summary
	at := [2]bool{false, true} // the state reached from each state
	for len(b) > 0 {
		n := len(b)
		if n > partBytes {
			n = partBytes + Boundary(b[partBytes:])
		}
		outside := k.Func(b[:n], at[0])
		inside := outside
		if at[0] != at[1] { // most pieces soon lead both states to the same one
			inside = k.Func(b[:n], at[1])
		}
		s.Lines += outside.Lines
		s.Chars += outside.Chars
		s.words[0] += outside.Words
		s.words[1] += inside.Words
		at = [2]bool{outside.Inside, inside.Inside}
		b = b[n:]
	}
	s.turns = [2]bool{at[0], !at[1]}
	return s
}

// ContextBytes is how many bytes behind a piece Boundary needs to see.
const ContextBytes = charBytesMax - 1

// Boundary returns how many of the first bytes of b to add to the piece before b: those that may
// continue a character. So no character is cut, wherever a text is divided. The next piece may begin
// with the same bytes: without the first byte of their character they count as nothing.
func Boundary(b []byte) int {
	n := 0
	for n < min(len(b), ContextBytes) && continues(b[n]) {
		n++
	}
	return n
}

// State is a Summary in a form that can be sent to another process.
type State struct {
	Lines, Chars int64
	Words        [2]int64 // for a piece that begins outside a word, and inside one
	Turns        [2]bool  // whether the piece ends in the other state
}

// State returns the summary's state.
func (s *Summary) State() *State { return &State{s.Lines, s.Chars, s.words, s.turns} }

// Summary returns the summary of a state.
func (s *State) Summary() Summary { return Summary{s.Lines, s.Chars, s.Words, s.Turns} }

// Probes returns the benchmark tasks of the family: pure ASCII text, and text with characters of
// all lengths.
func Probes() (all []kernel.Probe) {
	for _, kind := range []struct{ name, text string }{
		{"words ascii", "The quick brown fox jumps over the lazy dog.\n"},
		{"words mixed", "Zwölf Boxkämpfer, Съешь ещё этих, 色は匂へど, 😀 and a plain rest.\n"},
	} {
		all = append(all, kernel.NewProbe(kind.name, 1, 0, variants, func(f Func, n int) kernel.Work {
			b := []byte(strings.Repeat(kind.text, n/len(kind.text)+1)[:n])
			k := Kernel{kernel.Variant[Func]{Func: f}}
			return kernel.Repeat(func() Summary { return k.Summarize(b) })
		}))
	}
	return all
}
