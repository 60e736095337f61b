// Package records holds what a pass over delimited text works on: a batch of some hundred records,
// and where in its text the fields lie that the query uses.
//
// All work on a batch is done column by column, in loops without calls. The iterations for
// different records do not depend on each other, so the processor executes them in parallel.
package records

// Max is the largest number of records in a batch.
const Max = 1024

// SlackBytes is how many bytes on either side of every field of a batch may be read, though they
// mean nothing, so that fields can be read in words.
const SlackBytes = 64

// Span is a range of a batch's text: the bytes [Off, Off+Len).
type Span struct{ Off, Len uint32 }

// Of returns the bytes of the span.
func (s Span) Of(text []byte) []byte { return text[s.Off : s.Off+s.Len : s.Off+s.Len] }

// Column is where one field of each record of a batch lies, indexed by the record's number in the
// batch. The span of a quoted field excludes its quotes; doubled quotes in it are already single.
type Column []Span

// Selection lists the records of a batch to work on, ascending.
type Selection []uint16
