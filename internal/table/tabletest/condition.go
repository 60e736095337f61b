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
	Truth   func(fields []string) Truth
}

// Fits reports whether a condition is true for a record.
func (c *Condition) Fits(fields []string) bool { return c.Truth(fields) == yes }

// Truth is what a condition is for a record: it is unknown if it is about null, or about a number where there is
// none. The least of two is that of both, and the greatest that of at least one.
type Truth int

const (
	no Truth = iota
	unknown
	yes
)

func truthOf(holds bool) Truth {
	if holds {
		return yes
	}
	return no
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

func (v Value) condition(truth func(text string) Truth, format string, args ...any) *Condition {
	return &Condition{
		Text:    v.Text + " " + fmt.Sprintf(format, args...),
		Columns: v.Columns,
		Truth: func(fields []string) Truth {
			text := v.Of(fields)
			if text == Null {
				return unknown
			}
			return truth(text)
		},
	}
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// Numeric compares a value with a number, exactly.
func Numeric(v Value, operator, literal string) *Condition {
	want, _, ok := parse(literal)
	if !ok {
		panic("thresh: bug: not a number: " + literal)
	}
	return v.condition(func(text string) Truth {
		n, _, ok := parse(text)
		if !ok {
			return unknown
		}
		return truthOf(holds(operator, n.value.Cmp(want.value)))
	}, "%s %s", operator, literal)
}

// Textual compares a value with a text: as times if both are times, and byte by byte otherwise.
func Textual(v Value, operator, literal string) *Condition {
	return v.condition(func(text string) Truth {
		return truthOf(holds(operator, compareTexts(text, literal)))
	}, "%s %s", operator, quoted(literal))
}

// Matches finds an expression in a value. The expression must not contain a single quote.
func Matches(v Value, expression string) *Condition {
	find := regexp.MustCompile(expression)
	return v.condition(func(text string) Truth { return truthOf(find.MatchString(text)) }, "~ '%s'", expression)
}

// Among matches a value that equals one of some numbers, or is one of some texts.
func Among(v Value, numbers, texts []string) *Condition {
	var list []string
	list = append(list, numbers...)
	for _, t := range texts {
		list = append(list, quoted(t))
	}
	return v.condition(func(text string) Truth {
		n, _, ok := parse(text)
		found := slices.ContainsFunc(texts, func(t string) bool { return compareTexts(t, text) == 0 })
		found = found || ok && slices.ContainsFunc(numbers, func(number string) bool {
			m, _, _ := parse(number)
			return m.value.Cmp(n.value) == 0
		})
		if !found && !ok && len(numbers) > 0 {
			return unknown
		}
		return truthOf(found)
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
	fits := func(text string) Truth { return truthOf(like(lower(pattern), lower(text))) }
	return v.condition(fits, "%s '%s'", word, pattern)
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

// IsNull matches a field that is empty and not in quotes, or missing.
func IsNull(column int) *Condition {
	return &Condition{
		Text:    fmt.Sprintf("$%d is null", column),
		Columns: []int{column},
		Truth:   func(fields []string) Truth { return truthOf(fields[column-1] == Null) },
	}
}

// Columnwise compares two values: as numbers if both are numbers, as times if both are
// times, otherwise as texts.
func Columnwise(left Value, operator string, right Value) *Condition {
	return &Condition{
		Text:    fmt.Sprintf("%s %s %s", left.Text, operator, right.Text),
		Columns: append(append([]int{}, left.Columns...), right.Columns...),
		Truth: func(fields []string) Truth {
			x, y := left.Of(fields), right.Of(fields)
			if x == Null || y == Null {
				return unknown
			}
			a, _, oka := parse(x)
			b, _, okb := parse(y)
			if oka && okb {
				return truthOf(holds(operator, a.value.Cmp(b.value)))
			}
			return truthOf(holds(operator, compareTexts(x, y)))
		},
	}
}

// And matches what matches both conditions.
func (c *Condition) And(o *Condition) *Condition {
	return c.with("and", o, func(fields []string) Truth { return min(c.Truth(fields), o.Truth(fields)) })
}

// Or matches what matches at least one condition.
func (c *Condition) Or(o *Condition) *Condition {
	return c.with("or", o, func(fields []string) Truth { return max(c.Truth(fields), o.Truth(fields)) })
}

func (c *Condition) with(word string, o *Condition, truth func([]string) Truth) *Condition {
	return &Condition{
		Text:    fmt.Sprintf("(%s %s %s)", c.Text, word, o.Text),
		Columns: append(append([]int{}, c.Columns...), o.Columns...),
		Truth:   truth,
	}
}

// Not matches that for which c is false.
func (c *Condition) Not() *Condition {
	return &Condition{
		Text:    fmt.Sprintf("not (%s)", c.Text),
		Columns: c.Columns,
		Truth:   func(fields []string) Truth { return yes - c.Truth(fields) },
	}
}
