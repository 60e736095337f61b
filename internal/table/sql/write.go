package sql

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/agg"
	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/options"
)

// Write returns the statements that the questions of a specification are, about files. It is an error that names the
// field if there is none for it.
func Write(spec query.Spec, files []string) (string, error) {
	if spec.Dialect.Numbers != "" {
		return "", errors.New("Dialect.Numbers: no statement says how numbers are written")
	}
	from := source(spec, files)
	if spec.Where != "" {
		where, err := rewritten(spec.Where, usage{condition: true})
		if err != nil {
			return "", fmt.Errorf("TableSpec.Where: %w", err)
		}
		from += " where " + where
	}
	var all []string
	for i := range spec.Questions {
		s, err := statementOf(&spec.Questions[i], from)
		if err != nil {
			return "", err
		}
		all = append(all, s)
	}
	return strings.Join(all, ";\n"), nil
}

// source returns where the records come from, as it is written after from.
func source(spec query.Spec, files []string) string {
	names := make([]string, len(files))
	for i, name := range files {
		names[i] = quotedText(name)
	}
	list := strings.Join(names, ", ")
	if len(names) > 1 {
		list = "[" + list + "]"
	}
	malformed := [...]string{options.MalformedSkip: ", ignore_errors = true",
		options.MalformedKeep: ", null_padding = true"}[spec.Malformed]
	d := spec.Dialect
	if d.JSON {
		return "read_json(" + list + malformed + ")"
	}
	delim, quote := ", delim = "+quotedText(cmp.Or(d.Separator, string([]byte{d.Delim}))), ""
	switch {
	case d.Delim == '\t':
		delim = `, delim = '\t'`
	case d.Blanks:
		delim = ", delim = ' +'"
	case d.Widths != nil:
		delim = ", widths = " + strings.ReplaceAll(fmt.Sprint(d.Widths), " ", ", ")
	}
	switch d.Quote {
	case '"':
	case 0:
		quote = ", quote = ''"
	default:
		quote = ", quote = " + quotedText(string([]byte{d.Quote}))
	}
	more := listOption("names", d.Names) + listOption("nullstr", d.Nulls)
	if d.SkipLines > 0 {
		more += fmt.Sprintf(", skip = %d", d.SkipLines)
	}
	if d.Comment != "" {
		more += ", comment = " + quotedText(d.Comment)
	}
	return fmt.Sprintf("read_csv(%s%s%s, header = %v%s%s)", list, delim, quote, spec.HasHeader(),
		more, malformed)
}

// listOption returns an option of read_csv whose value is a list of texts; nothing for an empty list.
func listOption(name string, texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	var all []string
	for _, t := range texts {
		all = append(all, quotedText(t))
	}
	return ", " + name + " = [" + strings.Join(all, ", ") + "]"
}

func quotedText(text string) string { return string(expr.AppendQuoted(nil, text, "'")) }

// statementOf returns the statement that a question is.
func statementOf(q *query.Question, from string) (s string, err error) {
	switch q.Kind {
	case query.Rows:
		return "select count(*) as rows from " + from, nil
	case query.Nth:
		return "", errors.New("thresh.Records: no statement asks for records by their numbers; write limit and offset")
	case query.Sample:
		return "", errors.New("thresh.Sample: no statement asks for a sample")
	case query.Columns:
		return "", errors.New("thresh.Columns: no statement describes columns")
	}
	columns, keys := q.Columns, 0
	if q.Kind == query.Select {
		if len(columns) == 0 {
			columns = []string{"*"}
		}
		for i, c := range columns {
			if columns[i], err = itemText(c, false); err != nil {
				return "", fmt.Errorf("thresh.Select: %w", err)
			}
		}
	} else if columns, keys, err = groupItems(q); err != nil {
		return "", err
	}
	order, err := orderText(q, &columns, keys)
	if err != nil {
		return "", fmt.Errorf("Groups.OrderBy: %w", err)
	}
	s = "select " + strings.Join(columns, ", ") + " from " + from
	by := " group by "
	for i := range keys {
		s += by + strconv.Itoa(i+1)
		by = ", "
	}
	if q.Having != "" {
		having, err := rewritten(q.Having, usage{condition: true, groups: true})
		if err != nil {
			return "", fmt.Errorf("Groups.Having: %w", err)
		}
		s += " having " + having
	}
	s += order
	if q.Limit > 0 {
		s += fmt.Sprint(" limit ", q.Limit)
	}
	if q.Skip > 0 {
		s += fmt.Sprint(" offset ", q.Skip)
	}
	return s, nil
}

// groupItems returns the keys and aggregates of a question as items of a select list, and how many are keys.
func groupItems(q *query.Question) (items []string, keys int, err error) {
	for _, k := range split(q.Keys) {
		item, err := itemText(k, false)
		if err != nil {
			return nil, 0, fmt.Errorf("Groups.Keys: %w", err)
		}
		items = append(items, item)
	}
	keys = len(items)
	list := q.Aggregates
	if strings.TrimSpace(list) == "" {
		list = "count"
	}
	for _, a := range split(list) {
		item, err := itemText(a, true)
		if err != nil {
			return nil, 0, fmt.Errorf("Groups.Aggregates: %w", err)
		}
		items = append(items, item)
	}
	return items, keys, nil
}

// written is an item of a list, as it is written in the flags of table, with its tokens.
type written struct {
	text   string
	tokens []token // without the End
	ends   []int
}

// scanned returns a text and its tokens. A text that is not of tokens, as the name of a column may be, has none.
func scanned(text string) written {
	w := written{text: text}
	for l := (expr.Lexer{Text: text}); next(&l) == nil; {
		if l.Token.Kind == expr.End {
			return w
		}
		w.tokens, w.ends = append(w.tokens, token{l.Token, l.At}), append(w.ends, l.At)
	}
	return written{text: text}
}

// split returns the items of a list with commas between them.
func split(list string) (items []string) {
	depth, from, quote := 0, 0, byte(0)
	for i := range len(list) {
		switch c := list[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case strings.IndexByte("\"'`", c) >= 0:
			quote = c
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			items, from = append(items, list[from:i]), i+1
		}
	}
	if strings.TrimSpace(list) == "" {
		return nil
	}
	return append(items, list[from:])
}

// itemText returns an item of a list, of aggregates or of columns, as one of a select list.
func itemText(item string, aggregate bool) (string, error) {
	item = strings.TrimSpace(item)
	w, alias := scanned(item), ""
	for i := range w.tokens {
		if t := &w.tokens[i]; i > 0 && t.Kind == expr.Word && strings.EqualFold(t.Text, "as") && !w.inside(i) {
			name, _, err := key.ParseAlias(item, t.At)
			if err != nil {
				return "", err
			}
			item, alias = strings.TrimSpace(item[:t.At]), " as "+nameText(name)
			break
		}
	}
	quoted := item != "" && strings.IndexByte("\"`", item[0]) >= 0
	renamed := strings.EqualFold(item, "count") || w.isCall(0, "distinct")
	switch {
	case item == "*":
		return item, nil
	case aggregate && alias == "" && renamed:
		alias = " as " + nameText(item) // as table calls it
	case !aggregate && !quoted && !key.IsExpression(item) && !strings.ContainsAny(item, "[~") && !expr.IsDigits(item):
		return nameText(item) + alias, nil
	}
	text, err := rewritten(item, usage{groups: aggregate})
	return text + alias, err
}

// inside reports whether a token is in parentheses.
func (w *written) inside(i int) bool {
	depth := 0
	for _, t := range w.tokens[:i] {
		switch t.Kind {
		case expr.Open:
			depth++
		case expr.Closing:
			depth--
		}
	}
	return depth > 0
}

// nameText returns a name as it is written in a statement.
func nameText(name string) string {
	if path, dotted := strings.CutPrefix(name, "."); dotted && expr.IsWord(path) { // as jq writes it
		return path
	}
	if expr.IsWord(name) || key.IsQuotedPath(name) {
		return name
	}
	return string(expr.AppendQuoted(nil, name, `"`))
}

// usage is what a text is for.
type usage struct {
	// condition: texts are in double quotes too, and bare numbers on the left sides of comparisons are columns. Otherwise
	// names are in double quotes, and numbers that stand alone are columns.
	condition bool
	groups    bool // of groups: count alone is how many records they have
}

// rewritten returns a condition or a value of the flags as it is written in a statement.
func rewritten(text string, is usage) (string, error) {
	w := scanned(text)
	if w.tokens == nil {
		return "", &key.SyntaxError{Reason: "this has no statement", Text: text}
	}
	var b strings.Builder
	copied := 0
	for i := 0; i < len(w.tokens); i++ {
		t := &w.tokens[i]
		instead, wrong := "", ""
		switch {
		case t.Kind == expr.Double && is.condition:
			instead = quotedText(t.Text)
		case t.Kind == expr.Keyword:
			instead = t.Text
		case t.Kind == expr.Digits && expr.IsDigits(t.Text) && w.isColumn(i, is):
			instead = "$" + t.Text
		case t.Kind == expr.Word && isOneOf(t.Text, "count") && w.kind(i+1) != expr.Open && is.groups:
			instead = "count(*)"
		case w.isCall(i, "distinct") && is.groups:
			instead = "count(distinct "
			i++
		case w.isCall(i, "month", "day", "hour", "minute", "second") && !is.condition:
			wrong = t.Text + " is a text of two digits here, and a number in SQL"
		case t.Kind == expr.Sign && strings.HasPrefix(t.Text, "~") && !is.condition:
			wrong = "no statement has a key that leaves records out; write regexp_extract, and where"
		default:
			continue
		}
		if wrong != "" {
			return "", &key.SyntaxError{Reason: wrong, Text: text, At: t.At}
		}
		b.WriteString(text[copied:t.At] + instead)
		copied = w.ends[i]
	}
	return strings.TrimSpace(b.String() + text[copied:]), nil
}

// isCall reports whether a call of one of some functions begins at a token.
func (w *written) isCall(i int, names ...string) bool {
	return w.kind(i) == expr.Word && w.kind(i+1) == expr.Open && isOneOf(w.tokens[i].Text, names...)
}

// kind returns the kind of a token; End beyond the ends.
func (w *written) kind(i int) expr.Kind {
	if i < 0 || i >= len(w.tokens) {
		return expr.End
	}
	return w.tokens[i].Kind
}

// comparisons are the words that follow the left side of a comparison.
var comparisons = []string{"in", "like", "ilike", "between", "is", "not"}

// isColumn reports whether digits are the number of a column.
func (w *written) isColumn(i int, is usage) bool {
	before, after := w.kind(i-1), w.kind(i+1)
	if !is.condition {
		alone := after == expr.End || after == expr.Sign && w.tokens[i+1].Text == "["
		return before == expr.End && alone || (after == expr.Closing || after == expr.Comma) && w.isArgument(i)
	}
	left := before == expr.End || before == expr.Open && w.kind(i-2) != expr.Word || before == expr.Keyword
	if !left || after == expr.End {
		return false
	}
	next := w.tokens[i+1].Text
	return after == expr.Sign && strings.ContainsAny(next, "=<>~!") ||
		(after == expr.Word || after == expr.Keyword) && slices.Contains(comparisons, strings.ToLower(next))
}

// isArgument reports whether a token is an argument of an aggregate, and a column: the second one of quantile is none.
func (w *written) isArgument(i int) bool {
	opened := i - 1
	for opened > 0 && (w.kind(opened) == expr.Comma || w.kind(opened) == expr.Digits ||
		w.kind(opened) == expr.Word && isOneOf(w.tokens[opened].Text, "distinct")) {
		opened--
	}
	if opened == 0 || w.kind(opened) != expr.Open || !agg.IsFunction(w.tokens[opened-1].Text) {
		return false
	}
	return w.kind(i-1) != expr.Comma || !strings.Contains(w.tokens[opened-1].Text, "quantile")
}

// orderText returns the order by of a question, "" for the order that a statement has without. Aggregates that groups
// are ordered by are columns of the answer.
func orderText(q *query.Question, columns *[]string, keys int) (string, error) {
	if q.Kind == query.Top {
		return " order by " + strconv.Itoa(keys+1) + " desc", nil
	}
	var all []string
	for _, item := range split(q.By) {
		item, turn := direction(item)
		switch {
		case q.Kind == query.Select:
			text, err := itemText(item, false)
			if err != nil {
				return "", err
			}
			all = append(all, text+turn)
		case item == "key":
			for k := range keys {
				all = append(all, inOrder(*columns, k, keys)+turn)
			}
		default:
			at, err := columnOf(item, columns, keys)
			if err != nil {
				return "", err
			}
			if at >= keys && !strings.HasPrefix(turn, " asc") && !strings.HasPrefix(turn, " desc") {
				turn = " desc" + turn
			}
			all = append(all, inOrder(*columns, at, keys)+turn)
		}
	}
	if len(all) == 0 {
		return "", nil
	}
	return " order by " + strings.Join(all, ", "), nil
}

// direction returns an item of an order without its direction, and that.
func direction(item string) (text, turn string) {
	w := scanned(item)
	end := len(w.tokens)
	for end > 1 && w.kind(end-1) == expr.Word && isOneOf(w.tokens[end-1].Text, "asc", "desc", "nulls", "first", "last") {
		end--
	}
	if end < len(w.tokens) {
		item, turn = item[:w.tokens[end].At], " "+strings.TrimSpace(item[w.tokens[end].At:])
	}
	return strings.TrimSpace(item), turn
}

// columnOf returns the column of the answer that groups are ordered by; if it is none of them, it becomes one.
func columnOf(item string, columns *[]string, keys int) (int, error) {
	if item == query.ByFirst {
		return keys, nil
	}
	column, wrongColumn := itemText(item, false)
	text, err := itemText(item, true)
	at := slices.IndexFunc(*columns, func(c string) bool {
		return c == text || wrongColumn == nil && c == column || named(c, item)
	})
	switch {
	case at >= 0:
		return at, nil
	case err != nil:
		return 0, err
	}
	*columns = append(*columns, text)
	return len(*columns) - 1, nil
}

// named reports whether an item of a select list has a name.
func named(item, name string) bool {
	return strings.HasSuffix(item, " as "+name) || strings.HasSuffix(item, " as "+nameText(name))
}

// inOrder returns how an item is named in order by. Keys are ordered byte by byte, as texts.
func inOrder(columns []string, at, keys int) string {
	item := columns[at]
	if i := strings.LastIndex(item, " as "); i >= 0 {
		item = item[:i]
	}
	if at < keys {
		return "(" + item + ")::varchar"
	}
	return item
}
