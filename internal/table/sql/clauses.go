package sql

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/spelling"
	"github.com/thresh-dev/thresh/internal/table/expr"
)

// instead says what to type instead of statements of databases.
var instead = map[string]string{
	"copy":     "write the select alone; -o FILE.parquet, .csv or .json writes its answer",
	"describe": describes, "desc": describes, "summarize": describes, "show": describes, "pragma": describes,
	"create": loads, "insert": loads, "load": loads, "install": loads, "attach": loads, "use": loads,
	"pivot": pivots, "unpivot": pivots, "values": loads, "table": loads, "set": loads, "begin": loads,
	"update": changes, "delete": changes, "alter": changes, "drop": changes,
}

const (
	describes = "thresh FILE shows the columns of a file and what their values look like"
	loads     = "nothing is loaded: a statement names the files, as in select count(*) from 'file.csv'"
	pivots    = "pivot is not there: write sum(x) filter (where g = 'a') as a for each column"
	changes   = "files are only read: select what is to stay, and write it with -o FILE"
)

// single reads the clauses of a statement, of which from may come first.
func (p *parser) single(s *Statement) (err error) {
	begin := p.next().At
	selected := false
	if p.is("from") {
		if err := p.from(s); err != nil {
			return err
		}
	}
	if p.take("select") {
		selected = true
		if err := p.selectList(s); err != nil {
			return err
		}
	}
	if !selected && s.From.none() {
		if what := instead[strings.ToLower(p.next().Text)]; what != "" {
			return p.wrong(begin, what)
		}
		if near := misspelt(*p.next()); near != "" {
			return p.wrong(begin, "did you mean "+near+"?")
		}
		return p.wrong(begin, "a statement begins with select or from: select count(*) from 'file.csv'")
	}
	if s.From.none() {
		if !p.is("from") {
			for _, t := range p.tokens {
				if misspelt(t) == `"from"` {
					return p.wrong(t.At, "did you mean \"from\"?")
				}
			}
			return p.wrong(p.next().At, "from is missing here: from 'file.csv'")
		}
		if err := p.from(s); err != nil {
			return err
		}
	}
	if !selected {
		s.items = []item{{star: true}}
	}
	return p.rest(s)
}

// rest reads the clauses after from.
func (p *parser) rest(s *Statement) (err error) {
	if p.take("where") {
		where, err := p.expression("a condition")
		if err == nil {
			err = p.conditions(s, where)
		}
		if err != nil {
			return err
		}
	}
	if p.take("group", "by") {
		if s.byAll = p.take("all"); !s.byAll {
			err = p.list("a column", func(one part) error { s.groups = append(s.groups, one); return nil })
			if err != nil {
				return err
			}
		}
	}
	if p.take("having") {
		if s.having, err = p.expression("a condition"); err != nil {
			return err
		}
	}
	return p.ending(s)
}

// ending reads the clauses that a union has, too.
func (p *parser) ending(s *Statement) (err error) {
	if p.take("order", "by") {
		direction := func(one part) error { return p.direction(s, one) }
		if err := p.list("a column", direction, "asc", "desc", "nulls"); err != nil {
			return err
		}
	}
	for range 2 {
		switch {
		case p.take("limit"):
			if p.take("all") {
				continue
			}
			var n int64
			if n, err = p.number("limit"); err != nil {
				return err
			}
			if t := p.next(); t.Kind == expr.Comma {
				return p.wrong(t.At, fmt.Sprintf("write limit %s offset %d", p.tokens[min(p.at+1, len(p.tokens)-1)].Text, n))
			}
			s.limit = &n
		case p.take("offset"):
			if s.offset, err = p.number("offset"); err != nil {
				return err
			}
		}
	}
	return nil
}

// direction reads what follows an item of order by.
func (p *parser) direction(s *Statement, one part) error {
	o := ordered{part: one}
	switch {
	case p.take("asc"):
		o.turn = " asc"
	case p.take("desc"):
		o.turn = " desc"
	default:
		o.turn = " asc" // also of aggregates, which table orders the other way round
	}
	switch {
	case p.take("nulls", "first"):
		o.turn += " nulls first"
	case p.take("nulls", "last"):
		o.turn += " nulls last"
	case p.is("nulls"):
		return p.wrong(p.next().At, "nulls first or nulls last is meant here")
	}
	s.order = append(s.order, o)
	return nil
}

// missing says what to write instead of what SQL has elsewhere, by the word that it begins with.
var missing = map[string]string{
	"intersect": "intersect is not there: a semi join keeps the rows that have a match",
	"except":    "except is not there: an anti join keeps the rows that have no match",
	"minus":     "minus is not there: an anti join keeps the rows that have no match",
	"over":      windows, "window": windows, "qualify": windows,
	"pivot": pivots, "unpivot": pivots, "grouping": sets, "sets": sets, "with": sets,
	"sample": samples, "tablesample": samples,
	"fetch": "write limit 10", "for": "a statement only reads; leave this out",
	"rlike": matches, "regexp": matches, "similar": matches, "glob": "write s like 'a%'",
	"isnull": "write is null", "notnull": "write is not null", "collate": "write lower(s) = 'a'",
	"natural": "natural joins are not there: write using (COLUMN, …)", "right": joins, "full": joins, "on": joins,
	"asof": joins, "positional": joins, "lateral": joins, "join": joins, "inner": joins, "left": joins, "semi": joins,
	"anti": joins, "using": joins,
}

const (
	windows = "window functions are not there: group by, and join the groups to the records"
	sets    = "grouping sets, rollup and cube are not there: put a statement for each, with union all between them"
	samples = "samples are not in SQL here: thresh table has them"
	matches = "write s ~ '^a.*b$', which finds a regular expression anywhere in a text"
	joins   = "this join is not there; the joins are join, left, right, full, semi, anti and cross join, right after from"
)

// refused returns an error if what comes next is not part of the language.
func (p *parser) refused() error {
	t := p.next()
	if why := missing[strings.ToLower(t.Text)]; why != "" && t.Kind == expr.Word {
		return p.wrong(t.At, why)
	}
	return nil
}

// unexpected is the error for what cannot come next.
func (p *parser) unexpected() error {
	if err := p.refused(); err != nil {
		return err
	}
	t, before := p.next(), p.tokens[max(p.at-1, 0)]
	if t.Kind == expr.Closing {
		return p.wrong(t.At, "no parenthesis is open that this could close")
	}
	if p.is("group") || p.is("order") {
		return p.wrong(t.At, "by is missing after "+t.Text)
	}
	if near := misspelt(before); near != "" { // it was taken for a name
		return p.wrong(before.At, "did you mean "+near+"?")
	}
	return p.wrong(t.At, "this is not expected here; the clauses are select, from, where, group by, having, order by, "+
		"limit and offset, in this order")
}

// misspelt returns the word that begins a clause and is nearly a token, "" if there is none.
func misspelt(t token) string {
	near := spelling.Nearest(strings.ToLower(t.Text), strings.Fields("select from where group having order limit"))
	near, _, _ = strings.Cut(near, " or ")
	if t.Kind != expr.Word || strings.EqualFold(near, strconv.Quote(t.Text)) {
		return ""
	}
	return near
}

// selectList reads what follows select.
func (p *parser) selectList(s *Statement) error {
	if s.distinct = p.take("distinct"); s.distinct && p.is("on") {
		return p.wrong(p.next().At, "distinct on is not there; group by the columns, and take any_value of the others")
	}
	if p.is("top") && p.tokens[p.at+1].Kind == expr.Digits {
		return p.wrong(p.next().At, "write limit "+p.tokens[p.at+1].Text+" at the end of the statement")
	}
	p.named = true
	defer func() { p.named = false }()
	return p.list("a column", func(one part) error {
		i, err := p.item(one)
		s.items = append(s.items, i)
		return err
	})
}

// item reads the name of an item: after as, or after the expression.
func (p *parser) item(one part) (i item, err error) {
	i.part = one
	tokens := p.within(one)
	last := tokens[len(tokens)-1]
	switch n := len(tokens); {
	case hasStatement(tokens):
		return i, p.wrong(one.at, inside)
	case tokens[0].Text == "[" && tokens[0].Kind == expr.Sign:
		return i, p.wrong(one.at, "there are no lists: name the columns one by one")
	case tokens[0].Kind == expr.Sign && tokens[0].Text == "*":
		i.star = true
		i.but, err = p.exclude(tokens[1:])
		return i, err
	case n > 1 && tokens[1].Kind == expr.Sign && tokens[1].Text == "*" && isQualifier(tokens[0]):
		i.star, i.of = true, strings.TrimSuffix(tokens[0].Text, ".")
		i.but, err = p.exclude(tokens[2:])
		return i, err
	case n > 2 && strings.EqualFold(tokens[n-2].Text, "as") && tokens[n-2].Kind == expr.Word:
		if !isName(last) {
			return i, p.wrong(last.At, "a name is missing after as")
		}
		i.name, i.named, i.text = last.Text, true, strings.TrimSpace(p.text[one.at:tokens[n-2].At])
	case n == 2 && isName(last) && isQualifier(tokens[0]) && tokens[0].end == last.At: // r."Unit Price"
		i.name = last.Text
	case n > 1 && isName(last) && (endsOperand(tokens[n-2]) || n > 2 && tokens[n-3].Text == "::") &&
		!(n > 2 && isOneOf(tokens[n-3].Text, "interval")):
		i.name, i.named, i.text = last.Text, true, strings.TrimSpace(p.text[one.at:last.At])
	default:
		i.name = strings.Join(strings.Fields(one.text), " ")
		if n == 1 && isName(last) {
			i.name = last.Text
		}
	}
	return i, nil
}

// exclude reads "exclude (a, b)" after *.
func (p *parser) exclude(tokens []token) (names []string, err error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	if what := tokens[0]; !isOneOf(what.Text, "exclude", "except") {
		return nil, p.wrong(what.At, "only exclude can follow *: * exclude (a, b), upper(a) as a")
	}
	for n, t := range tokens[1:] {
		wanted := t.Kind == expr.Comma
		switch {
		case n == 0:
			wanted = t.Kind == expr.Open
		case n == len(tokens)-2:
			wanted = t.Kind == expr.Closing
		case n%2 == 1:
			wanted = isName(t)
			names = append(names, t.Text)
		}
		if !wanted {
			return nil, p.wrong(t.At, "write * exclude (a, b)")
		}
	}
	if len(names) == 0 {
		return nil, p.wrong(tokens[0].At, "write * exclude (a, b)")
	}
	return names, nil
}

// within returns the tokens of a part.
func (p *parser) within(one part) []token {
	from, _ := slices.BinarySearchFunc(p.tokens, one.at, func(t token, at int) int { return cmp.Compare(t.At, at) })
	to := from
	for to < len(p.tokens) && p.tokens[to].end <= one.at+len(one.text) && p.tokens[to].Kind != expr.End {
		to++
	}
	return p.tokens[from:to:to]
}

// isName reports whether a token may be a name.
func isName(t token) bool {
	return t.Kind == expr.Double || t.Kind == expr.Back ||
		t.Kind == expr.Word && !isOneOf(t.Text, "end", "null", "true", "false")
}

// endsOperand reports whether an expression may end with a token, so that a name may follow it.
func endsOperand(t token) bool {
	switch t.Kind {
	case expr.Word:
		return !isOneOf(t.Text, "is", "in", "like", "ilike", "between", "case", "when", "then", "else", "distinct",
			"escape", "from", "date", "timestamp", "interval")
	case expr.Back, expr.Dollar, expr.Digits, expr.Single, expr.Double, expr.Closing:
		return true
	}
	return false
}
