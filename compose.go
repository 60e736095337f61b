package thresh

import (
	"fmt"
	"strings"
)

// QuoteColumn returns the name of a column for a filter, a key or an aggregate, whatever characters it has: in
// backquotes, in which a backquote is doubled.
func QuoteColumn(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// QuoteText returns a text as a constant for a filter or an expression: in double quotes, which are doubled in it.
func QuoteText(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// KeyColumns returns columns as the Keys of Groups or TopKeys.
func KeyColumns(names ...string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = QuoteColumn(name)
	}
	return strings.Join(quoted, ",")
}

// Aggregate is a function of the values of a column.
type Aggregate struct {
	Function string // count, sum, min, max, mean, distinct, p50 and so on
	Column   string // its name; empty for count
	As       string // the name of the result; empty: the function and the column
}

// String returns the aggregate as Groups takes it.
func (a Aggregate) String() string {
	text := a.Function
	if a.Column != "" {
		text = fmt.Sprintf("%s(%s)", a.Function, QuoteColumn(a.Column))
	}
	if a.As != "" {
		text += " as " + QuoteColumn(a.As)
	}
	return text
}

// Aggregates returns aggregates as those of Groups.
func Aggregates(all ...Aggregate) string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = a.String()
	}
	return strings.Join(texts, ",")
}
