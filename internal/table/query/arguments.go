package query

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
)

// place is a part of a text.
type place struct{ from, to int }

// parseArguments parses what is in the parentheses that open at list[open], and returns where they end.
func (q *Query) parseArguments(a *agg.Call, name, list string, open int) (end int, err error) {
	places, order, end := argumentsAt(list, open)
	if end == 0 {
		return 0, wrong(list, open, "the parenthesis is never closed")
	}
	written := ""
	if n := spacesAt(list, open+1); distinctBefore().MatchString(list[open+1+n:]) {
		of, err := agg.Named(a.Function.Distinct)
		if err != nil {
			return 0, wrong(list, open+1+n, "distinct is not there for "+name+": group by the value first, "+
				"select "+name+"(x) from (select distinct x from 'file.csv')")
		}
		written, places[0].from = "distinct ", open+1+n+len("distinct")
		a.Function, a.Once = of.Function, true
	} else if all := allBefore().FindString(list[open+1+n:]); all != "" {
		places[0].from = open + 1 + n + len(all)
	}
	if only := strings.TrimSpace(list[places[0].from:places[0].to]); a.Function.Alone && len(places) == 1 &&
		(only == "*" || only == "" && q.SQL) {
		a.Text = name + "(*)"
		return end, nil
	}
	var texts []string
	for i, at := range places {
		parameters := a.Function.Parameters()
		if i >= len(parameters) && !parameters[len(parameters)-1].Repeated {
			return 0, wrong(list, at.from+spacesAt(list, at.from), "too many arguments; write "+a.Function.Usage(name))
		}
		text, err := q.parseArgument(a, parameters[min(i, len(parameters)-1)], name, list, at)
		if err != nil {
			return 0, err
		}
		texts = append(texts, text)
	}
	if parameters := a.Function.Parameters(); len(places) < len(parameters) && !parameters[len(places)].Optional {
		return 0, wrong(list, end-1, "an argument is missing; write "+a.Function.Usage(name))
	}
	a.Text = name + "(" + written + strings.Join(texts, ", ")
	if order.to > 0 {
		text, err := q.parseOrder(a, list, order)
		if err != nil {
			return 0, err
		}
		a.Text += text
	}
	if a.Text += ")"; a.Function.Within || a.Function.Ordered {
		return q.parseWithin(a, list, end)
	}
	return end, nil
}

// parseWithin parses "within group (order by COLUMN)" after the arguments, if it comes next, and returns where it ends.
func (q *Query) parseWithin(a *agg.Call, list string, at int) (end int, err error) {
	found := withinGroup().FindString(list[at:])
	if found == "" {
		if a.Function.Within {
			err = wrong(list, at, "within group (order by COLUMN) is missing here; or write quantile_cont(COLUMN, 0.5)")
		}
		return at, err
	}
	open := at + len(found) - 1
	_, order, end := argumentsAt(list[:open+1]+" "+list[open+1:], open)
	if end == 0 || order.to == 0 || a.Ordered {
		return 0, wrong(list, open, "write within group (order by COLUMN)")
	}
	order.from, order.to, end = order.from-1, order.to-1, end-1 // without the space
	text, err := q.parseOrder(a, list, order)
	a.Text += " within group (" + strings.TrimSpace(text) + ")"
	return end, err
}

var (
	distinctBefore = expression("(?i)^distinct[ \t\r\n]+[^-+*/, \t\r\n)]")
	allBefore      = expression("(?i)^all[ \t\r\n]+")
	withinGroup    = expression("(?i)^[ \t\r\n]*within[ \t\r\n]+group[ \t\r\n]*\\(")
	orderBy        = expression("(?i)^[ \t\r\n]order[ \t\r\n]+by[ \t\r\n]+")
	descending     = expression("(?i)[ \t\r\n]+(asc|desc)$")
)

// expression returns a regular expression that is compiled when it is needed first: a start is short.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// argumentsAt returns the arguments in the parentheses that open at list[open], what they are ordered by, and where the
// parentheses end, 0 if they do not. Nothing in quotes or in inner parentheses ends any of these.
func argumentsAt(list string, open int) (all []place, order place, end int) {
	depth, quote, from := 0, byte(0), open+1
	for i := open; i < len(list); i++ {
		switch c := list[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '`', c == '\'' && beginsText(list[:i]):
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 && order.from > 0 {
				return all, place{order.from, i}, i + 1
			} else if depth == 0 {
				return append(all, place{from, i}), order, i + 1
			}
		case depth > 1 || order.from > 0:
		case c == ',':
			all = append(all, place{from, i})
			from = i + 1
		case (c == ' ' || c == '\t' || c == '\r' || c == '\n') && orderBy().MatchString(list[i:]):
			all = append(all, place{from, i})
			order.from = i + len(orderBy().FindString(list[i:]))
		}
	}
	return nil, place{}, 0
}

// beginsText reports whether a single quote after this begins a text. In a name it comes after a letter.
func beginsText(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return !unicode.IsLetter(last) && !unicode.IsDigit(last)
}

// parseArgument parses an argument, and returns its text for the name of the aggregate.
func (q *Query) parseArgument(a *agg.Call, p agg.Parameter, name, list string, at place) (text string, err error) {
	text = strings.TrimSpace(list[at.from:at.to])
	if text == "" {
		what := "an argument is missing;"
		if p.Set == nil {
			what = "which column?"
		}
		return "", wrong(list, at.to, what+" write "+a.Function.Usage(name))
	}
	if p.Set == nil {
		column, text, err := q.parseColumn(list, at)
		a.Columns = append(a.Columns, column)
		return text, err
	}
	c := agg.Constant{Text: text}
	if n := len(text) - 1; n > 0 && text[0] == '\'' && text[n] == '\'' {
		c = agg.Constant{Text: strings.ReplaceAll(text[1:n], "''", "'"), Quoted: true}
	}
	if err := p.Set(&a.Constants, c); err != nil {
		return "", wrong(list, at.from+spacesAt(list, at.from), err.Error()+"; write "+a.Function.Usage(name))
	}
	return text, nil
}

// parseColumn parses a column or an expression, and returns the column of its values and its name.
func (q *Query) parseColumn(list string, at place) (column int, name string, err error) {
	inside := list[at.from:at.to]
	if q.SQL && expr.IsDigits(strings.TrimSpace(inside)) { // a number, and not that of a column
		column, _, err = q.deriveAt(inside, 0)
		return column, q.Name(column), err
	}
	k, err := key.Parse(inside, q.resolve(), q.deriveAt)
	if err == nil && k.IsRegex() {
		err = wrong(inside, 0, "write regexp_extract(COLUMN, 'PATTERN', 1) for what the pattern finds")
	}
	if err == nil && !k.IsColumn() { // a slice
		k.Column, _, err = q.deriveAt(inside, 0)
	}
	if err != nil {
		return 0, "", inText(err, list, at.from)
	}
	return k.Column, q.keyName(k), nil
}

// inText returns an error about a part of a text, which begins at an offset, as one about the text.
func inText(err error, text string, from int) error {
	var syntax *key.SyntaxError
	if errors.As(err, &syntax) {
		err = wrong(text, from+syntax.At, syntax.Reason)
	}
	return err
}

// parseOrder parses what the values are ordered by, and returns the text for the name of the aggregate.
func (q *Query) parseOrder(a *agg.Call, list string, at place) (text string, err error) {
	if !a.Function.Ordered && !a.Function.Within {
		return "", wrong(list, at.from, "the order makes no difference here")
	}
	for list[at.to-1] == ' ' {
		at.to--
	}
	direction := descending().FindString(list[at.from:at.to])
	at.to -= len(direction)
	column, name, err := q.parseColumn(list, at)
	a.Columns = append(a.Columns, column)
	a.Ordered, a.Descending = true, strings.EqualFold(strings.TrimSpace(direction), "desc")
	text = " order by " + name
	if a.Descending {
		text += " desc"
	}
	return text, err
}
