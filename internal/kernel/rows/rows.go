// Package rows counts the records of quoted CSV, piece by piece and in any order.
//
// A line feed ends a record unless it lies in a quoted field. Whether it does depends on all text
// before it, so a piece is summarized for every state it may begin in. The summaries of neighbours
// compose to the summary of both. So the answer is exact, without guessing and without a second
// pass.
//
// That does not cost several times as much. Two states that lead to the same state continue as one,
// and most do soon: a quoted field opens only at its beginning, so a reader in the wrong state soon
// meets a misplaced quote, and is right again from the next separator on. The exception is a piece
// without a quote, where there is nothing to find out.
//
// A vector variant turns 64 bytes into masks of the quotes and of the line feeds. The exclusive or
// of all quote bits up to a place tells whether that place is inside a quoted field. It is the
// carry-less product of the mask and a number of all ones (Langdale and Lemire, Parsing Gigabytes
// of JSON per Second, 2019); every processor with AVX2 has that multiplication. This is right as
// long as every quote outside opens a field, which one more mask tells. 64 bytes with a quote that
// does not are left to the plain variant, and so are the bytes after the last 64.
package rows

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// Summary describes the records of a piece of quoted CSV. The zero Summary describes no bytes.
type Summary struct {
	Lines int64 // all line feeds

	feeds [states]int64        // those that end a record, by the state in which the piece begins
	turns [states]fields.State // that state, exclusive or the state after the piece
}

// states is the number of states that matter here: AtField, InField and InQuotes. As to which line
// feeds end a record, AfterQuote is equivalent to AtField, and AfterReturn to InField.
const states = 3

// simple returns the equivalent state that matters.
func simple(s fields.State) fields.State {
	switch s {
	case fields.AfterQuote:
		return fields.AtField
	case fields.AfterReturn:
		return fields.InField
	}
	return s
}

// Feeds returns how many line feeds end a record if the piece begins in this state.
func (s *Summary) Feeds(begin fields.State) int64 { return s.feeds[simple(begin)] }

// After returns the state after a piece that begins in this state: AtField, InField or InQuotes.
func (s *Summary) After(begin fields.State) fields.State {
	begin = simple(begin)
	return begin ^ s.turns[begin]
}

// Then returns the summary of a piece followed by the next one. It is associative.
func (s Summary) Then(next Summary) Summary {
	whole := Summary{Lines: s.Lines + next.Lines}
	for i := range s.feeds {
		begin := fields.State(i)
		middle := s.After(begin)
		whole.feeds[i] = s.feeds[i] + next.feeds[middle]
		whole.turns[i] = begin ^ next.After(middle)
	}
	return whole
}

// Walk describes a piece that begins in one known state.
type Walk struct {
	Feeds  int64        // line feeds that end a record
	Lines  int64        // all line feeds
	Quotes bool         // whether there is any quote
	After  fields.State // AtField, InField or InQuotes
}

// Func walks over b, of any length, from one of those three states. The dialect must have quotes.
// It reads nothing outside b and is safe for concurrent use. The scheduler cannot interrupt it, so
// b should be at most a MiB: Summarize passes partBytes.
type Func = func(b []byte, d fields.Dialect, s fields.State) Walk

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Func]{ISA: cpu.Plain, Func: walkPlain})

// Kernel is a variant that leaves short pieces to the plain one.
type Kernel struct{ kernel.Variant[Func] }

// Best returns the kernel with the fastest variant that can run here. Choose once per job, not once
// per call.
func Best() Kernel { return Kernel{kernel.Choose(variants)} }

// wordBytes is how many bytes a vector variant handles at once.
const wordBytes = 64

// partBytes is how many bytes are walked before states are compared: they stay in the first-level
// cache.
const partBytes = 4 << 10

// Summarize summarizes a piece of any length.
func (k Kernel) Summarize(b []byte, d fields.Dialect) Summary {
	var s Summary
	var at [states]fields.State
	for i := range at {
		at[i] = fields.State(i)
	}
	// After the first bytes few distinct states remain.
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

// walk continues over a part. at holds, for each state in which the piece may begin, the state
// reached so far.
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
				walks[state] = Walk{After: state} // it stays in quotes, so no record ends
			}
			lines = max(lines, walks[state].Lines)
		}
		s.feeds[i] += walks[state].Feeds
		at[i] = walks[state].After
	}
	s.Lines += lines
}
