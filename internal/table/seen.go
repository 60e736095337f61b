package table

import (
	"github.com/thresh-dev/thresh/internal/table/row"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// use says what the numbers of a column are needed for.
type use uint8

const (
	strict    use = 1 << iota // something that has no answer but for numbers
	byValues                  // something that is also answered for times and texts
	asWritten                 // something that is answered for any values, and for numbers if all are
)

// kinds says what kinds of values a column has.
type kinds uint8

const (
	hasNumbers kinds = 1 << iota
	hasTimes
	hasTexts // neither numbers nor times
)

// seen is what was seen of the values of a number column.
type seen struct {
	Bad      int64 // fields that are not numbers
	Nulls    int64
	Decimals int   // digits after the point, without zeros at the end
	Floats   bool  // some numbers have an exponent
	Large    bool  // some integers have more digits than usual
	Kinds    kinds // of values
}

// merge adds what was seen elsewhere.
func (s *seen) merge(o seen) {
	s.Bad, s.Nulls = s.Bad+o.Bad, s.Nulls+o.Nulls
	s.Decimals = max(s.Decimals, o.Decimals)
	s.Floats, s.Large = s.Floats || o.Floats, s.Large || o.Large
	s.Kinds |= o.Kinds
}

// asText reports whether what an aggregate returns of the values is a time or a text, if it may be.
func (s *seen) asText() bool { return s.Kinds != 0 && s.Kinds&hasNumbers == 0 }

// needsNumbers reports whether values that are not numbers are skipped, where they are used so.
func (s *seen) needsNumbers(u use) bool {
	return u&strict != 0 || u&byValues != 0 && !s.asText()
}

// addBad notes the kind of a field that is not a number, as far as something needs to know it.
func (s *seen) addBad(field []byte, u use) {
	s.Bad++
	if u&(byValues|asWritten) == 0 || s.Kinds&hasTexts != 0 {
		return
	}
	if _, ok := value.ParseTime(field); ok {
		s.Kinds |= hasTimes
	} else {
		s.Kinds |= hasTexts
	}
}

// known is what is known of a number column when all records have been read.
type known struct {
	seen
	scale int // of numbers that are plain
}

// heading returns the type of results that are numbers of the column, or sums of such numbers.
func (k *known) heading(sums bool) row.Column {
	switch {
	case k.Floats:
		return row.Column{Type: row.Float}
	case k.Decimals == 0 && !sums && !k.Large:
		return row.Column{Type: row.Integer}
	}
	return row.Column{Type: row.Decimal, Scale: k.Decimals}
}
