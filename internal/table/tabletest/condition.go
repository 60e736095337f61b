package tabletest

import (
	"fmt"
	"regexp"
	"strings"
)

// Condition is a filter: the text that a user writes, and what it means.
type Condition struct {
	Text    string
	Columns []int // from 1, that it looks at
	Fits    func(fields []string) bool
}

// holds reports whether an operator of the filter holds for the outcome of a comparison.
func holds(operator string, order int) bool {
	switch operator {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	panic("thresh: bug: no operator " + operator)
}

// Numeric compares a column with a number, exactly. A field that is missing or no number
// fits under no operator.
func Numeric(column int, operator, literal string) *Condition {
	want, _, ok := parse(literal)
	if !ok {
		panic("thresh: bug: no number " + literal)
	}
	return &Condition{
		Text:    fmt.Sprintf("$%d %s %s", column, operator, literal),
		Columns: []int{column},
		Fits: func(fields []string) bool {
			n, _, ok := parse(fields[column-1])
			return ok && holds(operator, n.value.Cmp(want.value))
		},
	}
}

// Textual compares a column with a text, byte by byte.
func Textual(column int, operator, literal string) *Condition {
	return &Condition{
		Text:    fmt.Sprintf(`$%d %s "%s"`, column, operator, strings.ReplaceAll(literal, `"`, `""`)),
		Columns: []int{column},
		Fits: func(fields []string) bool {
			return holds(operator, strings.Compare(fields[column-1], literal))
		},
	}
}

// Matches finds an expression, which has no single quote in it, in a column.
func Matches(column int, expression string) *Condition {
	find := regexp.MustCompile(expression)
	return &Condition{
		Text:    fmt.Sprintf("$%d ~ '%s'", column, expression),
		Columns: []int{column},
		Fits:    func(fields []string) bool { return find.MatchString(fields[column-1]) },
	}
}

// Columnwise compares two columns: as numbers where both are numbers, as texts otherwise.
func Columnwise(left int, operator string, right int) *Condition {
	return &Condition{
		Text:    fmt.Sprintf("$%d %s $%d", left, operator, right),
		Columns: []int{left, right},
		Fits: func(fields []string) bool {
			a, _, oka := parse(fields[left-1])
			b, _, okb := parse(fields[right-1])
			if oka && okb {
				return holds(operator, a.value.Cmp(b.value))
			}
			return holds(operator, strings.Compare(fields[left-1], fields[right-1]))
		},
	}
}

// And is what fits both.
func (c *Condition) And(o *Condition) *Condition {
	return c.with("and", o, func(fields []string) bool { return c.Fits(fields) && o.Fits(fields) })
}

// Or is what fits one of them, or both.
func (c *Condition) Or(o *Condition) *Condition {
	return c.with("or", o, func(fields []string) bool { return c.Fits(fields) || o.Fits(fields) })
}

func (c *Condition) with(word string, o *Condition, fits func([]string) bool) *Condition {
	return &Condition{
		Text:    fmt.Sprintf("(%s %s %s)", c.Text, word, o.Text),
		Columns: append(append([]int{}, c.Columns...), o.Columns...),
		Fits:    fits,
	}
}

// Not is what does not fit.
func (c *Condition) Not() *Condition {
	return &Condition{
		Text:    fmt.Sprintf("not (%s)", c.Text),
		Columns: c.Columns,
		Fits:    func(fields []string) bool { return !c.Fits(fields) },
	}
}
