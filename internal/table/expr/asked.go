package expr

import (
	"slices"

	"github.com/thresh-dev/thresh/internal/table/value"
)

// Row is a record whose expressions are evaluated.
type Row struct {
	// Field returns the fields of the columns that an expression uses, nil for null.
	Field func(column int) []byte
	// Bad, if it is not nil, is called for a value that is not what was asked for; it then is null. Without it, what is
	// not a number is the result of what asked for a number.
	Bad func(of Node, text []byte, asked Asked)
}

// Asked is what a value was asked for.
type Asked uint8

// What values are asked for.
const (
	Anything Asked = iota
	Number
	Time
)

// Fits reports whether a value is what is asked for. Null is.
func (a Asked) Fits(v value.Value) (ok bool) {
	switch {
	case a == Anything || v.IsNull():
		return true
	case a == Number:
		_, ok = v.Number()
	default:
		_, ok = value.ParseTime(v.Text())
	}
	return ok
}

// reports reports whether values that are not what was asked for are reported.
func (r *Row) reports() bool { return r != nil && r.Bad != nil }

// check reports whether a value is what is asked for. If it is not, that is reported.
func (r *Row) check(of Node, v value.Value, asked Asked) bool {
	if asked.Fits(v) {
		return true
	}
	r.Bad(of, v.Text(), asked)
	return false
}

// ofNumbers reports whether a value is looked for among numbers alone.
func (m *Member) ofNumbers() bool {
	return !slices.ContainsFunc(m.each, func(c *Compare) bool { return c.known != Digits })
}
