// Package rows counts the records of quoted CSV, piece by piece and in any order.
//
// A line feed ends a record unless it lies in a quoted field. Whether it does depends on all
// that is before it, so a piece is summed up for every state that it may begin in. Sums of
// neighbours then compose into that of both, and the answer is exact without a guess and
// without a second look.
//
// That does not cost several times as much. Two states that lead to the same one go on as
// one, and most do soon: a quoted field opens only at its beginning, so text that is read
// from the wrong state meets a quote out of place, and is read right from the next separator
// on. What is left are pieces without a quote, where nothing is to be found out.
//
// A vector form turns 64 bytes into masks, of the quotes and of the line feeds. The exclusive
// or of all quote bits up to a place says whether that place is inside; it is the product,
// without carries, of the mask and a number of all ones (Langdale and Lemire, Parsing
// Gigabytes of JSON per Second, 2019). Every processor with AVX2 multiplies so. That holds
// as long as a quote outside opens a field, which one more mask tells; 64 bytes with one that
// does not are left to the plain form, and so is what is behind the last 64 bytes.
package rows

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Summary is what a piece of quoted CSV says about its records. The zero Summary is that of
// no bytes.
type Summary struct {
	Lines int64 // all line feeds

	feeds [states]int64        // those that end a record, by the state that the piece begins in
	turns [states]fields.State // the same: that state, exclusive or the one behind the piece
}

// states are those that matter here: AtField, InField and InQuotes. Of what ends a record,
// and what does not, AfterQuote says the same as AtField, and AfterReturn as InField.
const states = 3

// simple returns the state that matters.
func simple(s fields.State) fields.State {
	switch s {
	case fields.AfterQuote:
		return fields.AtField
	case fields.AfterReturn:
		return fields.InField
	}
	return s
}

// Feeds returns how many line feeds end a record of a piece that begins in a state.
func (s *Summary) Feeds(begin fields.State) int64 { return s.feeds[simple(begin)] }

// Behind returns the state behind a piece that begins in a state: AtField, InField or InQuotes.
func (s *Summary) Behind(begin fields.State) fields.State {
	begin = simple(begin)
	return begin ^ s.turns[begin]
}

// Then returns the summary of a piece followed by the next one. It is associative.
func (s Summary) Then(next Summary) Summary {
	whole := Summary{Lines: s.Lines + next.Lines}
	for i := range s.feeds {
		begin := fields.State(i)
		middle := s.Behind(begin)
		whole.feeds[i] = s.feeds[i] + next.feeds[middle]
		whole.turns[i] = begin ^ next.Behind(middle)
	}
	return whole
}

// Walk is what a piece says that begins in a certain state.
type Walk struct {
	Feeds  int64        // line feeds that end a record
	Lines  int64        // all line feeds
	Quotes bool         // whether it has any quote
	Behind fields.State // AtField, InField or InQuotes
}

// Func walks over b, of any length, from a state on that is one of those three. The dialect is
// one with quotes. It reads nothing outside b and is safe for concurrent use. A goroutine cannot
// be interrupted in it, so b should have a MiB at most: Summarize passes partBytes.
type Func = func(b []byte, d fields.Dialect, s fields.State) Walk

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: walkPlain})

// Kernel is a form, which for short pieces gives way to the plain one.
type Kernel struct{ kernel.Variant[Func] }

// Best returns the kernel of the fastest form that may run here. Choose once a job, not once
// a call.
func Best() Kernel { return Kernel{kernel.Choose(variants)} }

// wordBytes is what the vector forms take at once.
const wordBytes = 64

// partBytes is how much is walked over before it is looked whether states have met: it stays
// in the processor's first cache.
const partBytes = 4 << 10

// Summarize sums up a piece of any length.
func (k Kernel) Summarize(b []byte, d fields.Dialect) Summary {
	var s Summary
	var at [states]fields.State
	for i := range at {
		at[i] = fields.State(i)
	}
	// Behind the first bytes few states are left.
	head := min(len(b), wordBytes)
	part, walk := b[:head], Func(walkPlain)
	for len(part) > 0 {
		s.walk(part, d, &at, walk)
		b = b[len(part):]
		part, walk = b[:min(len(b), partBytes)], k.Func
	}
	for i := range at {
		s.turns[i] = fields.State(i) ^ at[i]
	}
	return s
}

// walk goes on by a part, from the states in which those that began in each are by now.
func (s *Summary) walk(part []byte, d fields.Dialect, at *[states]fields.State, walk Func) {
	var walks [states]Walk
	var done [states]bool
	quotes, lines := true, int64(0)
	for i, state := range at {
		if !done[state] {
			done[state] = true
			if quotes || state != fields.InQuotes {
				walks[state] = walk(part, d, state)
				quotes = walks[state].Quotes
			} else {
				walks[state] = Walk{Behind: state} // it stays in quotes, and so no record ends
			}
			lines = max(lines, walks[state].Lines)
		}
		s.feeds[i] += walks[state].Feeds
		at[i] = walks[state].Behind
	}
	s.Lines += lines
}
