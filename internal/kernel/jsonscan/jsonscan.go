// Package jsonscan turns JSON text into bit masks, 64 bytes at a time: which bytes lie in strings,
// which are white space, and which are brackets, colons and commas.
//
// It knows no grammar, and the masks are right for any bytes. A backslash escapes the next byte
// anywhere, even outside strings, where JSON allows none; every other quote begins or ends a
// string.
//
// A vector variant compares 64 bytes at once. The exclusive or of all quote bits up to a place
// tells whether that place is inside a string (Langdale and Lemire, Parsing Gigabytes of JSON per
// Second, 2019).
package jsonscan

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// BlockBytes is the number of bytes that a Block describes.
const BlockBytes = 64

// Block holds one bit for each of 64 bytes; the first byte has the lowest bit.
type Block struct {
	Quotes  uint64 // quotes that begin or end a string: those that are not escaped
	Inside  uint64 // in a string, from its opening quote to the byte before its closing quote
	White   uint64 // white space, in strings and outside
	Escaped uint64 // bytes escaped by a backslash

	// Only outside strings.
	Open, Close  uint64 // brackets and braces
	Colon, Comma uint64

	// Curly distinguishes braces from brackets; it means nothing for other bytes.
	Curly uint64
}

// State is what a place in a text inherits from the bytes before it.
type State struct {
	InString bool
	Escaped  bool // a backslash escapes the next byte
}

// Found says what occurs anywhere in a piece.
type Found struct {
	Invalid  bool // a control character in a string, or a backslash outside: this is not JSON
	NonASCII bool // a byte above 0x7f
	Escapes  bool // an escaped byte
}

// Func describes b, whose length is a multiple of BlockBytes, in one block per BlockBytes, and
// returns the state after it. It reads nothing outside b and is safe for concurrent use. The
// scheduler cannot interrupt it, so b should be at most a MiB: a Describer passes TileBytes.
type Func = func(b []byte, blocks []Block, at State) (end State, found Found)

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: markPlain})

// Best returns the fastest variant that can run here. Choose once per job, not once per call.
func Best() kernel.Variant[Func] { return kernel.Choose(variants) }

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

func (w walk) state() State { return State{w.inside != 0, w.escaped != 0} }
