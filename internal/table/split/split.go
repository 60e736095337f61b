// Package split finds the fields of lines that no single byte separates: several bytes do, or runs of blanks, or
// they have fixed widths. A record is a line: a field in quotes may hold separators, but no line feed.
package split

import (
	"bytes"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// Form is how lines are written. One of Separator, Blanks and Widths is set.
type Form struct {
	Separator string // between fields
	Blanks    bool   // fields lie between runs of spaces and tabs
	Widths    []int  // of the fields in characters; a last one of 0 is the rest of the line
	Quote     byte   // around fields; 0 for none
	Comment   string // lines that begin with it, perhaps after blanks, are none; "" for no such lines
}

// blanks are what is around fields of fixed widths, and between those of Blanks.
const blanks = " \t"

// Skips reports whether a line is a comment.
func (f *Form) Skips(line []byte) bool {
	return f.Comment != "" && bytes.HasPrefix(bytes.TrimLeft(line, blanks), []byte(f.Comment))
}

// Fault is what is wrong with a line.
type Fault uint8

// The faults. A line may have too few or too many fields besides.
const (
	None      Fault = iota
	Misplaced       // a quote within a field, or something between a closing quote and a separator
	Unclosed        // a quote that is not closed in its line
	Longer          // something follows the last width
)

// Splitter finds fields. It serves one goroutine.
type Splitter struct {
	Form
	// Spans are where the wanted fields of the last line are in it, in the order in which they were wanted. A field that
	// is missing is empty.
	Spans []records.Span
	Fault Fault // of the last line, the first one
	At    int   // where it is in the line

	slots []int // by field: its place in Spans, -1 for one that is not wanted
	all   bool
}

// New returns a splitter for some fields, from 0.
func (f Form) New(wanted []int) *Splitter {
	s := &Splitter{Form: f, Spans: make([]records.Span, len(wanted))}
	for slot, field := range wanted {
		for field >= len(s.slots) && field < fieldsMost {
			s.slots = append(s.slots, -1)
		}
		if field < fieldsMost { // otherwise no record has it
			s.slots[field] = slot
		}
	}
	return s
}

// fieldsMost is more than any record has.
const fieldsMost = 1 << 24

// All returns the fields of a line, and what is wrong with it.
func (f Form) All(line []byte) (all []records.Span, fault Fault, at int) {
	s := &Splitter{Form: f, all: true}
	s.Split(line)
	return s.Spans, s.Fault, s.At
}

// Split finds the fields of a line, without its end, and returns how many it has.
func (s *Splitter) Split(line []byte) (fields int) {
	s.Fault, s.At = None, 0
	if s.all {
		s.Spans = s.Spans[:0]
	}
	clear(s.Spans)
	switch {
	case s.Widths != nil:
		return s.fixed(line)
	case s.Blanks:
		return s.between(line)
	}
	return s.separated(line)
}

func (s *Splitter) set(field, from, to int) {
	span := records.Span{Off: uint32(from), Len: uint32(to - from)}
	if s.all {
		s.Spans = append(s.Spans, span)
	} else if field < len(s.slots) && s.slots[field] >= 0 {
		s.Spans[s.slots[field]] = span
	}
}

func (s *Splitter) fault(f Fault, at int) {
	if s.Fault == None {
		s.Fault, s.At = f, at
	}
}

// separated finds fields between separators.
func (s *Splitter) separated(line []byte) (n int) {
	separator, quotes := []byte(s.Separator), s.hasQuotes(line)
	for from := 0; ; n++ {
		to := from
		if quotes {
			to = s.closing(line, from)
		}
		if i := bytes.Index(line[to:], separator); i >= 0 {
			s.check(line, from, to, to+i, quotes)
			s.set(n, from, to+i)
			from = to + i + len(separator)
			continue
		}
		s.check(line, from, to, len(line), quotes)
		s.set(n, from, len(line))
		return n + 1
	}
}

// between finds fields between blanks.
func (s *Splitter) between(line []byte) (n int) {
	quotes := s.hasQuotes(line)
	for at := 0; ; n++ {
		for at < len(line) && isBlank(line[at]) {
			at++
		}
		if at == len(line) {
			return n
		}
		from := at
		if quotes {
			at = s.closing(line, from)
		}
		closed := at
		for at < len(line) && !isBlank(line[at]) {
			at++
		}
		s.check(line, from, closed, at, quotes)
		s.set(n, from, at)
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func (s *Splitter) hasQuotes(line []byte) bool {
	return s.Quote != 0 && bytes.IndexByte(line, s.Quote) >= 0
}

// closing returns the place after the quote that closes the field that begins at from; from if no quote opens it. A
// doubled quote is one in the field.
func (s *Splitter) closing(line []byte, from int) int {
	if from == len(line) || line[from] != s.Quote {
		return from
	}
	for at := from + 1; ; at += 2 {
		i := bytes.IndexByte(line[at:], s.Quote)
		if i < 0 {
			s.fault(Unclosed, from)
			return len(line)
		}
		if at += i; at+1 == len(line) || line[at+1] != s.Quote {
			return at + 1
		}
	}
}

// check finds out whether there is a fault in a field that lies in [from, to), and whose quotes are closed at closed.
func (s *Splitter) check(line []byte, from, closed, to int, quotes bool) {
	switch {
	case !quotes || closed == to:
	case closed > from:
		s.fault(Misplaced, closed)
	default:
		if i := bytes.IndexByte(line[from:to], s.Quote); i >= 0 {
			s.fault(Misplaced, from+i)
		}
	}
}

// fixed finds fields by their widths. Blanks around a field are not part of it.
func (s *Splitter) fixed(line []byte) int {
	at, ascii := 0, isASCII(line)
	for n, width := range s.Widths {
		end := len(line)
		switch {
		case width == 0 || at == end:
		case ascii:
			end = min(at+width, end)
		default:
			for end = at; width > 0 && end < len(line); width-- {
				_, size := utf8.DecodeRune(line[end:])
				end += size
			}
		}
		from, to := at, end
		for from < to && isBlank(line[from]) {
			from++
		}
		for from < to && isBlank(line[to-1]) {
			to--
		}
		s.set(n, from, to)
		at = end
	}
	if len(bytes.TrimLeft(line[at:], blanks)) > 0 {
		s.fault(Longer, at)
	}
	return len(s.Widths)
}

func isASCII(line []byte) bool {
	all := byte(0)
	for _, c := range line {
		all |= c
	}
	return all < utf8.RuneSelf
}
