// Package regex finds the matches of a regular expression in text, line by line, in time linear in
// the text.
//
// The expressions are those of the standard library's regexp (RE2 syntax), and so are the answers,
// to the byte: the matches of a text are those that FindAllIndex returns for each of its lines,
// without the line feeds. That library is the plain twin that defines what is right; the tests
// compare this package with it.
//
// How a match is found, fastest first: by its literal, if the expression is nothing else; by a
// literal or two bytes that every match begins with, then an automaton from there; by a literal
// that its line must contain, then an automaton over the line; by four automatons side by side that
// find the lines with matches. Some lines go to an automaton that finds all matches of a line in
// one pass: those in which it takes too long until the end of a match is sure, and those that
// arrive in parts. Expressions with too many states run without an automaton, step by step.
package regex

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"sort"
	"strings"
)

// Regex is a compiled expression. It is immutable and safe for concurrent use.
type Regex struct {
	expr  string
	prog  *syntax.Prog
	nfa   *nfa // nil if it would be too large
	runes *nfa // over runes, if nfa is nil
	alpha *alphabet
	preds [][]pred
	plan  plan
	empty bool // matches an empty line
}

// Error says what is wrong with an expression.
type Error struct {
	Expr     string
	Fragment string // the part that is wrong, as written in Expr
	Offset   int    // of Fragment in Expr, in bytes; -1 if unknown
	Reason   string
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("expression %q: %s", e.Expr, e.Reason)
	}
	return fmt.Sprintf("expression %q: %s: %q at byte %d", e.Expr, e.Reason, e.Fragment, e.Offset)
}

// Compile returns the compiled expression. An error is an *Error: the expression is malformed, or a
// match would need a line feed, which no line contains.
func Compile(expr string) (*Regex, error) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, parseError(expr, err)
	}
	tree = tree.Simplify()
	prog, err := syntax.Compile(tree)
	if err != nil {
		return nil, &Error{Expr: expr, Offset: -1, Reason: err.Error()}
	}
	r := &Regex{expr: expr, prog: prog}
	if r.nfa = newNFA(prog); r.nfa != nil {
		if at, fragment := lineFeedIn(expr); r.nfa.neverHit && fragment != "" {
			return nil, &Error{expr, fragment, at, "a match would need a line feed, which no line contains"}
		}
		r.alpha = newAlphabet(r.nfa)
		r.preds = r.nfa.preds()
	}
	if r.nfa == nil {
		r.runes = newRuneNFA(prog)
	}
	r.plan = planFor(tree, r.nfa)
	line := r.Line(0, true)
	e := newStepper(r.program()).step(&line.now, &line.then, '\n', 0)
	r.empty = e.matched >= 0
	return r, nil
}

func parseError(expr string, err error) error {
	var se *syntax.Error
	if !errors.As(err, &se) {
		return &Error{Expr: expr, Offset: -1, Reason: err.Error()}
	}
	e := &Error{Expr: expr, Fragment: se.Expr, Offset: -1, Reason: se.Code.String()}
	if at := strings.Index(expr, se.Expr); se.Expr != "" && at == strings.LastIndex(expr, se.Expr) {
		e.Offset = at
	}
	if se.Code == syntax.ErrUnexpectedParen { // the parser names all of the expression
		e.Offset = sort.Search(len(expr), func(i int) bool {
			_, err := syntax.Parse(expr[:i+1], syntax.Perl)
			return errors.As(err, &se) && se.Code == syntax.ErrUnexpectedParen
		})
		e.Fragment = ")"
	}
	return e
}

// lineFeeds are the usual ways to write a line feed.
var lineFeeds = []string{
	`\n`, `\x0a`, `\x0A`, `\x{a}`, `\x{A}`, `\x{0a}`, `\x{0A}`, `\012`,
}

// lineFeedIn returns where an expression contains a line feed, "" if none is found.
func lineFeedIn(expr string) (int, string) {
	for i := 0; i < len(expr); i++ {
		switch {
		case expr[i] == '\n':
			return i, expr[i : i+1]
		case expr[i] == '\\' && i+1 < len(expr):
			for _, form := range lineFeeds {
				if strings.HasPrefix(expr[i:], form) {
					return i, form
				}
			}
			i++
		}
	}
	return -1, ""
}

// String returns the expression as it was given to Compile.
func (r *Regex) String() string { return r.expr }

// MatchesEmptyLine reports whether a line without any byte has a match.
func (r *Regex) MatchesEmptyLine() bool { return r.empty }

// CanMatchByte reports whether some match may contain byte b, or be empty next to one. If not, text
// that consists only of b has no match in it. Bytes beside a match that assertions such as \b look
// at do not count.
func (r *Regex) CanMatchByte(b byte) bool {
	if b == '\n' {
		return r.empty
	}
	if r.nfa == nil || r.nfa.nullable || b >= 0x80 && r.nfa.canQuit {
		return true
	}
	for i := range r.nfa.nodes[:r.nfa.scanFrom] {
		if target(r.nfa.nodes[i].edges, b) >= 0 {
			return true
		}
	}
	return false
}

// Kernel returns how matches are searched for, for receipts: "literal", "literal + dfa", "byteset +
// dfa", "dfa", "runes".
func (r *Regex) Kernel() string { return r.plan.kernel() }
