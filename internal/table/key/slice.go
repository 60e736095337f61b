package key

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// Slice selects bytes of a field: field[From:To], cut off at the end of the field.
type Slice struct{ From, To int }

// toEnd is the end of a slice that has none.
const toEnd = math.MaxInt

// Whole returns the slice that selects all bytes.
func Whole() Slice { return Slice{0, toEnd} }

// String returns the slice in the syntax of ParseSlice, and nothing for Whole.
func (s Slice) String() string {
	switch {
	case s == Whole():
		return ""
	case s.To == toEnd:
		return fmt.Sprintf("[%d:]", s.From)
	case s.From == 0:
		return fmt.Sprintf("[:%d]", s.To)
	}
	return fmt.Sprintf("[%d:%d]", s.From, s.To)
}

// Cut stores the slice of each selected field of column in out, which may be column.
func (s Slice) Cut(column records.Column, sel records.Selection, out records.Column) {
	from, to := uint32(min(s.From, math.MaxUint32)), uint32(min(s.To, math.MaxUint32))
	for _, i := range sel {
		f := column[i]
		begin, end := min(from, f.Len), min(to, f.Len)
		out[i] = records.Span{Off: f.Off + begin, Len: end - begin}
	}
}

// ParseSlice reads the slice [from:to], [from:] or [:to] that begins at text[at], and returns
// the offset where it ends. Errors are of type *SyntaxError.
func ParseSlice(text string, at int) (s Slice, end int, err error) {
	wrong := func(at int, format string, args ...any) (Slice, int, error) {
		return Slice{}, 0, &SyntaxError{fmt.Sprintf(format, args...), text, at}
	}
	inside, _, closed := strings.Cut(text[at+1:], "]")
	if !closed {
		return wrong(at, "the bracket is never closed")
	}
	low, high, colon := strings.Cut(inside, ":")
	begin, second := at+1, at+1+len(low)+1
	if !colon && isNumber(inside) {
		return wrong(begin, "a slice of a column is written [from:to], [from:] or [:to]; "+
			"of lines of JSON, elements of arrays are written %s.%s", strings.TrimSpace(text[:at]), inside)
	}
	if !colon {
		return wrong(begin, "a slice of a column is written [from:to], [from:] or [:to]")
	}
	var ok bool
	if s.From, ok = bound(low, 0); !ok {
		return wrong(begin, "%q is not an offset in a field: offsets are whole numbers from 0", low)
	}
	if s.To, ok = bound(high, toEnd); !ok {
		return wrong(second, "%q is not an offset in a field: offsets are whole numbers from 0", high)
	}
	if s.From > s.To {
		return wrong(begin, "the slice ends, at %d, before it begins, at %d", s.To, s.From)
	}
	return s, begin + len(inside) + 1, nil
}

func bound(text string, missing int) (n int, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return missing, true
	}
	if !isNumber(text) {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrRange) {
		return toEnd, true // beyond the end of every field
	}
	return n, true
}
