package key

import (
	"bytes"
	"regexp"
	"regexp/syntax"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
)

// Pattern is a regular expression to find in fields: RE2 syntax, unanchored, leftmost-first,
// in time linear in the field. The answer is the expression's first group, or the whole match
// if it has no group. A Pattern is safe for concurrent use.
type Pattern struct {
	expr  string
	re    *regexp.Regexp
	group int    // the group that is the answer; 0 for the whole match
	shape *shape // nil if the expression has none
	masks *masks // nil if the shape cannot be scanned with masks

	// automaton finds matches where a scan is unsure, but no groups. It is nil if scans are always
	// sure, or if the expression needs a line feed.
	automaton *regex.Regex

	kernels kernel.Variant[kernels]
}

// Compile reads an expression. Its errors are of type *syntax.Error.
func Compile(expr string) (*Pattern, error) { return compile(expr, false) }

// CompileTest is Compile for a pattern of which only Select is used.
func CompileTest(expr string) (*Pattern, error) { return compile(expr, true) }

func compile(expr string, test bool) (*Pattern, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	p := &Pattern{expr: expr, re: re, group: min(1, re.NumSubexp()), shape: shapeOf(tree, test)}
	p.masks = masksOf(p.shape)
	if p.shape == nil || !p.shape.sure {
		if p.automaton, err = regex.Compile(expr); err != nil {
			p.automaton = nil
		}
	}
	p.kernels = kernel.Choose(variants)
	return p, nil
}

// named returns a pattern for each group that has a name, whose answer is that group.
func (p *Pattern) named() (all []*Pattern) {
	for group, name := range p.re.SubexpNames() {
		if name != "" {
			all = append(all, p.grouped(group))
		}
	}
	return all
}

// grouped returns the pattern with another group as its answer.
func (p *Pattern) grouped(group int) *Pattern {
	return &Pattern{expr: p.expr, re: p.re, group: group, automaton: p.automaton, kernels: p.kernels}
}

// MatchesEmpty reports whether the pattern matches the empty text.
func (p *Pattern) MatchesEmpty() bool { return p.re.MatchString("") }

// String returns the expression as written.
func (p *Pattern) String() string { return p.expr }

// Plan describes briefly how the pattern is found.
func (p *Pattern) Plan() string {
	switch {
	case p.shape != nil:
		return p.shape.String()
	case p.automaton != nil && p.group == 0:
		return "automaton"
	}
	return "regexp machine"
}

// machine finds the answer with the standard library, which is slow and defines what is right.
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
	case at[2*p.group] < 0: // the group did not take part in the match: the key is empty
		return at[0], at[0], true
	}
	return at[2*p.group], at[2*p.group+1], true
}

// Finder finds a pattern for one goroutine.
type Finder struct {
	*Pattern
	block    block
	searcher *regex.Searcher // of the automaton; nil until it is needed
}

// automatonBytes bounds the tables of an automaton. Fields are short, so few states are needed.
const automatonBytes = 1 << 20

// FinderBytes returns the memory that a finder may take.
func (p *Pattern) FinderBytes() int64 {
	if p.automaton == nil {
		return 0
	}
	return automatonBytes
}

// Finder returns a finder that shares no mutable state with other finders.
func (p *Pattern) Finder() *Finder { return &Finder{Pattern: p} }

// decide finds the answer where a scan is unsure. It uses the automaton, unless the answer is a
// group and wanted: automatons find no groups. They also work on lines, so a field with a line
// feed, and an empty field, which is not a line, go to the standard library.
func (p *Finder) decide(field []byte, answerWanted bool) (from, to int, found bool) {
	if p.automaton != nil && !(answerWanted && p.group > 0) && len(field) > 0 && bytes.IndexByte(field, '\n') < 0 {
		if p.searcher == nil {
			p.searcher = p.automaton.SmallSearcher(automatonBytes)
		}
		p.searcher.Reset(field)
		if from, to = p.searcher.Next(); len(p.searcher.Lost()) == 0 {
			return from, to, from >= 0
		}
	}
	if !answerWanted {
		return 0, 0, p.re.Match(field)
	}
	return p.machine(field)
}

// Select narrows sel in place to the records whose field in column has a match. It may read
// up to records.SlackBytes beyond the end of a field.
func (p *Finder) Select(text []byte, column records.Column, sel records.Selection) records.Selection {
	return p.scan(text, column, sel, nil, sel[:0])
}
