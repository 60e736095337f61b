// Package minify removes the white space outside strings from JSON text, piece by piece.
//
// Two things determine what a byte means: whether it lies in a string, and whether an escape before
// it takes its meaning away. Both depend on all text before it, so a piece from the middle of a
// text is summarized for every state it may begin in. The summaries of neighbours compose. Then all
// pieces can be minified at the same time, by any worker, each to the place in the output that the
// sums give.
//
// A vector variant turns 64 bytes into masks of quotes, backslashes and white space. A byte after
// an odd number of backslashes is escaped; nearly all blocks have no backslash, which costs one
// comparison. The exclusive or of all quote bits up to a place tells whether that place is inside a
// string. It is the carry-less product of the mask and a number of all ones (Langdale and Lemire,
// Parsing Gigabytes of JSON per Second, 2019). The bytes to keep are moved together in a register
// and stored as a whole vector: the next block overwrites the excess.
//
// Backslashes escape anywhere, even outside strings, where JSON allows none.
package minify

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// State is what a place in a text inherits from the bytes before it.
type State struct {
	InString bool
	Escaped  bool // a backslash escapes the next byte
}

// Summary describes a piece for every state it may begin in.
type Summary struct {
	Kept       int64 // bytes kept if the piece begins outside strings, unescaped
	KeptInside int64 // the same if it begins in a string
	Odd        bool  // whether the number of its quotes is odd, so that the piece changes between inside and outside

	// If the first byte of the piece is escaped, that affects the backslashes at its start and the
	// first other byte, or the whole piece.
	Slashes bool // whether the piece is all backslashes, as an empty one is
	Turns   bool // whether the first other byte is a quote, whose meaning such an escape reverses
	Escapes bool // whether the piece ends with an open escape, if it began without
}

// From returns the state in which the piece ends if it begins in this one, and how many of its
// bytes are kept.
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

// Kernel holds the functions of the family. They read nothing outside their arguments and are safe
// for concurrent use.
type Kernel struct {
	// Summarize summarizes b, of any length. The scheduler cannot interrupt it, so b should be at
	// most a MiB.
	Summarize func(b []byte) Summary

	// Minify writes the bytes of src to keep to dst; src begins in this state. It returns how many
	// it kept and the state in which src ends. dst must be as long as src; bytes after the kept
	// ones may be overwritten. dst may begin where src begins, or before it in the same memory.
	Minify func(dst, src []byte, begin State) (n int, end State)

	// Compress writes the bytes of src for which keeps has a bit to dst, in order, and returns
	// their number. src is len(keeps) times BlockBytes long, and dst as long as src; bytes after
	// the kept ones may be overwritten. dst must not share memory with src. The scheduler cannot
	// interrupt it, so src should be at most a MiB.
	Compress func(dst, src []byte, keeps []uint64) (n int)
}

// BlockBytes is the number of bytes per mask of Compress.
const BlockBytes = blockBytes

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Kernel]{ISA: cpu.Plain, Func: plain})

// Best returns the fastest variant that can run here. Choose once per job, not once per call.
func Best() kernel.Variant[Kernel] { return kernel.Choose(variants) }

// Variants returns all variants, best first.
func Variants() []kernel.Variant[Kernel] { return variants }

// blockBytes is how many bytes a vector variant handles together: one bit of a word per byte.
const blockBytes = 64

// tileBlocks is for how many blocks a vector variant keeps the masks between two loops.
const tileBlocks = 32

// shortBytes is the length below which the plain variant is faster.
const shortBytes = 21

// walk is the state between blocks, as words.
type walk struct {
	inside  uint64 // all ones if the next block begins in a string
	escaped uint64 // 1 if the first byte of the next block is escaped
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

// pad fills the end of a block with rest, the end of a text, which is shorter than the block. It
// returns how many bytes of the block precede it, all of which will be kept, and the walk with
// which to process the block. An open escape is written to the block itself.
func (w walk) pad(block, rest []byte) (padding int, at walk) {
	padding = len(block) - len(rest)
	copy(block[padding:], rest)
	if w.escaped != 0 {
		block[padding-1] = '\\'
	}
	return padding, walk{inside: w.inside}
}

func (w walk) state() State { return State{w.inside != 0, w.escaped != 0} }

// summary returns the summary of b, which holds this much white space, in all and outside strings,
// after a walk that began in no state.
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
