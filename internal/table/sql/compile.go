package sql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/query"
	"github.com/thresh-dev/thresh/internal/table/row"
)

// Query is what answers a statement: a question about a table, and how its rows become those of the statement.
type Query struct {
	Where    string
	Question query.Question
	Sources  []query.Source // that are joined; nil for one
	Columns  []int          // of the answer, those of the statement, in its order; nil: all as they are
	Names    []string       // of Columns
	None     bool           // limit 0: no rows

	built []*built // the texts that Where and Question are made of
	text  string   // the statement
	meant int      // names of items in the texts
}

// Compile returns the query of a statement whose source is a table. Errors are of type *key.SyntaxError.
func (s *Statement) Compile() (*Query, error) {
	if s.Union != nil {
		return &Query{text: s.Text}, s.members()
	}
	c := compiler{Statement: *s, q: &Query{text: s.Text}, forms: map[string]string{}}
	c.q.Question.Skip = s.offset
	if s.limit != nil {
		c.q.Question.Limit, c.q.None = max(*s.limit, 1), *s.limit == 0
	}
	if len(s.order) == 1 && strings.EqualFold(s.order[0].text, "all") && nameOf(s.order[0].text) != "" {
		c.orderByAll()
	}
	for _, w := range s.where {
		if isAggregate(w.text) {
			return nil, c.wrong(w.at, "an aggregate cannot be in where, which filters records: having filters groups")
		}
	}
	c.name()
	if err := c.sources(); err != nil {
		return nil, err
	}
	c.filter()
	for n := range c.items { // t.a is called a
		if i := &c.items[n]; !i.named && nameOf(i.text) != "" {
			i.name = c.withoutSource(i.name)
		}
	}
	compile := c.records
	if c.grouped() {
		compile = c.groups
	}
	err := compile()
	if c.q.meant > meantMax {
		err = c.wrong(c.items[0].at, "names of items stand for names of items here, too many: put a statement in parentheses")
	}
	return c.q, err
}

type compiler struct {
	Statement
	q        *Query
	computed []int             // items that can be meant by their names
	forms    map[string]string // of expressions, see form
}

// filter makes the condition of the records.
func (c *compiler) filter() {
	var all []any
	for n, w := range c.where {
		switch {
		case len(c.where) == 1:
			all = append(all, w)
		case n == 0:
			all = append(all, "(", w, ")")
		default:
			all = append(all, " and (", w, ")")
		}
	}
	if all != nil {
		c.q.Where = c.build(all...)
	}
}

// orderByAll orders by all items, from left to right.
func (c *compiler) orderByAll() {
	all := c.order[0]
	c.order = nil
	for n := range c.items {
		c.order = append(c.order, ordered{part{strconv.Itoa(n + 1), all.at}, all.turn})
	}
}

func (c *compiler) wrong(at int, reason string) error {
	p := parser{text: c.Text}
	return p.wrong(at, reason)
}

// grouped reports whether the statement is about groups of records, and not about records.
func (c *compiler) grouped() bool {
	return c.distinct || c.Statement.groups != nil || c.byAll || c.having.text != "" ||
		slices.ContainsFunc(c.items, item.isAggregate) ||
		slices.ContainsFunc(c.order, func(o ordered) bool { return isAggregate(o.text) })
}

// records makes the question about records.
func (c *compiler) records() error {
	q := &c.q.Question
	q.Kind = query.Select
	for _, i := range c.items {
		if i.star && i.of == "" && c.exchanged && c.Joins[0].Using != nil {
			return c.wrong(i.at, "name the columns of a right join with using")
		}
		if i.star {
			if i.of != "" && c.q.Sources == nil && !strings.EqualFold(i.of, c.From.alias) {
				return c.wrong(i.at, "no table has this name")
			} else if i.of != "" && c.q.Sources != nil {
				i.of += "."
			} else {
				i.of = ""
			}
			q.Columns = append(q.Columns, i.of+"*")
			q.Without = append(q.Without, i.but...)
			continue
		}
		if i.named || nameOf(i.text) == "" || c.named(i.name) {
			q.Columns = append(q.Columns, c.build(i.part, as(i.name)))
		} else {
			q.Columns = append(q.Columns, c.build(i.part))
		}
	}
	var by []any
	for n, o := range c.order {
		if n > 0 {
			by = append(by, ", ")
		}
		of := o.part
		if i, err := c.itemOf(o.part); err != nil {
			return err
		} else if i >= 0 {
			if c.items[i].star {
				return c.wrong(o.at, "* is not a column to order by")
			}
			of = c.items[i].part
		}
		by = append(by, "(", of, ")"+o.turn)
	}
	if by != nil {
		q.By = c.build(by...)
	}
	return nil
}

// itemOf returns the item of the select list that is meant by a number or a name, -1 if none is.
func (c *compiler) itemOf(p part) (int, error) {
	if expr.IsDigits(p.text) {
		n, err := strconv.Atoi(p.text)
		if err != nil || n < 1 || n > len(c.items) {
			return 0, c.wrong(p.at, fmt.Sprintf("there is no item %s: the select list has %d", p.text, len(c.items)))
		}
		return n - 1, nil
	}
	name := nameOf(p.text)
	return slices.IndexFunc(c.items, func(i item) bool {
		return name != "" && !i.star && strings.EqualFold(i.name, name) || !i.star && c.same(i.text, p.text)
	}), nil
}

// nameOf returns the name that an expression is, "" if it is none.
func nameOf(text string) string {
	l := expr.Lexer{Text: text}
	if next(&l) != nil {
		return ""
	}
	t := token{l.Token, l.At}
	if isQualifier(t) && next(&l) == nil && l.Token.At == t.end { // r."Unit Price"
		t.Text += l.Token.Text
		t.Kind = l.Token.Kind
	}
	if next(&l) != nil || l.Token.Kind != expr.End || !isName(t) {
		return ""
	}
	return t.Text
}

// same reports whether two expressions are written alike, but for spaces and the case of words.
func (c *compiler) same(a, b string) bool { return c.form(a) == c.form(b) }

// form returns what expressions have in common that are the same.
func (c *compiler) form(text string) string {
	form, known := c.forms[text]
	if known {
		return form
	}
	var b []byte
	l := expr.Lexer{Text: text}
	for next(&l) == nil && l.Token.Kind != expr.End {
		word := l.Token.Text
		if l.Token.Kind == expr.Word {
			word = strings.ToLower(word)
		}
		b = append(append(b, byte(l.Token.Kind)), strconv.Quote(word)...)
	}
	c.forms[text] = string(b)
	return string(b)
}

// groups makes the question about groups.
func (c *compiler) groups() error {
	q := &c.q.Question
	q.Kind = query.Group
	keys, err := c.keys()
	if err != nil {
		return err
	}
	var list, aggregates []any
	for n, k := range keys {
		if n > 0 {
			list = append(list, ", ")
		}
		if nameOf(k.text) != "" && !c.named(k.text) {
			list = append(list, k)
		} else { // in parentheses an expression is nothing else
			list = append(list, "(", k, ")")
		}
		if i := slices.IndexFunc(c.items, func(i item) bool { return c.same(k.text, i.text) }); i >= 0 && c.items[i].named {
			list = append(list, as(c.items[i].name))
		}
	}
	q.Keys = c.build(list...)
	columns := len(keys) // of the answer
	for _, i := range c.items {
		at := slices.IndexFunc(keys, func(k part) bool { return c.same(k.text, i.text) })
		if at < 0 {
			if aggregates != nil {
				aggregates = append(aggregates, ", ")
			}
			if isCall(i.text) {
				aggregates = append(aggregates, i.part, as(i.name))
			} else { // in parentheses an expression is never taken for a name
				aggregates = append(aggregates, "(", i.part, ")"+as(i.name))
			}
			at = columns
			columns++
		}
		c.q.Columns, c.q.Names = append(c.q.Columns, at), append(c.q.Names, i.name)
	}
	c.q.Names = row.UniqueNames(c.q.Names)
	q.Aggregates = c.build(aggregates...)
	switch constant := (c.byAll || c.distinct) && keys == nil && !slices.ContainsFunc(c.items, item.isAggregate); {
	case c.having.text != "":
		q.Having = c.build(c.having)
	case constant: // of no record there is no group
		q.Having = "count(*) > 0"
	}
	return c.orderGroups(keys)
}

// keys returns what the groups have in common.
func (c *compiler) keys() (keys []part, err error) {
	for _, i := range c.items {
		switch {
		case i.star:
			return nil, c.wrong(i.at, "* has columns that differ in a group: name the columns to group by, or leave the "+
				"aggregates out")
		case (c.byAll || c.distinct && c.Statement.groups == nil) && !isAggregate(i.text) && !isConstant(i.text):
			keys = append(keys, i.part)
		}
	}
	for _, g := range c.Statement.groups {
		i, err := c.itemOf(g)
		if err != nil {
			return nil, err
		}
		if i >= 0 {
			g = c.items[i].part
		}
		if isAggregate(g.text) {
			return nil, c.wrong(g.at, "an aggregate cannot be a key: group by what it is computed from")
		}
		keys = append(keys, g)
	}
	return keys, nil
}

// isConstant reports whether an expression names no column.
func isConstant(text string) bool {
	l := expr.Lexer{Text: text}
	for next(&l) == nil && l.Token.Kind != expr.End {
		switch l.Token.Kind {
		case expr.Word, expr.Double, expr.Back, expr.Dollar:
			return false
		}
	}
	return true
}

// orderGroups sets the order. Items of the select list are meant by their places in the answer.
func (c *compiler) orderGroups(keys []part) error {
	var by []any
	for n, o := range c.order {
		if n > 0 {
			by = append(by, ", ")
		}
		i, err := c.itemOf(o.part)
		if err != nil {
			return err
		}
		column := -1
		if i >= 0 {
			column = c.q.Columns[i]
		} else {
			column = slices.IndexFunc(keys, func(k part) bool { return c.same(k.text, o.text) })
		}
		if column >= 0 {
			by = append(by, strconv.Itoa(column+1)+o.turn)
		} else {
			by = append(by, o.part, o.turn)
		}
	}
	if by != nil {
		c.q.Question.By = c.build(by...)
	}
	return nil
}

// as names what comes before it.
func as(name string) string { return " as " + string(expr.AppendQuoted(nil, name, "`")) }
