package expr

import (
	"slices"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// textNode is a node that makes texts.
type textNode interface {
	texts(v *Vector, sel records.Selection) records.Column
}

// fromTexts makes a node of one that makes texts.
type fromTexts struct {
	textNode
	made *decimal.Numbers // nil until numbers are wanted
	hold truths
}

func (f *fromTexts) numbers(v *Vector, sel records.Selection) numbers {
	if f.made == nil {
		f.made = new(decimal.Numbers)
	}
	v.parse(f.made, f.texts(v, sel), sel)
	return v.parsed(f.made, sel)
}

func (f *fromTexts) truths(v *Vector, sel records.Selection) *truths {
	column := f.texts(v, sel)
	for _, i := range sel {
		f.hold[i] = unknown
		if s := column[i]; !v.isNull(s) {
			f.hold[i] = truthOf(value.OfText(s.Of(v.text)).Truth())
		}
	}
	return &f.hold
}

// sameText is a text, or null, that is the same for all records.
type sameText struct {
	value value.Value
	once  spanOnce
	batch int
	out   [records.Max]records.Span
}

func (c *sameText) texts(v *Vector, _ records.Selection) records.Column {
	s := c.once.of(v, func() records.Span { return v.put(0, c.value) })
	if c.batch != v.batches {
		c.batch = v.batches
		for _, i := range v.sel {
			c.out[i] = s
		}
	}
	return c.out[:]
}

// fieldNode returns the node of a column or of a slice of one.
func (v *Vector) fieldNode(f *Field) vectorNode {
	if f.Slice == key.Whole() {
		return v.leaf(f.Column)
	}
	return &fromTexts{textNode: &cutField{of: v.leaf(f.Column), slice: f.Slice}}
}

type cutField struct {
	of    vectorNode
	slice key.Slice
	out   [records.Max]records.Span
}

func (c *cutField) texts(v *Vector, sel records.Selection) records.Column {
	column := c.of.texts(v, sel)
	c.slice.Cut(column, sel, c.out[:])
	v.keepNull(column, sel, c.out[:])
	return c.out[:]
}

// keepNull makes results null where an argument is, and those that are empty otherwise the empty text.
func (v *Vector) keepNull(column records.Column, sel records.Selection, out records.Column) {
	for _, i := range sel {
		switch {
		case out[i].Len > 0:
		case v.isNull(column[i]):
			out[i] = value.Null
		default:
			out[i] = v.empty()
		}
	}
}

// joined puts two texts together. One that is null makes the result null.
type joined struct {
	parts   []vectorNode
	columns []records.Column
	out     [records.Max]records.Span
}

// joinedOf returns the node of a || b || c at once.
func (v *Vector) joinedOf(o *operation) vectorNode {
	var parts []Node
	n := Node(o)
	for o, ok := n.(*operation); ok && o.sign == '|'; o, ok = n.(*operation) {
		parts, n = append(parts, o.right), o.left
	}
	parts = append(parts, n)
	slices.Reverse(parts)
	return &fromTexts{textNode: &joined{parts: v.nodes(parts), columns: make([]records.Column, len(parts))}}
}

func (j *joined) texts(v *Vector, sel records.Selection) records.Column {
	for k, part := range j.parts {
		j.columns[k] = part.texts(v, sel)
	}
	for _, i := range sel {
		j.out[i], v.value = value.Null, v.value[:0]
		if !slices.ContainsFunc(j.columns, func(c records.Column) bool { return v.isNull(c[i]) }) {
			for _, column := range j.columns {
				v.value = append(v.value, column[i].Of(v.text)...)
			}
			j.out[i] = v.add(v.value)
		}
	}
	return j.out[:]
}

// lengthOf counts characters or bytes.
type lengthOf struct {
	of    vectorNode
	count func(text []byte) int
	out   [records.Max]int64
	kinds [records.Max]decimal.Kind
}

func (l *lengthOf) numbers(v *Vector, sel records.Selection) (out numbers) {
	column := l.of.texts(v, sel)
	out.mantissa = &l.out
	for _, i := range sel {
		s := column[i]
		l.out[i], l.kinds[i] = int64(l.count(s.Of(v.text))), decimal.Plain
		if s.Len == 0 && v.isNull(s) {
			l.kinds[i], out.kinds = decimal.Missing, &l.kinds
		}
	}
	return out
}

// mappedText changes the case. A text that stays as it is is not written again.
type mappedText struct {
	of  vectorNode
	run func(arg value.Value) value.Value // for a text with other characters than ASCII
	low byte                              // the first letter of those that change
	out [records.Max]records.Span
}

const caseBit = 'a' - 'A'

func (m *mappedText) texts(v *Vector, sel records.Selection) records.Column {
	column := m.of.texts(v, sel)
	for _, i := range sel {
		text := column[i].Of(v.text)
		changed, other := m.look(text)
		switch {
		case other:
			m.out[i] = v.put(i, m.run(value.OfText(text)))
		case changed:
			v.value = append(v.value[:0], text...)
			for k, c := range v.value {
				if c-m.low < 26 {
					v.value[k] = c ^ caseBit
				}
			}
			m.out[i] = v.add(v.value)
		default:
			m.out[i] = column[i]
		}
	}
	return m.out[:]
}

// look reports whether a text has a letter that changes, and whether it has characters other than ASCII.
func (m *mappedText) look(text []byte) (changed, other bool) {
	var all byte
	for _, c := range text {
		all |= c
		changed = changed || c-m.low < 26
	}
	return changed, all >= utf8.RuneSelf
}

// slicedText takes characters of a text from one on, counted from 0. It is what substr and left are of constants.
type slicedText struct {
	of       vectorNode
	from, to int
	out      [records.Max]records.Span
}

func (t *slicedText) texts(v *Vector, sel records.Selection) records.Column {
	column := t.of.texts(v, sel)
	for _, i := range sel {
		text := column[i].Of(v.text)
		begin := offset(text, t.from)
		t.out[i] = records.Span{Off: column[i].Off + uint32(begin), Len: uint32(offset(text[begin:], t.to-t.from))}
	}
	v.keepNull(column, sel, t.out[:])
	return t.out[:]
}

// firstKnown is the first of some values that is not null.
type firstKnown struct {
	args []vectorNode
	out  [records.Max]records.Span
	rest [records.Max]uint16
}

func (f *firstKnown) texts(v *Vector, sel records.Selection) records.Column {
	rest := append(f.rest[:0], sel...)
	for _, arg := range f.args {
		column, n := arg.texts(v, rest), 0
		for _, i := range rest {
			f.out[i] = column[i]
			if v.isNull(column[i]) {
				rest[n] = i
				n++
			}
		}
		if rest = rest[:n]; n == 0 {
			break
		}
	}
	return f.out[:]
}
