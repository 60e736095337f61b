package expr

import (
	"regexp"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/key"
	"github.com/thresh-dev/thresh/internal/table/value"
)

// matches is the node of regexp_matches.
func matches(v *Vector, args []Node) vectorNode {
	re, _, _, reason := compiled(args, 2)
	if reason != "" {
		return nil
	}
	return v.matching(args[0], re.String())
}

// matching returns the node of a match, nil for a pattern that is computed record by record.
func (v *Vector) matching(of Node, expression string) vectorNode {
	pattern, err := key.CompileTest(expression)
	if err != nil {
		return nil
	}
	return &fromTruths{truthNode: &matching{of: v.node(of), finder: pattern.Finder()}}
}

// replaced replaces the first match of a regular expression, or all of them.
type replaced struct {
	of       vectorNode
	re       *regexp.Regexp
	quick    *anchored // nil if there is none
	all      bool
	template []byte
	group    int // that the template consists of; -1 for other templates
	out      [records.Max]records.Span
}

func replacements(v *Vector, args []Node) vectorNode {
	re, all, _, reason := compiled(args, 3)
	with, ok := constantText(args[2])
	if reason != "" || !ok {
		return nil
	}
	r := &replaced{of: v.node(args[0]), re: re, quick: newAnchored(re.String()), all: all, group: -1}
	if r.template, _ = template(with); len(with) == 2 && with[0] == '\\' && isDigit(with[1]) {
		r.group = int(with[1] - '0')
	}
	return &fromTexts{textNode: r}
}

func (r *replaced) texts(v *Vector, sel records.Selection) records.Column {
	column := r.of.texts(v, sel)
	var from, made records.Span
	for _, i := range sel {
		s := column[i]
		switch {
		case v.isNull(s):
			r.out[i] = value.Null
			continue
		case s.Len == 0 || !same(v.text, s, from):
			from, made = s, r.replace(v, i, s)
		}
		r.out[i] = made
	}
	return r.out[:]
}

// replace returns what becomes of a text.
func (r *replaced) replace(v *Vector, i uint16, s records.Span) records.Span {
	text := s.Of(v.text)
	match := r.match(text)
	switch {
	case match == nil:
		return s
	case r.all:
		return v.put(i, value.OfText(r.re.ReplaceAll(text, r.template)))
	case r.group >= 0 && match[0] == 0 && match[1] == len(text) && match[2*r.group] < match[2*r.group+1]:
		return records.Span{Off: s.Off + uint32(match[2*r.group]), Len: uint32(match[2*r.group+1] - match[2*r.group])}
	}
	v.value = append(v.value[:0], text[:match[0]]...)
	v.value = r.re.Expand(v.value, r.template, text, match)
	return v.add(append(v.value, text[match[1]:]...))
}

// match returns where the first match and its groups are, nil if there is none.
func (r *replaced) match(text []byte) []int {
	if r.quick != nil {
		if match, ok := r.quick.find(text); ok {
			return match
		}
	}
	return r.re.FindSubmatchIndex(text)
}
