// Package rows counts the records of quoted CSV, piece by piece and in any order.
//
// A quote toggles between outside and inside of a quoted field, and a line feed outside
// ends a record; a quote that is doubled inside a field leaves and enters again, which
// comes to the same. Whether a piece from the middle of a file begins inside depends on
// all that is before it, so a piece is summarised for both beginnings at once: what was
// outside for the one is inside for the other. Summaries of neighbours then compose into
// that of both, and the answer is exact without a guess and without a second look.
//
// A vector form turns 64 bytes into two masks, of the quotes and of the line feeds. The
// exclusive or of all quote bits up to a place says whether that place is inside; it is
// the product, without carries, of the mask and a number of all ones (Langdale and Lemire,
// Parsing Gigabytes of JSON per Second, 2019). Every processor with AVX2 multiplies so.
// What is left behind the last 64 bytes goes to the plain form.
package rows

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

// Summary is what a piece of quoted CSV says about its records.
type Summary struct {
	Feeds       int64 // line feeds that end a record if the piece begins outside of quotes
	FeedsInside int64 // the same if it begins inside: all other line feeds
	Odd         bool  // whether its quotes are odd in number, so that it ends as it did not begin
}

// Then returns the summary of a piece followed by the next one. It is associative, and the
// summary of no bytes, which is the zero Summary, changes nothing.
func (s Summary) Then(next Summary) Summary {
	if s.Odd {
		next.Feeds, next.FeedsInside = next.FeedsInside, next.Feeds
	}
	return Summary{s.Feeds + next.Feeds, s.FeedsInside + next.FeedsInside, s.Odd != next.Odd}
}

// Func summarises b, of any length, where quote stands around fields. It reads nothing
// outside b and is safe for concurrent use.
type Func = func(b []byte, quote byte) Summary

// variants holds the forms of the kernel, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: summarizePlain})

// Kernel is a form, which for short pieces gives way to the plain one.
type Kernel struct{ kernel.Variant[Func] }

// Best returns the kernel of the fastest form that may run here. Choose once a job, not once
// a call.
func Best() Kernel { return Kernel{kernel.Choose(variants)} }

// shortBytes is what the vector forms take at once.
const shortBytes = 64

// Summarize does what a Func does.
func (k Kernel) Summarize(b []byte, quote byte) Summary {
	if len(b) < shortBytes {
		return summarizePlain(b, quote)
	}
	return k.Func(b, quote)
}
