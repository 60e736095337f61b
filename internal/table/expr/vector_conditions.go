package expr

import (
	"bytes"
	"cmp"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// truthNode is a node that makes conditions.
type truthNode interface {
	truths(v *Vector, sel records.Selection) *truths
}

// fromTruths makes a node of one that makes conditions. As a number, a condition is a text that is none.
type fromTruths struct {
	truthNode
	out   [records.Max]records.Span
	kinds [records.Max]decimal.Kind
	zero  [records.Max]int64
}

func (f *fromTruths) texts(v *Vector, sel records.Selection) records.Column {
	hold := f.truths(v, sel)
	for _, i := range sel {
		f.out[i] = v.truthText(hold[i])
	}
	return f.out[:]
}

func (v *Vector) truthText(t truth) records.Span {
	if t == unknown {
		return value.Null
	}
	return v.truthTexts[t].of(v, func() records.Span { return v.add(value.OfBool(t == yes).Text()) })
}

func (f *fromTruths) numbers(v *Vector, sel records.Selection) numbers {
	hold := f.truths(v, sel)
	for _, i := range sel {
		f.kinds[i] = decimal.Bad
		if hold[i] == unknown {
			f.kinds[i] = decimal.Missing
		}
	}
	return numbers{mantissa: &f.zero, kinds: &f.kinds}
}

// condition returns the node of a condition, nil if it is computed record by record.
func (v *Vector) condition(n Node) vectorNode {
	var made truthNode
	switch n := n.(type) {
	case *Junction:
		made = &junction{all: n.All, parts: v.nodes(n.Parts)}
	case *Between:
		made = v.comparisons(true, n.Of, n.AtLeast, n.AtMost)
	case *Member:
		made = v.comparisons(false, n.Of, n.each...)
	case *Not:
		made = &negation{of: v.node(n.Of)}
	case *Compare:
		return v.compared(n, v.node(n.Left))
	case *Match:
		return v.matching(n.Of, n.Pattern)
	case *Null:
		made = &nullness{of: v.node(n.Of)}
	default:
		return nil
	}
	return &fromTruths{truthNode: made}
}

// comparisons returns the node of comparisons of one value.
func (v *Vector) comparisons(all bool, of Node, each ...*Compare) *junction {
	j := &junction{all: all, of: &shared{vectorNode: v.node(of)}}
	for _, c := range each {
		left := vectorNode(j.of)
		if c.Left != of { // which is a constant, and on the right
			left = v.node(c.Left)
		}
		j.parts = append(j.parts, v.compared(c, left))
	}
	return j
}

// shared is a node that is computed once for several conditions.
type shared struct {
	vectorNode
	sel    records.Selection // of which the conditions are about some
	column records.Column    // nil if it is not computed
	values *numbers
}

func (s *shared) texts(v *Vector, _ records.Selection) records.Column {
	if s.column == nil {
		s.column = s.vectorNode.texts(v, s.sel)
	}
	return s.column
}

func (s *shared) numbers(v *Vector, _ records.Selection) numbers {
	if s.values == nil {
		s.values = new(s.vectorNode.numbers(v, s.sel))
	}
	return *s.values
}

// reset begins with other records.
func (s *shared) reset(sel records.Selection) {
	if s != nil {
		s.sel, s.column, s.values = sel, nil, nil
	}
}

// junction is a Junction, or comparisons of one value.
type junction struct {
	all   bool
	parts []vectorNode
	of    *shared // nil for a Junction
	hold  truths
	rest  [records.Max]uint16
}

// A part is only computed for the records that no part before has decided.
func (j *junction) truths(v *Vector, sel records.Selection) *truths {
	j.of.reset(sel)
	decided, otherwise := yes, no
	if j.all {
		decided, otherwise = no, yes
	}
	for _, i := range sel {
		j.hold[i] = otherwise
	}
	rest := append(j.rest[:0], sel...)
	for _, part := range j.parts {
		if len(rest) == 0 {
			break
		}
		hold, n := part.truths(v, rest), 0
		for _, i := range rest {
			t := hold[i]
			if t != otherwise {
				j.hold[i] = t
			}
			rest[n] = i
			if t != decided {
				n++
			}
		}
		rest = rest[:n]
	}
	return &j.hold
}

type negation struct {
	of   vectorNode
	hold truths
}

func (n *negation) truths(v *Vector, sel records.Selection) *truths {
	hold := n.of.truths(v, sel)
	for _, i := range sel {
		n.hold[i] = [...]truth{no: yes, yes: no, unknown: unknown}[hold[i]]
	}
	return &n.hold
}

type nullness struct {
	of   vectorNode
	hold truths
}

func (n *nullness) truths(v *Vector, sel records.Selection) *truths {
	if of, ok := n.of.(*fromNumbers); ok {
		values := of.numbers(v, sel)
		for _, i := range sel {
			n.hold[i] = truthOf(values.kind(i) == decimal.Missing, true)
		}
		return &n.hold
	}
	column := n.of.texts(v, sel)
	for _, i := range sel {
		n.hold[i] = truthOf(v.isNull(column[i]), true)
	}
	return &n.hold
}

// matching is a Match.
type matching struct {
	of     vectorNode
	finder *key.Finder
	hold   truths
	known  [records.Max]uint16
}

func (m *matching) truths(v *Vector, sel records.Selection) *truths {
	column, known := m.of.texts(v, sel), m.known[:0]
	for _, i := range sel {
		m.hold[i] = unknown
		if !v.isNull(column[i]) {
			m.hold[i] = no
			known = append(known, i)
		}
	}
	for _, i := range m.finder.Select(v.text, column, known) {
		m.hold[i] = yes
	}
	return &m.hold
}

// comparison is a Compare.
type comparison struct {
	*Compare
	left, right vectorNode // right is nil if it is a constant
	hold        truths
	outcomes    [3]truth // if the left side is less, equal or greater

	factors       [2][records.Max]int64
	plain, others [records.Max]uint16 // records of which both sides are numbers, and others that are not null
}

func (v *Vector) compared(n *Compare, left vectorNode) vectorNode {
	c := &comparison{Compare: n, left: left}
	for i := range c.outcomes {
		c.outcomes[i] = truthOf(n.Rel.Holds(i-1), true)
	}
	if n.known == End {
		c.right = v.node(n.Right)
	}
	return &fromTruths{truthNode: c}
}

func (c *comparison) truths(v *Vector, sel records.Selection) *truths {
	switch c.known {
	case Digits:
		c.withNumber(v, sel)
	case Single:
		c.withText(v, sel)
	default:
		c.mutual(v, sel)
	}
	return &c.hold
}

func (c *comparison) withNumber(v *Vector, sel records.Selection) {
	left := c.left.numbers(v, sel)
	number, _ := c.constant.Number()
	floor, exact, ok := number.Mantissa(left.scale)
	for _, i := range sel {
		m := left.mantissa[i]
		switch {
		case left.kind(i) != decimal.Plain:
			if c.hold[i] = unknown; v.Watched && left.kind(i) == decimal.Bad {
				v.fail(i)
			}
		case !ok:
			c.hold[i] = c.outcomes[decimal.FromPlain(m, left.scale).Compare(number)+1]
		case m == floor && !exact:
			c.hold[i] = c.outcomes[0]
		default:
			c.hold[i] = c.outcomes[cmp.Compare(m, floor)+1]
		}
	}
}

func (c *comparison) withText(v *Vector, sel records.Selection) {
	column, right := c.left.texts(v, sel), c.constant.Text()
	var last records.Span
	known := unknown // of last
	for _, i := range sel {
		s := column[i]
		switch {
		case s.Len == 0 && v.isNull(s):
			c.hold[i] = unknown
			continue
		case known != unknown && same(v.text, s, last):
			c.hold[i] = known
			continue
		}
		text := s.Of(v.text)
		order, isTime := 0, false
		if c.isTime {
			var t value.Time
			if t, isTime = value.ParseTime(text); isTime {
				order = t.Compare(c.moment)
			}
		}
		if !isTime {
			order = bytes.Compare(text, right)
		}
		known, last = c.outcomes[order+1], s
		c.hold[i] = known
	}
}

// same reports whether two spans have the same text.
func same(text []byte, a, b records.Span) bool {
	return a.Len == b.Len && (a.Off == b.Off || bytes.Equal(a.Of(text), b.Of(text)))
}

// mutual compares values that are both numbers as numbers, and others as texts.
func (c *comparison) mutual(v *Vector, sel records.Selection) {
	left, right := c.left.numbers(v, sel), c.right.numbers(v, sel)
	plain, others := c.plain[:0], c.others[:0]
	for _, i := range sel {
		c.hold[i] = unknown
		switch a, b := left.kind(i), right.kind(i); {
		case a == decimal.Plain && b == decimal.Plain:
			plain = append(plain, i)
		case a != decimal.Missing && b != decimal.Missing:
			others = append(others, i)
		}
	}
	scale := max(left.scale, right.scale)
	a, b := v.align(left, scale, &c.factors[0], plain), v.align(right, scale, &c.factors[1], plain)
	for _, i := range plain {
		c.hold[i] = c.outcomes[cmp.Compare(a[i], b[i])+1]
	}
	if len(others) == 0 {
		return
	}
	x, y := c.left.texts(v, others), c.right.texts(v, others)
	for _, i := range others {
		c.hold[i] = c.outcomes[value.CompareTexts(x[i].Of(v.text), y[i].Of(v.text))+1]
	}
}
