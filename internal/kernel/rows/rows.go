// Package rows counts the records of quoted CSV.
//
// A quote opens or closes, whatever stands around it, and a line feed ends a record unless
// it lies inside quotes. Doubled quotes need no care: they close and open again.
//
// Whether a piece from the middle of a file begins inside quotes is decided by all that is
// before it. So a piece is summed up for both cases, which costs no second pass: a feed
// that is inside in one case is outside in the other. The sums of neighbours compose, so
// pieces can be counted in any order, and nobody has to guess.
//
// A vector form looks at 64 bytes at a time, as two words of bits: where quotes are, and
// where feeds. The parity of the quotes up to each bit, which six shifts find, tells what
// is inside; the parity of the whole word is carried over to the next.
package rows

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

// Summary is what is known of a piece.
type Summary struct {
	Feeds       int64 // line feeds that end a record, if the piece begins outside quotes
	FeedsInside int64 // the same, if it begins inside
	Odd         bool  // the number of quotes: behind the piece the two cases are swapped
}

// Then returns the summary of the piece with the next behind it.
func (s Summary) Then(next Summary) Summary {
	if s.Odd {
		next.Feeds, next.FeedsInside = next.FeedsInside, next.Feeds
	}
	return Summary{s.Feeds + next.Feeds, s.FeedsInside + next.FeedsInside, s.Odd != next.Odd}
}

// Func sums up b. It reads nothing outside b and is safe for concurrent use.
type Func = func(b []byte) Summary

// variants holds the forms of the kernel, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: sumPlain})

// Best returns the fastest form that may run here. Choose once a job, not once a call.
func Best() kernel.Variant[Func] { return kernel.Choose(variants) }

// sum adds up words of 64 bytes.
type sum struct {
	outside, all int64
	inside       uint64 // all ones while a piece that began outside is inside quotes
}

// add adds 64 bytes, of which the bits tell where quotes and where line feeds are.
func (s *sum) add(quotes, feeds uint64) {
	inside := parity(quotes) ^ s.inside
	s.outside += int64(bits.OnesCount64(feeds &^ inside))
	s.all += int64(bits.OnesCount64(feeds))
	s.inside = uint64(int64(inside) >> 63)
}

// end adds the bytes behind the last whole word.
func (s *sum) end(b []byte) Summary {
	return Summary{s.outside, s.all - s.outside, s.inside != 0}.Then(sumPlain(b))
}

// parity returns, in each bit, whether an odd number of bits is set up to it.
func parity(word uint64) uint64 {
	word ^= word << 1
	word ^= word << 2
	word ^= word << 4
	word ^= word << 8
	word ^= word << 16
	return word ^ word<<32
}
