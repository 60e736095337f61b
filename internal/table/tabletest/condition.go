package tabletest

import (
	"fmt"
	"regexp"
	"strings"
)

// Condition is a filter: the text that a user writes, and what it means.
type Condition struct {
	Text    string
	Columns []int // the columns it uses, from 1
	Fits    func(fields []string) bool
}

// holds reports whether an operator holds for the result of a comparison.
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

// Numeric compares a column with a number, exactly. A field that is empty or not a number matches
// no operator.
func Numeric(column int, operator, literal string) *Condition {
	want, _, ok := parse(literal)
	if !ok {
		panic("thresh: bug: not a number: " + literal)
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

// Matches finds an expression in a column. The expression must not contain a single quote.
func Matches(column int, expression string) *Condition {
	find := regexp.MustCompile(expression)
	return &Condition{
		Text:    fmt.Sprintf("$%d ~ '%s'", column, expression),
		Columns: []int{column},
		Fits:    func(fields []string) bool { return find.MatchString(fields[column-1]) },
	}
}

// Columnwise compares two columns: as numbers if both fields are numbers, otherwise as texts.
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

// And matches what matches both conditions.
func (c *Condition) And(o *Condition) *Condition {
	return c.with("and", o, func(fields []string) bool { return c.Fits(fields) && o.Fits(fields) })
}

// Or matches what matches at least one condition.
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

// Not matches what c does not match.
func (c *Condition) Not() *Condition {
	return &Condition{
		Text:    fmt.Sprintf("not (%s)", c.Text),
		Columns: c.Columns,
		Fits:    func(fields []string) bool { return !c.Fits(fields) },
	}
}
