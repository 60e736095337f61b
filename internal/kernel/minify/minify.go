// Package minify takes the white space outside of strings out of JSON text, piece by piece.
//
// Two things say what a byte means: whether it lies in a string, and whether an escape
// before it takes its meaning away. Both depend on all that is before, so a piece from the
// middle of a text is summarised for every state it may begin in; summaries of neighbours
// compose, and then every piece can be minified at once, by whoever, to the place in the
// output that the sums tell.
//
// A vector form turns 64 bytes into masks: of quotes, of backslashes, of white space. A byte
// behind an odd number of backslashes is escaped; where there are no backslashes, as in
// nearly all blocks, that costs one comparison. The exclusive or of all quote bits up to a
// place says whether that place is inside a string: a product without carries of the mask
// and a number of all ones (Langdale and Lemire, Parsing Gigabytes of JSON per Second, 2019).
// What is left to keep is moved together in a register and stored whole: the next block
// overwrites what is too much.
//
// Backslashes escape wherever they stand, also outside of strings, where JSON has none.
package minify

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// State is what a place in a text owes to what stands before it.
type State struct {
	InString bool
	Escaped  bool // an escape that has begun takes the meaning of the next byte
}

// Summary is what a piece says for every state it may begin in.
type Summary struct {
	Kept       int64 // bytes that stay if the piece begins outside of strings, unescaped
	KeptInside int64 // the same if it begins in a string
	Odd        bool  // whether its quotes are odd in number, so that it ends as it did not begin

	// An escape that the piece begins with reaches through the backslashes at its start to
	// the first other byte, or through the whole piece.
	Slashes bool // whether all of it is backslashes, as nothing is
	Turns   bool // whether the first other byte is a quote, which such an escape turns over
	Escapes bool // whether the piece ends with an escape begun, if it began without
}

// From returns the state in which a piece ends that begins in such a state, and how many of
// its bytes stay.
func (s Summary) From(begin State) (end State, kept int64) {
	if s.Slashes {
		return State{begin.InString, begin.Escaped != s.Escapes}, s.Kept
	}
	turned := begin.Escaped && s.Turns
	kept = s.Kept
	if begin.InString != turned {
		kept = s.KeptInside
	}
	return State{begin.InString != (s.Odd != turned), s.Escapes}, kept
}

// Then returns the summary of a piece followed by the next one. It is associative, and the
// summary of no bytes, None, changes nothing.
func (s Summary) Then(next Summary) Summary {
	outside, kept := next.From(State{s.Odd, s.Escapes})
	_, keptInside := next.From(State{!s.Odd, s.Escapes})
	both := Summary{
		Kept: s.Kept + kept, KeptInside: s.KeptInside + keptInside,
		Odd: outside.InString, Escapes: outside.Escaped,
		Slashes: s.Slashes && next.Slashes, Turns: s.Turns,
	}
	if s.Slashes {
		both.Turns = next.Turns
	}
	return both
}

// None is the summary of no bytes.
func None() Summary { return Summary{Slashes: true} }

// Kernel is the functions of the family. They read nothing outside of what they are given and
// are safe for concurrent use.
type Kernel struct {
	// Summarize sums up b, of any length. A goroutine cannot be interrupted in it, so b should
	// have a MiB at most.
	Summarize func(b []byte) Summary

	// Minify writes what stays of src, which begins in such a state, to dst, and returns how
	// much that is and in which state src ends. dst must be as long as src; bytes behind
	// those that stay may be overwritten. It may begin where src begins, or before it in the
	// same memory.
	Minify func(dst, src []byte, begin State) (n int, end State)

	// Compress writes the bytes of src that keeps has a bit for to dst, in order, and returns
	// their number. Src is len(keeps) times BlockBytes long, and dst as long as src; bytes
	// behind those that stay may be overwritten. Dst must not share memory with src. A goroutine
	// cannot be interrupted in it, so src should have a MiB at most.
	Compress func(dst, src []byte, keeps []uint64) (n int)
}

// BlockBytes is the number of bytes that a mask of Compress stands for.
const BlockBytes = blockBytes

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Kernel]{ISA: cpu.Plain, Func: plain})

// Best returns the fastest form that may run here. Choose once a job, not once a call.
func Best() kernel.Variant[Kernel] { return kernel.Choose(variants) }

// Variants returns all forms, best first.
func Variants() []kernel.Variant[Kernel] { return variants }

// blockBytes is how much a vector form looks at together: a bit of a word for each byte.
const blockBytes = 64

// tileBlocks is of how many blocks a vector form keeps the masks between two loops.
const tileBlocks = 32

// shortBytes is the length below which the plain form is faster.
const shortBytes = 21

// walk is the state between blocks, as words.
type walk struct {
	inside  uint64 // all ones where the next block begins in a string
	escaped uint64 // 1 where the first byte of the next block is escaped
}

func walkFrom(s State) (w walk) {
	if s.InString {
		w.inside = ^uint64(0)
	}
	if s.Escaped {
		w.escaped = 1
	}
	return w
}

// pad fills the end of a block with the rest of a text, which is shorter, and returns how much
// stands before it, which all stays, and the walk to go over the block with: an escape that
// has begun stands in the block itself.
func (w walk) pad(block, rest []byte) (padding int, at walk) {
	padding = len(block) - len(rest)
	copy(block[padding:], rest)
	if w.escaped != 0 {
		block[padding-1] = '\\'
	}
	return padding, walk{inside: w.inside}
}

func (w walk) state() State { return State{w.inside != 0, w.escaped != 0} }

// summary returns what a piece says that holds so much white space, in all and outside of
// strings, where the walk over them began without a state.
func (w walk) summary(b []byte, white, outside int) Summary {
	s := Summary{
		Kept: int64(len(b) - outside), KeptInside: int64(len(b) - (white - outside)),
		Odd: w.inside != 0, Escapes: w.escaped != 0,
	}
	first := 0
	for first < len(b) && b[first] == '\\' {
		first++
	}
	if s.Slashes = first == len(b); !s.Slashes {
		s.Turns = b[first] == '"'
	}
	return s
}

const (
	evenBits = 0x5555555555555555
	oddBits  = evenBits << 1
)

// escapes returns the bits of the bytes that are escaped, where backslashes are the bits of
// the backslashes and escaped says whether the first byte is escaped from before; and the
// same for the next block.
//
// Adding the beginning of a run of backslashes to the run carries to the first bit behind
// it. A run that begins at an even place and is odd in length ends behind an odd place, and
// the other way round; so runs that begin at even and at odd places are added by
// themselves, and of where they end only the places of the other kind are taken.
func escapes(backslashes, escaped uint64) (all, next uint64) {
	backslashes &^= escaped // an escaped backslash escapes nothing
	begins := backslashes &^ (backslashes << 1)
	evenEnds := backslashes + begins&evenBits
	oddEnds := backslashes + begins&oddBits
	all = evenEnds&^backslashes&oddBits | oddEnds&^backslashes&evenBits
	// Within runs every second byte is escaped too, but a backslash means nothing by itself.
	all |= escaped
	// A run that reaches the end of the block escapes if what there is of it is odd.
	return all, uint64(bits.LeadingZeros64(^backslashes)) & 1
}
