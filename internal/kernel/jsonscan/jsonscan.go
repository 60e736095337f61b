// Package jsonscan finds where the words of JSON text begin, 64 bytes at a time: brackets,
// colons and commas, strings, numbers and literals.
//
// It knows no grammar. A byte outside of strings that is neither white space nor a bracket,
// colon, comma or quote belongs to a word, and the word begins where the byte before
// does not; a quote begins a string, the next one that is not escaped ends it. What a
// word is worth is for the caller to find out by looking at it.
//
// A vector form turns 64 bytes into masks: of quotes, of backslashes, of white space and of
// what has a meaning of its own. The exclusive or of all quote bits up to a place says whether that
// place is inside a string (Langdale and Lemire, Parsing Gigabytes of JSON per Second, 2019).
package jsonscan

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

const (
	// BlockBytes is how much a bit mask is of.
	BlockBytes = 64

	// PieceBytes is how much may be looked at in a call: so much that its places are 16 bits.
	PieceBytes = 32 << 10
)

// State is what a place in a text owes to what stands before it.
type State struct {
	InString bool
	Escaped  bool // a backslash in a string takes the meaning of the next byte
	InWord   bool // the byte before belongs to a number or literal
}

// Found is what a piece holds anywhere.
type Found struct {
	Foul    bool // a control character in a string, or a backslash outside: this is not JSON
	Wide    bool // a byte above 0x7f
	Escapes bool // an escape
}

// Func writes to begins at which places of b a word begins, in order, and returns how many these are;
// and to escaped, a mask for each block, which bytes stand behind the backslash of an escape.
// In what is foul, this means nothing from there on, nor does what else was found.
//
// The length of b is a multiple of BlockBytes, and at most PieceBytes. begins must be longer by
// BlockBytes, and may be written to behind what is returned. Nothing outside of b is read. It is
// safe for concurrent use.
type Func = func(b []byte, begins []uint16, escaped []uint64, at State) (n int, end State, found Found)

// variants holds the forms of the kernel, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: markPlain})

// Best returns the fastest form that may run here. Choose once a job, not once a call.
func Best() kernel.Variant[Func] { return kernel.Choose(variants) }

// Variants returns all forms, best first.
func Variants() []kernel.Variant[Func] { return variants }

// walk is the state between blocks, as words.
type walk struct {
	inside  uint64 // all ones where the next block begins in a string
	escaped uint64 // 1 where the first byte of the next block is escaped
	inWord  uint64 // 1 where the byte before the next block belongs to a word
}

func walkFrom(s State) (w walk) {
	if s.InString {
		w.inside = ^uint64(0)
	}
	if s.Escaped {
		w.escaped = 1
	}
	if s.InWord {
		w.inWord = 1
	}
	return w
}

func (w walk) state() State { return State{w.inside != 0, w.escaped != 0, w.inWord != 0} }

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
