package batch

import (
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Use says what the numbers of a column are needed for.
type Use uint8

const (
	Strict    Use = 1 << iota // something that has no answer but for numbers
	ByValues                  // something that is also answered for times and texts
	AsWritten                 // something that is answered for any values, and for numbers if all are
)

// Kinds says what kinds of values a column has.
type Kinds uint8

const (
	HasNumbers Kinds = 1 << iota
	HasTimes
	HasTexts // neither numbers nor times
)

// Seen is what was seen of the values of a number column.
type Seen struct {
	Bad      int64 // fields that are not numbers
	Nulls    int64
	Decimals int   // digits after the point, without zeros at the end
	Floats   bool  // some numbers have an exponent
	Large    bool  // some integers have more digits than usual
	Kinds    Kinds // of values
}

// Merge adds what was seen elsewhere.
func (s *Seen) Merge(o Seen) {
	s.Bad, s.Nulls = s.Bad+o.Bad, s.Nulls+o.Nulls
	s.Decimals = max(s.Decimals, o.Decimals)
	s.Floats, s.Large = s.Floats || o.Floats, s.Large || o.Large
	s.Kinds |= o.Kinds
}

// AsText reports whether what an aggregate returns of the values is a time or a text, if it may be.
func (s *Seen) AsText() bool { return s.Kinds != 0 && s.Kinds&HasNumbers == 0 }

// NeedsNumbers reports whether values that are not numbers are skipped, where they are used so.
func (s *Seen) NeedsNumbers(u Use) bool {
	return u&Strict != 0 || u&ByValues != 0 && !s.AsText()
}

// AddBad notes the kind of a field that is not a number, as far as something needs to know it.
func (s *Seen) AddBad(field []byte, u Use) {
	s.Bad++
	if u&(ByValues|AsWritten) == 0 || s.Kinds&HasTexts != 0 {
		return
	}
	if _, ok := value.ParseTime(field); ok {
		s.Kinds |= HasTimes
	} else {
		s.Kinds |= HasTexts
	}
}

// Known is what is known of a number column when all records have been read.
type Known struct {
	Seen
	Scale int // of numbers that are plain
}

// Heading returns the type of results that are numbers of the column, or sums of such numbers.
func (k *Known) Heading(sums bool) answer.Column {
	switch {
	case k.Floats:
		return answer.Column{Type: answer.ColumnFloat}
	case k.Decimals == 0 && !sums && !k.Large:
		return answer.Column{Type: answer.ColumnInteger}
	}
	return answer.Column{Type: answer.ColumnDecimal, Scale: k.Decimals}
}
