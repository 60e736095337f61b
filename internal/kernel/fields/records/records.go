// Package records holds what a pass over delimited text works on: some hundred records at
// a time, and where in their text the fields are that somebody asked about.
//
// All work is done column by column over such a batch, in loops without calls: what one
// record does not have to wait for in another the processor then does at once.
package records

// Max is how many records a batch holds at most.
const Max = 1024

// SlackBytes may be read, and mean nothing, on either side of every field of a batch: so
// that fields can be read in words.
const SlackBytes = 64

// Span is a range of a batch's text: the bytes [Off, Off+Len).
type Span struct{ Off, Len uint32 }

// Of returns the bytes of the span.
func (s Span) Of(text []byte) []byte { return text[s.Off : s.Off+s.Len : s.Off+s.Len] }

// Column is where one field of each record of a batch lies, by the record's number in the
// batch. Values are those of the field: without quotes around it, quotes in it not doubled.
type Column []Span

// Selection names the records of a batch that something is to be done with, ascending.
type Selection []uint16
