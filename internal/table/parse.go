package table

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// parseAggregates parses a list of aggregates: "count,sum(price * quantity) as total,p99(amount)".
// Errors are of type *key.SyntaxError.
func (q *query) parseAggregates(list string) (all []aggregate, err error) {
	if strings.TrimSpace(list) == "" {
		return []aggregate{{text: "count"}}, nil
	}
	for at := 0; ; at++ {
		a, end, err := q.parseAggregate(list, at)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
		if end == len(list) {
			return all, nil
		}
		if at = end; list[at] != ',' {
			return nil, wrong(list, at, "a comma is missing between aggregates")
		}
	}
}

func wrong(text string, at int, reason string) error {
	return &key.SyntaxError{Reason: reason, Text: text, At: at}
}

// parseOnly parses a text that is one aggregate.
func (q *query) parseOnly(text string) (a aggregate, err error) {
	a, end, err := q.parseAggregate(text, 0)
	if err == nil && end < len(text) {
		err = wrong(text, end, "only one aggregate is allowed here, and it ends before this")
	}
	return a, err
}

// parseAggregate parses the aggregate that begins at list[at], and returns where it ends.
func (q *query) parseAggregate(list string, at int) (a aggregate, end int, err error) {
	at += spacesAt(list, at)
	end = at
	for end < len(list) && strings.IndexByte("(, \t", list[end]) < 0 {
		end++
	}
	name := list[at:end]
	if err := a.setFunction(name); err != nil {
		return a, at, wrong(list, at, err.Error())
	}
	a.text = name
	open := end + spacesAt(list, end)
	switch {
	case open < len(list) && list[open] == '(':
		if end, err = q.parseArgument(&a, name, list, open); err != nil {
			return a, at, err
		}
	case a.function != count:
		return a, at, wrong(list, end, "which column? write "+name+"(COLUMN)")
	}
	alias, end, err := key.ParseAlias(list, end)
	if alias != "" {
		a.text = alias
	}
	return a, end + spacesAt(list, end), err
}

func spacesAt(text string, at int) int {
	return len(text[at:]) - len(strings.TrimLeft(text[at:], " \t\r\n"))
}

// parseArgument parses the column or expression in the parentheses that open at list[open]. It
// returns where they end.
func (q *query) parseArgument(a *aggregate, name, list string, open int) (end int, err error) {
	closed := closing(list, open)
	if closed < 0 {
		return 0, wrong(list, open, "the parenthesis is never closed")
	}
	inside := list[open+1 : closed]
	if strings.TrimSpace(inside) == "" {
		return 0, wrong(list, closed, "which column? write "+name+"(COLUMN)")
	}
	if a.function == count {
		a.function = countOf
	}
	k, err := key.Parse(inside, q.first.resolve(), q.deriveAt)
	if err == nil && k.IsRegex() {
		err = wrong(inside, 0, "an aggregate is of a column or an expression, not of what a regular expression finds")
	}
	if err == nil && !k.IsColumn() { // a slice
		k.Column, _, err = q.deriveAt(inside, 0)
	}
	if err != nil {
		var syntax *key.SyntaxError
		if errors.As(err, &syntax) {
			err = &key.SyntaxError{Reason: syntax.Reason, Text: list, At: open + 1 + syntax.At}
		}
		return 0, err
	}
	a.column = k.Column
	a.text = name + "(" + q.keyName(k) + ")"
	return closed + 1, nil
}

// closing returns where the parenthesis that opens at text[open] is closed, -1 if it is not.
// Parentheses in quotes do not count.
func closing(text string, open int) int {
	depth, quote := 0, byte(0)
	for i := open; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// setFunction sets the function of an aggregate by its name.
func (a *aggregate) setFunction(name string) error {
	name = strings.ToLower(name)
	function, known := functions[name]
	percent, approx := strings.CutPrefix(name, "approx_")
	switch parts, of, ok := quantileOf(percent); {
	case ok:
		a.function, a.parts, a.of = quantile, parts, of
		if approx {
			a.function = approxQuantile
		}
	case known:
		a.function = function
		if function == median {
			a.parts, a.of = 1, 2
		}
	default:
		near := key.Nearest(name, functionNames())
		if near != "" {
			return errors.New(strconv.Quote(name) + " is unknown; did you mean " + near + "?")
		}
		return errors.New(strconv.Quote(name) + " is unknown (known: " + strings.Join(functionNames(), " ") +
			", quantiles like p50 and p99.9, approx_p50 and the like)")
	}
	return nil
}

func functionNames() (names []string) {
	for name := range functions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// quantileOf returns the fraction of the values that is not above a quantile: for p99.9, 999 of
// 1000.
func quantileOf(name string) (parts, of uint64, ok bool) {
	percent, ok := strings.CutPrefix(name, "p")
	whole, behind, _ := strings.Cut(percent, ".")
	parts, err := strconv.ParseUint(whole+behind, 10, 32)
	if !ok || err != nil || whole == "" {
		return 0, 0, false
	}
	of = 100
	for range behind {
		of *= 10
	}
	return parts, of, parts <= of
}

// deriveAt reads the expression that begins at text[at]. It returns the column that holds its values, and
// where it ends.
func (q *query) deriveAt(text string, at int) (column, end int, err error) {
	scope := q.scope()
	scope.QuotedNames = true
	e, end, err := expr.Parse(text, at, scope)
	if err != nil {
		return 0, at, err
	}
	if len(e.Columns()) == 0 {
		return 0, at, wrong(text, at, "an expression needs a column; in an expression, column 5 is written $5")
	}
	if o, ok := e.Operand(); ok && o.Slice == key.Whole() {
		return o.Column, end, nil
	}
	return q.derive(e), end, nil
}

// keyName returns the name of a key's column in answers.
func (q *query) keyName(k *key.Key) string {
	if q.first.Fields == 0 && !q.derived.has(k.Column) { // the columns of an empty table are unknown
		return k.Name
	}
	return q.name(k.Column)
}
