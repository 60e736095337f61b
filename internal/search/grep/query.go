// Package grep finds the lines that match, and prints them as grep does.
//
// The workers take blocks in file order. Each searches the whole lines in its block, in parallel with
// the others, and remembers where the matching ones are. Then it waits for its turn: the printer goes
// from block to block (an ordered handoff) and knows what depends on all bytes before, such as line
// numbers, context, and the beginning of the line that the block before has cut off.
//
//	block 0   [search whole lines][print]
//	block 1      [search whole lines]    [print]
//	printer                       |--0--||--1--|
//
// Printing is copying, so that searching, which is all the work where few lines match, takes all cores,
// and output, which must be in order, one. A line that lies in several blocks is put together by the
// printer; a very long one is read once more where it lies, or from a temporary file: see longline.go.
package grep

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/kernel/literals"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
	"github.com/thresh-dev/thresh/question"
)

// Query is a compiled list of patterns. It is immutable and safe for concurrent use.
type Query struct { // Patterns with line feeds are divided
	question.Lines
	kernel      string
	workerBytes int64
	zeros       int                    // how many zero bytes can stand for a hole, 0 if holes must be read
	apart       bool                   // no match has a zero byte
	matcher     func() matcher         // for one worker
	each        func() (*tally, error) // counts each pattern, for one worker
}

// Kernel returns the inner loop, for receipts.
func (q *Query) Kernel() string { return q.kernel }

// item is one pattern: a text, or an expression.
type item struct {
	text    string // of the pattern, or the text that it stands for
	literal bool
	fold    bool
}

// Compile compiles patterns. Without any, no line matches.
func Compile(p question.Lines) (*Query, error) {
	var list []string
	for _, text := range p.Patterns {
		list = append(list, strings.Split(text, "\n")...)
	}
	p.Patterns = list
	items := make([]item, len(list))
	literal := true
	fold := p.IgnoreCase || p.SmartCase && smartFold(p.Fixed, list)
	for i, text := range list {
		var err error
		if items[i], err = newItem(p, text, fold); err != nil {
			return nil, err
		}
		literal = literal && items[i].literal && (items[i].text != "" || p.Whole)
	}
	literal = literal && sameFold(items)
	q := &Query{Lines: p}
	q.zeros, q.apart = zerosFor(items)
	q.each = q.newEach(items)
	every := func(it item) bool { return it.literal && it.text == "" }
	switch {
	case len(items) == 0:
		q.kernel, q.matcher = "none", func() matcher { return noLine{} }
		return q, nil
	case slices.ContainsFunc(items, every) && !p.Word && !p.Whole:
		q.kernel, q.matcher = "every line", q.everyLine(items)
		return q, nil
	case literal:
		if err := q.literals(items); !errors.Is(err, errMixed) {
			return q, err
		}
	}
	return q, q.expressions(items)
}

// item examines one pattern, of which the case is ignored if fold is set.
func newItem(p question.Lines, text string, fold bool) (item, error) {
	it := item{text: text, literal: true, fold: fold}
	if p.Fixed {
		it.fold = it.fold && hasCase(text)
		if it.fold && !utf8.ValidString(text) {
			return it, fmt.Errorf("pattern %q: case can be ignored in UTF-8 text only", text)
		}
		return it, nil
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil || strings.Contains(text, `\`) {
		if _, err := regex.Compile(text); err != nil { // it says what is wrong and where
			return it, err
		}
	}
	switch {
	case err == nil && tree.Op == syntax.OpEmptyMatch:
		it.text = ""
	case err == nil && tree.Op == syntax.OpLiteral && !strings.ContainsAny(string(tree.Rune), "\n\ufffd"):
		it.text = string(tree.Rune)
		it.fold = it.fold || tree.Flags&syntax.FoldCase != 0
	default:
		it.literal = false
		return it, nil
	}
	it.fold = it.fold && hasCase(it.text)
	return it, nil
}

// hasCase reports whether a text has letters in upper or lower case.
func hasCase(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.SimpleFold(r) != r })
}

// sameFold reports whether the case of all texts is ignored, or of none. Texts without letters can be either.
func sameFold(items []item) bool {
	fold := slices.ContainsFunc(items, func(it item) bool { return it.fold })
	for i := range items {
		caseless := utf8.ValidString(items[i].text) && !hasCase(items[i].text)
		if items[i].fold = items[i].fold || fold && caseless; items[i].fold != fold {
			return false
		}
	}
	return true
}

// everyLine makes the matcher of patterns of which one is empty. The others say what to highlight.
func (q *Query) everyLine(items []item) func() matcher {
	inner := &Query{Lines: q.Lines}
	if err := inner.expressions(items); err != nil {
		return func() matcher { return everyLine{noLine{}} }
	}
	return func() matcher { return everyLine{inner.matcher()} }
}

// errMixed means that patterns are not searched for as literals.
var errMixed = errors.New("not literals")

// literals makes the matcher of patterns that are all texts.
func (q *Query) literals(items []item) error {
	if len(items) == 1 && !items[0].fold && items[0].text != "" {
		p, err := pattern.Literal([]byte(items[0].text))
		if err != nil {
			return err
		}
		q.kernel = fmt.Sprintf("pattern %v", p.ISA())
		q.matcher = func() matcher { return literal{p, q.limits()} }
		return nil
	}
	inexpressible := slices.ContainsFunc(items, func(it item) bool { return !it.expressible() })
	if len(items) == 1 && !inexpressible {
		return q.foldedText(items)
	}
	list, blank := make([]literals.Literal, len(items)), -1
	for i, it := range items {
		list[i].Value = []byte(it.text)
		if it.text == "" { // of whole lines: the line feed of a line without a byte
			list[i].Value, blank = feed, i
		}
	}
	if blank >= 0 && !inexpressible {
		return errMixed
	}
	fold := items[0].fold
	if q.Word || q.Whole {
		set, ids, err := literals.CompileEvery(list, fold)
		if err != nil {
			return err
		}
		q.kernel = fmt.Sprintf("literals %v", set.ISA())
		if blank >= 0 {
			blank = ids[blank]
		}
		q.matcher = func() matcher { return limitedSet{set, q.limits(), blank} }
		return nil
	}
	set, err := literals.Compile(list, fold)
	if err != nil {
		return err
	}
	q.kernel = fmt.Sprintf("literals %v", set.ISA())
	q.matcher = func() matcher { return literalSet{set} }
	return nil
}

// foldedText makes the matcher of one text whose case does not matter.
func (q *Query) foldedText(items []item) error {
	p, err := pattern.Fold([]byte(items[0].text))
	if err != nil {
		return errMixed // two of its bytes are rarer than its first ones, which is what a set looks at
	}
	var odd []*pattern.Pattern
	for letter, form := range map[string]string{"k": "\u212a", "s": "\u017f"} {
		if !strings.Contains(strings.ToLower(items[0].text), letter) {
			continue
		}
		o, err := pattern.Literal([]byte(form))
		if err != nil {
			return err
		}
		odd = append(odd, o)
	}
	q.kernel = fmt.Sprintf("pattern %v", p.ISA())
	if len(odd) == 0 {
		q.matcher = func() matcher { return literal{p, q.limits()} }
		return nil
	}
	whole := &Query{Lines: q.Lines}
	if err := whole.expressions(items); err != nil {
		return err
	}
	q.workerBytes = whole.workerBytes
	q.matcher = func() matcher { return &folded{literal: literal{p, q.limits()}, odd: odd, inOdd: whole.matcher} }
	return nil
}

// searcherBytes bounds the state tables of a regex.Searcher.
const searcherBytes = 12 << 20

// expressions makes the matcher of patterns as one expression.
func (q *Query) expressions(items []item) error {
	joined := alternatives(items)
	re, err := regex.Compile(q.limits().expr(joined))
	if err != nil {
		return err
	}
	q.kernel, q.workerBytes = "regex "+re.Kernel(), searcherBytes
	if q.Word && !q.Whole {
		words, err := newWordSpans(joined)
		if err != nil {
			return err
		}
		q.matcher = func() matcher { return &expression{re.Searcher(), words, re.MatchesEmptyLine()} }
		return nil
	}
	q.matcher = func() matcher { return &expression{re.Searcher(), nil, re.MatchesEmptyLine()} }
	return nil
}

// alternatives joins patterns to one expression.
func alternatives(items []item) string {
	var b strings.Builder
	for i, it := range items {
		if i > 0 {
			b.WriteByte('|')
		}
		b.WriteString(it.expr())
	}
	return b.String()
}

// expressible reports whether an expression can stand for a text. In expressions U+FFFD also matches bytes that are
// not UTF-8, and nothing matches one of those only.
func (it *item) expressible() bool {
	return utf8.ValidString(it.text) && !strings.ContainsRune(it.text, utf8.RuneError)
}

// expr returns a pattern as an expression that can stand in another.
func (it *item) expr() string {
	group := "(?:"
	if it.fold {
		group = "(?i:"
	}
	if it.literal {
		return group + regexp.QuoteMeta(it.text) + ")"
	}
	return group + it.text + ")"
}
