package expr

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// Neighbouring records often have the same time, or one of the same hour: a time is only read if it differs from the
// one before, and only written if the result does.

// timeTexts are texts made of times.
type timeTexts struct {
	of  vectorNode
	run func(b []byte, t value.Time) []byte
	out [records.Max]records.Span
}

func (m *timeTexts) texts(v *Vector, sel records.Selection) records.Column {
	column := m.of.texts(v, sel)
	var from, made records.Span
	for _, i := range sel {
		if s := column[i]; !same(v.text, s, from) {
			from = s
			m.write(v, s, &made)
		}
		if m.out[i] = made; v.Watched && made == value.Null && !v.isNull(column[i]) {
			v.fail(i)
		}
	}
	return m.out[:]
}

// write sets made to what is made of a time, null if it is none.
func (m *timeTexts) write(v *Vector, s records.Span, made *records.Span) {
	t, ok := value.ParseTime(s.Of(v.text))
	if !ok {
		*made = value.Null
		return
	}
	if v.value = m.run(v.value[:0], t); !bytes.Equal(v.value, made.Of(v.text)) {
		*made = v.add(v.value)
	}
}

// timeNumbers are parts of times.
type timeNumbers struct {
	of    vectorNode
	unit  value.Unit
	out   [records.Max]int64
	kinds [records.Max]decimal.Kind
}

func (m *timeNumbers) numbers(v *Vector, sel records.Selection) (out numbers) {
	column := m.of.texts(v, sel)
	out.mantissa = &m.out
	var from records.Span
	part, exact, isTime := int64(0), true, false
	for _, i := range sel {
		if s := column[i]; !same(v.text, s, from) {
			from = s
			var t value.Time
			if t, isTime = value.ParseTime(s.Of(v.text)); isTime {
				part, exact, _ = t.Part(m.unit).Mantissa(0)
			}
		}
		m.out[i], m.kinds[i] = part, decimal.Plain
		switch {
		case !isTime:
			if m.kinds[i], out.kinds = decimal.Missing, &m.kinds; v.Watched && !v.isNull(column[i]) {
				v.fail(i)
			}
		case !exact:
			v.fail(i)
		}
	}
	return out
}

// timesBy returns the maker of a node for texts that are made of a function's last argument.
func timesBy(run func(b []byte, t value.Time) []byte) func(v *Vector, args []Node) vectorNode {
	return func(v *Vector, args []Node) vectorNode {
		return &fromTexts{textNode: &timeTexts{of: v.node(args[len(args)-1]), run: run}}
	}
}

// partsBy is timesBy for a part that is a number.
func partsBy(u value.Unit) func(v *Vector, args []Node) vectorNode {
	return func(v *Vector, args []Node) vectorNode {
		return &fromNumbers{numberNode: &timeNumbers{of: v.node(args[len(args)-1]), unit: u}}
	}
}

// byUnit makes a node by the unit that is the first argument.
func byUnit(by func(u value.Unit) func(v *Vector, args []Node) vectorNode) func(v *Vector, args []Node) vectorNode {
	return func(v *Vector, args []Node) vectorNode {
		name, _ := constantText(args[0])
		u, ok := value.UnitOf(name)
		if !ok {
			return nil
		}
		return by(u)(v, args)
	}
}
