package sql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/expr"
)

// statement reads a statement: one, or several with "union" or "union all" between them, perhaps with an order and a
// limit of the whole. Those in parentheses have their own.
func (p *parser) statement(s *Statement) error {
	s.Text, s.with = p.text, p.with
	begin := p.next().At
	closed, err := p.member(s)
	if err != nil {
		return err
	}
	last := s
	for p.is("union") {
		at := p.next().At
		p.at++
		all := p.take("all")
		if !all {
			p.take("distinct")
		}
		if s.Union == nil {
			one := *s
			s.clear()
			if s.Union = []*Statement{&one}; last == s {
				last = &one
			}
		}
		if !closed && last.ends() {
			return p.wrong(begin, "order by and limit in a union belong to all of it: put this statement in parentheses")
		}
		begin, last = p.next().At, &Statement{Text: p.text, with: p.with}
		if closed, err = p.member(last); err != nil {
			return err
		}
		if s.Union = append(s.Union, last); !all && !s.once() {
			return p.wrong(at, "union without all needs the names of columns: write them instead of *")
		}
	}
	if closed {
		end := new(Statement)
		if err := p.ending(end); err != nil {
			return err
		}
		s.whole(end)
	} else if last != s {
		s.whole(last)
	}
	return p.refused()
}

// member reads one statement of a union. It is closed if it is in parentheses.
func (p *parser) member(s *Statement) (closed bool, err error) {
	if p.next().Kind != expr.Open {
		return false, p.single(s)
	}
	explain, analyze := s.Explain, s.Analyze
	sub, err := p.subquery()
	if err == nil {
		*s = *sub
		s.Explain, s.Analyze = explain, analyze
	}
	return true, err
}

// ends reports whether a statement has an order, a limit or an offset.
func (s *Statement) ends() bool { return s.order != nil || s.limit != nil || s.offset > 0 }

// whole moves the order and the limit of a statement to a union, or to a statement in parentheses, of which s is then
// about the rows.
func (s *Statement) whole(last *Statement) {
	if !last.ends() {
		return
	}
	order, limit, offset := last.order, last.limit, last.offset
	last.order, last.limit, last.offset = nil, nil, 0
	if len(order) == 1 && strings.EqualFold(order[0].text, "all") {
		for n := range s.width() {
			order = append(order, ordered{part{strconv.Itoa(n + 1), order[0].at}, order[0].turn})
		}
		order = order[min(1, len(order)-1):]
	}
	rows := *s
	s.clear()
	s.From.Sub, s.items = &rows, []item{{star: true}}
	s.order, s.limit, s.offset = order, limit, offset
	for i, o := range s.order { // of * only the columns have numbers
		if expr.IsDigits(o.text) && o.text != "0" {
			s.order[i].text = "$" + o.text
		}
	}
}

// once makes a union one whose rows come once. ok is false if its files say what the columns are.
func (s *Statement) once() (ok bool) {
	rows := *s
	s.clear()
	s.From.Sub, s.distinct = &rows, true
	for n := range rows.width() {
		s.items = append(s.items, item{part: part{"$" + strconv.Itoa(n+1), 0}, name: rows.nameOf(n), named: true})
	}
	return s.items != nil
}

// nameOf returns the name of a column, of those that width counts.
func (s *Statement) nameOf(n int) string {
	switch {
	case s.Union != nil:
		return s.Union[0].nameOf(n)
	case len(s.items) == 1 && s.items[0].star:
		return s.From.Sub.nameOf(n)
	}
	return s.items[n].name
}

// width returns how many columns a statement has; 0 if its files say it.
func (s *Statement) width() int {
	switch {
	case s.Union != nil:
		return s.Union[0].width()
	case !slices.ContainsFunc(s.items, func(i item) bool { return i.star }):
		return len(s.items)
	case s.From.Sub != nil && len(s.items) == 1 && s.items[0].but == nil:
		return s.From.Sub.width()
	}
	return 0
}

// clear leaves of a statement only what is not about its rows.
func (s *Statement) clear() {
	*s = Statement{Text: s.Text, with: s.with, Explain: s.Explain, Analyze: s.Analyze}
}

// members compiles the statements of a union, whose errors are those of the union.
func (s *Statement) members() error {
	for _, one := range s.Union {
		if _, err := one.Compile(); err != nil {
			return err
		}
		if a, b := s.Union[0].width(), one.width(); a != b && a*b > 0 {
			p, at := parser{text: s.Text}, 0
			if one.items != nil {
				at = one.items[0].at
			}
			return p.wrong(at, fmt.Sprintf("this statement of the union has %d columns, and the first has %d", b, a))
		}
	}
	return nil
}
