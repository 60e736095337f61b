package sql

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// Join is a source that a statement joins to those before it.
type Join struct {
	Source
	Kind  query.JoinKind
	Using []string

	on part
	in part // where: what is one of the values of a statement
}

// joinWord is how a kind of join is written.
type joinWord struct {
	words []string
	kind  query.JoinKind
}

var joinWords = []joinWord{
	{[]string{"join"}, query.Inner},
	{[]string{"inner", "join"}, query.Inner},
	{[]string{"left", "join"}, query.Left},
	{[]string{"left", "outer", "join"}, query.Left},
	{[]string{"right", "join"}, query.Left},
	{[]string{"right", "outer", "join"}, query.Left},
	{[]string{"full", "join"}, query.Full},
	{[]string{"full", "outer", "join"}, query.Full},
	{[]string{"semi", "join"}, query.Semi},
	{[]string{"anti", "join"}, query.Anti},
	{[]string{"cross", "join"}, query.Inner},
}

// joinsMost is how many sources a statement may have.
const joinsMost = 60

// joins reads the joins after a source.
func (p *parser) joins(s *Statement) error {
	for {
		right, full := p.is("right"), p.is("full")
		at, byWhere := p.next().At, p.next().Kind == expr.Comma || p.is("cross") // where has the equality
		i := slices.IndexFunc(joinWords, func(w joinWord) bool { return p.take(w.words...) })
		switch {
		case i >= 0:
		case byWhere && p.next().Kind == expr.Comma:
			i = 0
			p.at++
		default:
			return nil
		}
		j := Join{Kind: joinWords[i].kind}
		if len(s.Joins) == joinsMost {
			return p.wrong(at, fmt.Sprintf("more than %d joins", joinsMost))
		}
		if err := p.source(&j.Source); err != nil {
			return err
		}
		if !byWhere {
			if err := p.on(&j); err != nil {
				return err
			}
		}
		switch {
		case (right || full) && s.Joins != nil:
			return p.wrong(at, "a right or full join is the first one: put what it joins into a statement in parentheses")
		case full && j.Using != nil:
			return p.wrong(at, "a full join has on, and coalesce(a.id, b.id) in the select list")
		case right: // a left join with the sides exchanged
			s.From, j.Source, s.exchanged = j.Source, s.From, true
		}
		s.Joins = append(s.Joins, j)
	}
}

// on reads the condition of a join.
func (p *parser) on(j *Join) (err error) {
	switch {
	case p.take("on"):
		j.on, err = p.expression("a condition")
		return err
	case p.take("using"):
		if open := p.next(); open.Kind != expr.Open {
			return p.wrong(open.At, "write using (COLUMN, …)")
		}
		for {
			p.at++
			if !isName(*p.next()) {
				return p.wrong(p.next().At, "a column is missing here: using (COLUMN, …)")
			}
			j.Using = append(j.Using, p.next().Text)
			switch p.at++; p.next().Kind {
			case expr.Comma:
			case expr.Closing:
				p.at++
				return nil
			default:
				return p.wrong(p.next().At, "a comma or a closing parenthesis is missing before this")
			}
		}
	}
	return p.wrong(p.next().At, "on is missing here: join 'b.csv' b on a.id = b.id, or using (id)")
}

// Sources returns the sources of a statement, in its order.
func (s *Statement) Sources() []*Source {
	all := []*Source{&s.From}
	for i := range s.Joins {
		all = append(all, &s.Joins[i].Source)
	}
	return all
}

// Name returns the name by which a statement calls a source: its alias, or that of its file without endings.
func (s *Source) Name() string {
	if s.alias != "" || len(s.Files) == 0 {
		return s.alias
	}
	name, _, _ := strings.Cut(path.Base(strings.ReplaceAll(s.Files[0], "\\", "/")), ".")
	return name
}

// sources compiles the joins of a statement.
func (c *compiler) sources() error {
	if len(c.Joins) == 0 {
		return nil
	}
	c.q.Sources = []query.Source{{Name: c.From.Name(), Second: c.exchanged}}
	for _, j := range c.Joins {
		s := query.Source{Name: j.Name(), Kind: j.Kind, Using: j.Using}
		if j.on.text != "" {
			s.On = c.build(j.on)
		}
		if j.in.text != "" {
			s.In = c.build(j.in)
		}
		for _, o := range c.q.Sources {
			if s.Name != "" && strings.EqualFold(o.Name, s.Name) {
				return c.wrong(j.at, fmt.Sprintf("two tables are called %s: write a name after the file, '%[1]s.csv' a", s.Name))
			}
		}
		c.q.Sources = append(c.q.Sources, s)
	}
	return nil
}

// withoutSource returns a name without that of the source before it.
func (c *compiler) withoutSource(name string) string {
	names := []string{c.From.alias}
	for _, s := range c.q.Sources {
		names = append(names, s.Name)
	}
	for _, source := range names {
		if n := len(source); n > 0 && len(name) > n+1 && name[n] == '.' && strings.EqualFold(name[:n], source) {
			return name[n+1:]
		}
	}
	return name
}
