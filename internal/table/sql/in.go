package sql

import (
	"slices"
	"strings"

	"github.com/thresh-dev/thresh/internal/table/expr"
	"github.com/thresh-dev/thresh/internal/table/query"
)

// "where x in (select …)" is a semi join with that statement, and "not in" an anti join that knows null.

const inside = "a statement in parentheses can follow from, join, or in, which is a condition of its own in where, " +
	"with and around it"

// conditions takes the conditions "x in (select …)" out of where. It sets where to the others.
func (p *parser) conditions(s *Statement, where part) error {
	tokens := p.within(where)
	if !hasStatement(tokens) {
		s.where = []part{where}
		return nil
	}
	depth, from, between := 0, 0, false
	for i := 0; i <= len(tokens); i++ {
		if i < len(tokens) {
			t := tokens[i]
			switch {
			case t.Kind == expr.Open:
				depth++
			case t.Kind == expr.Closing:
				depth--
			case depth == 0 && t.Kind == expr.Word && isOneOf(t.Text, "between"):
				between = true
			}
			if depth > 0 || t.Kind != expr.Keyword || t.Text != "and" {
				continue
			}
			if between {
				between = false
				continue
			}
		}
		if err := p.condition(s, tokens[from:i]); err != nil {
			return err
		}
		from = i + 1
	}
	return nil
}

// condition adds one of the conditions of where.
func (p *parser) condition(s *Statement, tokens []token) error {
	if len(tokens) == 0 {
		return p.wrong(p.next().At, "a condition is missing here")
	}
	at := in(tokens)
	if at < 0 {
		for i := range tokens {
			if hasStatement(tokens[i:min(i+2, len(tokens))]) {
				return p.wrong(tokens[i].At, inside)
			}
		}
		last := tokens[len(tokens)-1]
		s.where = append(s.where, part{p.text[tokens[0].At:last.end], tokens[0].At})
		return nil
	}
	j := Join{Kind: query.Semi}
	left := tokens[:at]
	if last := len(left) - 1; last > 0 && left[last].Kind == expr.Keyword && left[last].Text == "not" {
		j.Kind, left = query.NotIn, left[:last]
	}
	if len(left) == 0 || left[0].Kind == expr.Keyword {
		return p.wrong(tokens[0].At, "write x in (select …) or x not in (select …)")
	}
	if slices.ContainsFunc(left, func(t token) bool { return t.Kind == expr.Keyword }) {
		return p.wrong(tokens[at+1].At, inside)
	}
	j.in = part{p.text[left[0].At:left[len(left)-1].end], left[0].At}
	if isAggregate(j.in.text) {
		return p.wrong(j.in.at, "an aggregate cannot be in where, which filters records: having filters groups")
	}
	after := p.at
	for p.at = 0; p.tokens[p.at].At < tokens[at+1].At; {
		p.at++
	}
	j.at = tokens[at+1].At
	var err error
	j.Sub, err = p.subquery()
	end := p.tokens[p.at-1].end
	p.at = after
	if last := tokens[len(tokens)-1]; err == nil && end != last.end {
		err = p.wrong(j.at, inside)
	}
	s.Joins = append(s.Joins, j)
	return err
}

// in returns the index of the word in before a statement, outside of parentheses, -1 if there is none.
func in(tokens []token) int {
	depth := 0
	for i, t := range tokens {
		switch t.Kind {
		case expr.Open:
			depth++
		case expr.Closing:
			depth--
		case expr.Word:
			if depth == 0 && strings.EqualFold(t.Text, "in") && hasStatement(tokens[i+1:min(i+3, len(tokens))]) {
				return i
			}
		}
	}
	return -1
}

// hasStatement reports whether a statement in parentheses begins among tokens.
func hasStatement(tokens []token) bool {
	for i := range len(tokens) - 1 {
		next := tokens[i+1]
		if tokens[i].Kind == expr.Open && next.Kind == expr.Word && isOneOf(next.Text, "select", "from") {
			return true
		}
	}
	return false
}
