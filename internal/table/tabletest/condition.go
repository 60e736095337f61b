package tabletest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
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

func (v Value) condition(fits func(text string) bool, format string, args ...any) *Condition {
	return &Condition{
		Text:    v.Text + " " + fmt.Sprintf(format, args...),
		Columns: v.Columns,
		Fits:    func(fields []string) bool { return fits(v.Of(fields)) },
	}
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// Numeric compares a value with a number, exactly. A value that is empty or not a number matches
// no operator.
func Numeric(v Value, operator, literal string) *Condition {
	want, _, ok := parse(literal)
	if !ok {
		panic("thresh: bug: not a number: " + literal)
	}
	return v.condition(func(text string) bool {
		n, _, ok := parse(text)
		return ok && holds(operator, n.value.Cmp(want.value))
	}, "%s %s", operator, literal)
}

// Textual compares a value with a text, byte by byte.
func Textual(v Value, operator, literal string) *Condition {
	return v.condition(func(text string) bool {
		return holds(operator, strings.Compare(text, literal))
	}, "%s %s", operator, quoted(literal))
}

// Matches finds an expression in a value. The expression must not contain a single quote.
func Matches(v Value, expression string) *Condition {
	find := regexp.MustCompile(expression)
	return v.condition(find.MatchString, "~ '%s'", expression)
}

// Among matches a value that equals one of some numbers, or is one of some texts.
func Among(v Value, numbers, texts []string) *Condition {
	var list []string
	list = append(list, numbers...)
	for _, t := range texts {
		list = append(list, quoted(t))
	}
	return v.condition(func(text string) bool {
		n, _, ok := parse(text)
		return slices.Contains(texts, text) || ok && slices.ContainsFunc(numbers, func(number string) bool {
			m, _, _ := parse(number)
			return m.value.Cmp(n.value) == 0
		})
	}, "in (%s)", strings.Join(list, ", "))
}

// Between matches a number from low to high.
func Between(v Value, low, high string) *Condition {
	c := Numeric(v, ">=", low).And(Numeric(v, "<=", high))
	c.Text = fmt.Sprintf("%s between %s and %s", v.Text, low, high)
	return c
}

// Like matches a pattern: % is any text, _ any character. There is no quote and no backslash in it. With
// fold, letters match those of the other case.
func Like(v Value, pattern string, fold bool) *Condition {
	word, lower := "like", func(text string) string { return text }
	if fold {
		word, lower = "ilike", strings.ToLower
	}
	return v.condition(func(text string) bool { return like(lower(pattern), lower(text)) }, "%s '%s'", word, pattern)
}

func like(pattern, text string) bool {
	switch {
	case pattern == "":
		return text == ""
	case pattern[0] == '%':
		return like(pattern[1:], text) || text != "" && like(pattern, text[1:])
	case text == "":
		return false
	case pattern[0] == '_':
		_, n := utf8.DecodeRuneInString(text)
		return like(pattern[1:], text[n:])
	}
	return pattern[0] == text[0] && like(pattern[1:], text[1:])
}

// Null matches a field that is empty and not in quotes, or missing.
func Null(column int) *Condition {
	return &Condition{
		Text:    fmt.Sprintf("$%d is null", column),
		Columns: []int{column},
		Fits:    func(fields []string) bool { return isNull(fields, column) },
	}
}

// isNull looks into the last of the fields, which says which of the others are null.
func isNull(fields []string, column int) bool { return fields[len(fields)-1][column-1] == null }

// null and notNull say whether a field is null.
const (
	null    = '-'
	notNull = 'x'
)

// Columnwise compares two values: as numbers if both are numbers, otherwise as texts.
func Columnwise(left Value, operator string, right Value) *Condition {
	return &Condition{
		Text:    fmt.Sprintf("%s %s %s", left.Text, operator, right.Text),
		Columns: append(append([]int{}, left.Columns...), right.Columns...),
		Fits: func(fields []string) bool {
			x, y := left.Of(fields), right.Of(fields)
			a, _, oka := parse(x)
			b, _, okb := parse(y)
			if oka && okb {
				return holds(operator, a.value.Cmp(b.value))
			}
			return holds(operator, strings.Compare(x, y))
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
