// Package jsonscan turns JSON text into bit masks, 64 bytes at a time: which bytes lie in strings,
// which are white space, and which are brackets, colons and commas.
//
// It knows no grammar, and the masks are right for any bytes. A backslash takes the meaning of
// the next byte wherever it stands, also outside of strings, where JSON has none; every other quote
// begins or ends a string.
//
// A vector variant compares 64 bytes at once. The exclusive or of all quote bits up to a place says
// whether that place is inside a string (Langdale and Lemire, Parsing Gigabytes of JSON per
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
	Escaped uint64 // bytes whose meaning a backslash takes

	// Outside of strings.
	Open, Close  uint64 // brackets and braces
	Colon, Comma uint64

	// Curly tells braces from brackets, and means nothing for other bytes.
	Curly uint64
}

// State is what a place in a text inherits from the bytes before it.
type State struct {
	InString bool
	Escaped  bool // a backslash takes the meaning of the next byte
}

// Found is what a piece holds anywhere.
type Found struct {
	Foul    bool // a control character in a string, or a backslash outside: this is not JSON
	Wide    bool // a byte above 0x7f
	Escapes bool // an escaped byte
}

// Func describes b, whose length is a multiple of BlockBytes, in as many blocks as it has, and returns
// the state behind it. It reads nothing outside of b and is safe for concurrent use. A goroutine
// cannot be interrupted in it, so b should have a MiB at most: a Describer passes TileBytes.
type Func = func(b []byte, blocks []Block, at State) (end State, found Found)

// variants holds the variants of the kernel, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: markPlain})

// Best returns the fastest variant that may run here. Choose once a job, not once a call.
func Best() kernel.Variant[Func] { return kernel.Choose(variants) }

// Variants returns all variants, best first.
func Variants() []kernel.Variant[Func] { return variants }

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

func (w walk) state() State { return State{w.inside != 0, w.escaped != 0} }

const (
	evenBits = 0x5555555555555555
	oddBits  = evenBits << 1
)

// escapes returns the bits of the bytes that are escaped, where backslashes are the bits of
// the backslashes and escaped says whether the first byte is escaped from before; and the
// same for the next block.
//
// A run of backslashes escapes its second byte, its fourth and so on, as far as the first
// behind it. So of what follows a backslash, the odd places are escaped if the run
// begins at an even one, and the other way round. Adding the beginning of a run to the run
// carries through it, which leaves only the runs that nothing was added to.
func escapes(backslashes, escaped uint64) (all, next uint64) {
	free := backslashes &^ escaped // an escaped backslash escapes nothing
	begins := free &^ (free << 1)
	fromOdd := free & (free + begins&evenBits)
	fromEven := free &^ fromOdd
	return fromEven<<1&oddBits | fromOdd<<1&evenBits | escaped, fromOdd >> 63
}
