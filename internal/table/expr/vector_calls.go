package expr

import (
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/decimal"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// call returns the node of the call of a function.
func (v *Vector) call(c *call) vectorNode {
	if c.vector != nil {
		if made := c.vector(v, c.args); made != nil {
			return made
		}
	}
	run := c.run
	if c.one != nil {
		run = last(c.one)
	}
	a := v.applied(c.args, run, c.nulls)
	a.suspect = c.isSuspect
	return &fromTexts{textNode: a}
}

// cast returns the node of a cast.
func (v *Vector) cast(c *cast) vectorNode {
	switch c.to.Kind {
	case Text:
		return &fromTexts{textNode: v.node(c.of)}
	case Boolean:
		return &fromTruths{truthNode: v.node(c.of)}
	}
	a := v.applied([]Node{c.of}, first(c.to.of), false)
	if c.asked() != Anything {
		a.suspect = value.Value.IsNull
	}
	return &fromTexts{textNode: a}
}

// applied is a function of values of each record.
type applied struct {
	args    []vectorNode
	run     func(args []value.Value) value.Value
	nulls   bool                          // it is also called if an argument is null
	suspect func(result value.Value) bool // it may be that of an argument that is not what it was asked for
	varying int                           // the only argument that is no constant; -1 if there are others
	values  []value.Value
	columns []records.Column
	numbers []numbers
	out     [records.Max]records.Span
}

func (v *Vector) applied(args []Node, run func(args []value.Value) value.Value, nulls bool) *applied {
	a := &applied{args: v.nodes(args), run: run, nulls: nulls, varying: -1,
		values: make([]value.Value, len(args)), columns: make([]records.Column, len(args)),
		numbers: make([]numbers, len(args))}
	varying := 0
	for k, n := range args {
		if !isConstant(n) {
			a.varying = k
			varying++
		}
	}
	if varying > 1 {
		a.varying = -1
	}
	return a
}

// A function of one column is not called again for the text of the record before: neighbours often have the same.
func (a *applied) texts(v *Vector, sel records.Selection) records.Column {
	for k, arg := range a.args {
		a.columns[k] = nil
		if of, ok := arg.(*fromNumbers); ok {
			a.numbers[k] = of.numbers(v, sel)
		} else {
			a.columns[k] = arg.texts(v, sel)
		}
	}
	var of records.Column
	if a.varying >= 0 {
		of = a.columns[a.varying]
	}
	for j, i := range sel {
		if j > 0 && of != nil && of[i].Len > 0 && same(v.text, of[i], of[sel[j-1]]) {
			if a.out[i] = a.out[sel[j-1]]; v.failed[sel[j-1]] {
				v.fail(i)
			}
			continue
		}
		a.out[i] = value.Null
		if a.fill(v, i) || a.nulls {
			result := a.run(a.values)
			if a.out[i] = v.put(i, result); v.Watched && a.suspect != nil && a.suspect(result) {
				v.fail(i)
			}
		}
	}
	return a.out[:]
}

// fill sets the arguments for a record. It reports whether none is null.
func (a *applied) fill(v *Vector, i uint16) (known bool) {
	known = true
	for k := range a.values {
		a.values[k] = value.Value{}
		if column := a.columns[k]; column == nil {
			if n := &a.numbers[k]; n.kind(i) == decimal.Plain {
				a.values[k] = value.OfNumber(decimal.FromPlain(n.mantissa[i], n.scale))
			}
		} else if !v.isNull(column[i]) {
			a.values[k] = value.OfText(column[i].Of(v.text))
		}
		known = known && !a.values[k].IsNull()
	}
	return known
}

// The nodes of functions that have their own.

func lengthsBy(count func(text []byte) int) func(v *Vector, args []Node) vectorNode {
	return func(v *Vector, args []Node) vectorNode {
		return &fromNumbers{numberNode: &lengthOf{of: v.node(args[0]), count: count}}
	}
}

// cases returns the maker of a node that changes the letters from one on to the other case.
func cases(low byte, other func(rune) rune) func(v *Vector, args []Node) vectorNode {
	return func(v *Vector, args []Node) vectorNode {
		return &fromTexts{textNode: &mappedText{of: v.node(args[0]), low: low, run: mapped(other)}}
	}
}

// farthest is beyond the end of any text.
const farthest = 1 << 40

func substrings(v *Vector, args []Node) vectorNode {
	from, ok := constantInteger(args[1])
	n, lengthOK := farthest, true
	if len(args) > 2 {
		n, lengthOK = constantInteger(args[2])
	}
	if !ok || !lengthOK || from < 1 || n < 0 || from > farthest || n > farthest {
		return nil
	}
	return &fromTexts{textNode: &slicedText{of: v.node(args[0]), from: from - 1, to: from - 1 + n}}
}

func prefixes(v *Vector, args []Node) vectorNode {
	n, ok := constantInteger(args[1])
	if !ok || n < 0 || n > farthest {
		return nil
	}
	return &fromTexts{textNode: &slicedText{of: v.node(args[0]), to: n}}
}

func firstsKnown(v *Vector, args []Node) vectorNode {
	return &fromTexts{textNode: &firstKnown{args: v.nodes(args)}}
}

// choice returns the node of case.
func (v *Vector) choice(c *choice) vectorNode {
	made := &chosen{}
	if c.operand != nil {
		made.of = &shared{vectorNode: v.node(c.operand)}
	}
	for _, a := range c.arms {
		var when vectorNode
		if compare, ok := a.when.(*Compare); ok && c.operand != nil && compare.Left == c.operand {
			when = v.compared(compare, made.of)
		} else {
			when = v.node(a.when)
		}
		made.arms = append(made.arms, chosenArm{when, v.node(a.then)})
	}
	if c.other != nil {
		made.other = v.node(c.other)
	}
	return &fromTexts{textNode: made}
}

// chosen is the value of the first arm whose condition is true.
type chosen struct {
	of    *shared // that conditions compare with others; nil if there is none
	arms  []chosenArm
	other vectorNode // nil for null
	out   [records.Max]records.Span
	hit   [records.Max]uint16
	rest  [records.Max]uint16
}

type chosenArm struct{ when, then vectorNode }

func (c *chosen) texts(v *Vector, sel records.Selection) records.Column {
	c.of.reset(sel)
	rest := append(c.rest[:0], sel...)
	for k := range c.arms {
		if len(rest) == 0 {
			break
		}
		hold, hit, n := c.arms[k].when.truths(v, rest), c.hit[:0], 0
		for _, i := range rest {
			rest[n] = i
			if hold[i] == yes {
				hit = append(hit, i)
			} else {
				n++
			}
		}
		rest = rest[:n]
		c.take(v, c.arms[k].then, hit)
	}
	c.take(v, c.other, rest)
	return c.out[:]
}

func (c *chosen) take(v *Vector, of vectorNode, sel records.Selection) {
	if of == nil {
		for _, i := range sel {
			c.out[i] = value.Null
		}
		return
	}
	if len(sel) > 0 {
		column := of.texts(v, sel)
		for _, i := range sel {
			c.out[i] = column[i]
		}
	}
}

// chosenIf is the node of the function if.
func chosenIf(v *Vector, args []Node) vectorNode {
	return v.choice(&choice{arms: []arm{{when: args[0], then: args[1]}}, other: args[2]})
}
