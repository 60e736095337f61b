package expr

import (
	"github.com/thresh-dev/thresh/internal/table/key"
)

// binding is how tightly an operator binds its operands, from the loosest on.
type binding int

const (
	loose binding = iota // no operator around
	byOr
	byAnd
	byNot
	byComparison
	byConcat
	bySum
	byProduct
	bySign
	byCast
)

// within appends what write appends, in parentheses if what is around binds more tightly than own.
func within(b []byte, around, own binding, write func(b []byte) []byte) []byte {
	if around <= own {
		return write(b)
	}
	return append(write(append(b, '(')), ')')
}

func (l *Literal) append(b []byte, _ binding, _ func(int) string) []byte { return append(b, l.Text...) }

func (c *Constant) append(b []byte, _ binding, _ func(int) string) []byte {
	switch {
	case c.value.IsNull():
		return append(b, "null"...)
	case c.kind == Word:
		return append(b, c.value.Text()...)
	}
	return AppendQuoted(b, string(c.value.Text()), "'")
}

func (f *Field) append(b []byte, _ binding, name func(int) string) []byte {
	if o := f.Operand; name != nil && !o.Call {
		if other := name(o.Column); other != "" {
			o.Name, o.Quoted = other, !IsDigits(other) && !key.IsQuotedPath(other)
		}
		return o.Append(b)
	}
	return f.Append(b)
}

func (l *length) append(b []byte, _ binding, _ func(int) string) []byte {
	return AppendQuoted(append(b, "interval "...), l.text, "'")
}

func (o *operation) append(b []byte, around binding, name func(int) string) []byte {
	own, sign := bySum, string(o.sign)
	switch o.sign {
	case '*', '/', '%':
		own = byProduct
	case '|':
		own, sign = byConcat, "||"
	}
	return within(b, around, own, func(b []byte) []byte {
		b = o.left.append(b, own, name)
		b = append(append(append(b, ' '), sign...), ' ')
		return o.right.append(b, own+1, name)
	})
}

func (n *negative) append(b []byte, around binding, name func(int) string) []byte {
	// The space keeps two signs, and a sign and a number, apart.
	return within(b, around, bySign, func(b []byte) []byte {
		return n.of.append(append(b, "- "...), bySign, name)
	})
}

func (c *call) append(b []byte, _ binding, name func(int) string) []byte {
	return appendList(append(b, c.names[0]...), c.args, name)
}

func appendList(b []byte, nodes []Node, name func(int) string) []byte {
	b = append(b, '(')
	for i, n := range nodes {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = n.append(b, loose, name)
	}
	return append(b, ')')
}

func (c *cast) append(b []byte, _ binding, name func(int) string) []byte {
	if c.try {
		b = append(b, "try_"...)
	}
	b = c.of.append(append(b, "cast("...), loose, name)
	return append(append(append(b, " as "...), c.to.String()...), ')')
}

func (c *choice) append(b []byte, _ binding, name func(int) string) []byte {
	b = append(b, "case"...)
	if c.operand != nil {
		b = c.operand.append(append(b, ' '), loose, name)
	}
	for _, a := range c.arms {
		when := a.when
		if a.value != nil {
			when = a.value
		}
		b = when.append(append(b, " when "...), loose, name)
		b = a.then.append(append(b, " then "...), loose, name)
	}
	if c.other != nil {
		b = c.other.append(append(b, " else "...), loose, name)
	}
	return append(b, " end"...)
}

func (j *Junction) append(b []byte, around binding, name func(int) string) []byte {
	own, word := byOr, " or "
	if j.All {
		own, word = byAnd, " and "
	}
	return within(b, around, own, func(b []byte) []byte {
		for i, p := range j.Parts {
			if i > 0 {
				b = append(b, word...)
			}
			b = p.append(b, own+1, name)
		}
		return b
	})
}

func (n *Not) append(b []byte, around binding, name func(int) string) []byte {
	return within(b, around, byNot, func(b []byte) []byte {
		return n.Of.append(append(b, "not "...), byNot, name)
	})
}

// infix appends an operator between two nodes.
func infix(b []byte, around binding, left Node, sign string, right func(b []byte) []byte,
	name func(int) string) []byte {
	return within(b, around, byComparison, func(b []byte) []byte {
		b = left.append(b, byConcat, name)
		return right(append(append(append(b, ' '), sign...), ' '))
	})
}

func (c *Compare) append(b []byte, around binding, name func(int) string) []byte {
	right := func(b []byte) []byte { return c.Right.append(b, byConcat, name) }
	return infix(b, around, c.Left, Signs[c.Rel], right, name)
}

func (t *Between) append(b []byte, around binding, name func(int) string) []byte {
	return infix(b, around, t.Of, "between", func(b []byte) []byte {
		b = append(t.low.append(b, byConcat, name), " and "...)
		return t.high.append(b, byConcat, name)
	}, name)
}

func (m *Member) append(b []byte, around binding, name func(int) string) []byte {
	return infix(b, around, m.Of, "in", func(b []byte) []byte { return appendList(b, m.List, name) }, name)
}

func (m *Match) append(b []byte, around binding, name func(int) string) []byte {
	return infix(b, around, m.Of, m.Sign, func(b []byte) []byte { return AppendQuoted(b, m.Text, "'") }, name)
}

func (n *Null) append(b []byte, around binding, name func(int) string) []byte {
	return infix(b, around, n.Of, "is", func(b []byte) []byte { return append(b, "null"...) }, name)
}

func (d *distinct) append(b []byte, around binding, name func(int) string) []byte {
	right := func(b []byte) []byte { return d.right.append(b, byConcat, name) }
	return infix(b, around, d.left, "is distinct from", right, name)
}
