package key

import (
	"regexp"
	"regexp/syntax"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// Pattern is a regular expression to look for in fields: RE2 syntax, unanchored, leftmost
// first, in time linear in the field. What it finds is its first group, or all of its match
// if it has no group. It is safe for concurrent use.
type Pattern struct {
	expr  string
	re    *regexp.Regexp
	group int    // whose match is the answer: 1, or 0 for all
	shape *shape // nil if only the machine can tell
	masks *masks // nil if its shape has none
	forms kernel.Variant[forms]
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
	p := &Pattern{expr: expr, re: re, group: min(1, re.NumSubexp()), shape: shapeOf(tree)}
	p.masks = masksOf(p.shape)
	p.forms = kernel.Choose(variants)
	return p, nil
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

// Finder finds a pattern for one goroutine.
type Finder struct {
	*Pattern
	block block
}

// Finder returns a finder that shares nothing that changes with others.
func (p *Pattern) Finder() *Finder { return &Finder{Pattern: p} }

// Select keeps in sel, in place, the records in whose field of column the pattern is found.
// Fields may be read beyond their ends, as far as records.SlackBytes.
func (p *Finder) Select(text []byte, column records.Column, sel records.Selection) records.Selection {
	return p.scan(text, column, sel, nil, sel[:0])
}
