package key

import (
	"regexp"
	"regexp/syntax"

	"github.com/thresh-dev/thresh/internal/records"
)

// Pattern is a regular expression to look for in fields: RE2 syntax, unanchored, leftmost
// first, in time linear in the field. What it finds is its first group, or all of its match
// if it has no group. It is safe for concurrent use.
type Pattern struct {
	expr  string
	re    *regexp.Regexp
	group int    // whose match is the answer: 1, or 0 for all
	shape *shape // nil if only the machine can tell
}

// Compile reads an expression. Its errors are of type *syntax.Error.
func Compile(expr string) (*Pattern, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	return &Pattern{expr: expr, re: re, group: min(1, re.NumSubexp()), shape: shapeOf(tree)}, nil
}

// String returns the expression as written.
func (p *Pattern) String() string { return p.expr }

// Plan says in a few words how the pattern is found.
func (p *Pattern) Plan() string {
	if p.shape == nil {
		return "regexp machine"
	}
	return p.shape.String()
}

// find says where in field the answer is.
func (p *Pattern) find(field []byte) (from, to int, found bool) {
	if p.shape != nil {
		from, to, v := p.shape.find(field)
		if v != unsure {
			return from, to, v == fits
		}
	}
	return p.machine(field)
}

// machine is find by the standard library: right, and slow.
func (p *Pattern) machine(field []byte) (from, to int, found bool) {
	if p.group == 0 {
		at := p.re.FindIndex(field)
		if at == nil {
			return 0, 0, false
		}
		return at[0], at[1], true
	}
	at := p.re.FindSubmatchIndex(field)
	switch {
	case at == nil:
		return 0, 0, false
	case at[2] < 0: // the group has no part in the match: an empty key
		return at[0], at[0], true
	}
	return at[2], at[3], true
}

// Select keeps in sel, in place, the records in whose field of column the pattern is found.
func (p *Pattern) Select(text []byte, column records.Column, sel records.Selection) records.Selection {
	kept := sel[:0]
	for _, i := range sel {
		if p.matches(column[i].Of(text)) {
			kept = append(kept, i)
		}
	}
	return kept
}

func (p *Pattern) matches(field []byte) bool {
	if p.shape != nil {
		if _, _, v := p.shape.find(field); v != unsure {
			return v == fits
		}
	}
	return p.re.Match(field)
}

func (p *Pattern) spans(text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	for _, i := range sel {
		s := column[i]
		if from, to, found := p.find(s.Of(text)); found {
			out[i] = records.Span{Off: s.Off + uint32(from), Len: uint32(to - from)}
			kept = append(kept, i)
		}
	}
	return kept
}
