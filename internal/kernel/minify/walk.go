//go:build goexperiment.simd && (amd64 || arm64)

package minify

import "math/bits"

// Lengths below which the plain form is faster: a shorter text is a block that must be made up.
const (
	shortMinifyBytes    = 32
	shortSummarizeBytes = 12
)

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
