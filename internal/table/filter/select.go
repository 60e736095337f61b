package filter

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

func (n *all) selector(b *builder, negated bool) selector {
	return junction(b, n.parts, negated, !negated)
}

func (n *some) selector(b *builder, negated bool) selector {
	return junction(b, n.parts, negated, negated)
}

func (n *not) selector(b *builder, negated bool) selector { return n.of.selector(b, !negated) }

// junction returns the selector of the records that all parts select, or some of them.
func junction(b *builder, nodes []node, negated, all bool) selector {
	parts := make([]selector, len(nodes))
	for i, n := range nodes {
		parts[i] = n.selector(b, negated)
	}
	if all {
		return &allSelector{parts}
	}
	return &someSelector{parts: parts}
}

type allSelector struct{ parts []selector }

func (s *allSelector) keep(b *batch, sel records.Selection) records.Selection {
	for _, p := range s.parts {
		if len(sel) == 0 {
			break
		}
		sel = p.keep(b, sel)
	}
	return sel
}

type someSelector struct {
	parts     []selector
	fit, some [records.Max]uint16
}

// keep applies each part only to the records that no earlier part matched.
func (s *someSelector) keep(b *batch, sel records.Selection) records.Selection {
	fit, rest := records.Selection(s.fit[:0]), sel
	for _, p := range s.parts {
		if len(rest) == 0 {
			break
		}
		some := p.keep(b, append(s.some[:0], rest...))
		rest = without(rest, some)
		fit = merge(fit, some)
	}
	return append(sel[:0], fit...)
}

// othersSelector selects the records that another one does not, and that are not null.
type othersSelector struct {
	fields
	of  selector
	fit [records.Max]uint16
}

func (s *othersSelector) keep(b *batch, sel records.Selection) records.Selection {
	sel = s.known(b, sel)
	return without(sel, s.of.keep(b, append(s.fit[:0], sel...)))
}

// without removes some, a subset of sel, from sel in place.
func without(sel, some records.Selection) records.Selection {
	if len(some) == 0 {
		return sel
	}
	rest, next := 0, 0
	for _, i := range sel {
		sel[rest] = i
		if next < len(some) && some[next] == i {
			next++
		} else {
			rest++
		}
	}
	return sel[:rest]
}

// merge merges b into a in place. No record is in both. It works from the end backwards, so it
// never overwrites a record that it has not read yet.
func merge(a, b records.Selection) records.Selection {
	i, j := len(a)-1, len(b)-1
	a = a[:len(a)+len(b)]
	for k := len(a) - 1; j >= 0; k-- {
		if i >= 0 && a[i] > b[j] {
			a[k] = a[i]
			i--
		} else {
			a[k] = b[j]
			j--
		}
	}
	return a
}

// fields returns the fields of an operand.
type fields struct {
	operand
	cut []records.Span // the sliced fields; nil without a slice
}

func fieldsOf(o operand) fields {
	f := fields{operand: o}
	if o.slice != key.Whole() {
		f.cut = make([]records.Span, records.Max)
	}
	return f
}

func (f *fields) of(b *batch, sel records.Selection) records.Column {
	column := b.column(f.column)
	if f.cut != nil {
		f.slice.Cut(column, sel, f.cut)
		return f.cut
	}
	return column
}

// known narrows sel in place to the records whose field is not null. A slice is null if the field is.
func (f *fields) known(b *batch, sel records.Selection) records.Selection {
	column, n := b.column(f.column), 0
	for _, i := range sel {
		sel[n] = i
		if s := column[i]; s.Len != 0 || !value.IsNull(b.text, s, b.mark) {
			n++
		}
	}
	return sel[:n]
}

func (n *match) selector(_ *builder, negated bool) selector {
	s := &matchSelector{fields: fieldsOf(n.left), finder: n.pattern.Finder()}
	switch {
	case negated:
		return &othersSelector{fields: fieldsOf(n.left), of: s}
	case n.pattern.MatchesEmpty():
		return &knownSelector{fieldsOf(n.left), s}
	}
	return s
}

type matchSelector struct {
	fields
	finder *key.Finder
}

func (s *matchSelector) keep(b *batch, sel records.Selection) records.Selection {
	return s.finder.Select(b.text, s.of(b, sel), sel)
}

func (n *constant) selector(_ *builder, negated bool) selector {
	if n.known && n.holds != negated {
		return &allSelector{}
	}
	return &someSelector{}
}

// unless returns the relation, or the opposite one if it is negated.
func unless(r expr.Relation, negated bool) expr.Relation {
	if negated {
		return r.Opposite()
	}
	return r
}
