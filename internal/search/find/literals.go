package find

import (
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/literals"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
)

// Literals are alternatives, any of which fits. Where several fit at one place, the first
// counts, texts before bytes in hexadecimal.
type Literals struct {
	Texts []string
	Hex   []string
	// IgnoreCase lets letters fit those that differ in case only, by Unicode's simple
	// folding. The texts are then valid UTF-8, and there are no bytes in hexadecimal.
	IgnoreCase bool
}

// AnyOf looks for literals.
func AnyOf(l Literals) (*Selector, error) {
	if l.IgnoreCase && len(l.Hex) > 0 {
		return nil, errors.New("case can be ignored in texts, and not in bytes in hexadecimal")
	}
	var list []literals.Literal
	var last *pattern.Pattern
	for _, text := range l.Texts {
		p, err := pattern.Literal([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("text %q: %w", text, err)
		}
		list, last = append(list, literals.Literal{Value: []byte(text)}), p
	}
	for _, text := range l.Hex {
		p, err := pattern.ParseHex(text)
		if err != nil {
			return nil, fmt.Errorf("hex %q: %w", text, err)
		}
		value, mask := p.Bytes()
		list, last = append(list, literals.Literal{Value: value, Mask: mask}), p
	}
	if len(list) == 1 && !l.IgnoreCase {
		return patternSelector(last), nil
	}
	set, err := literals.Compile(list, l.IgnoreCase)
	if err != nil {
		return nil, err
	}
	return &Selector{
		Traits: scan.Traits{Kernel: fmt.Sprintf("literals %v", set.ISA()), Origin: set.ISA().Origin(),
			Ahead: set.Longest() - 1, SkipHoles: !set.FitsZeros(), Disjoint: true, Text: true},
		set:      set,
		searcher: func(Input) scan.Searcher { return setSearcher{set} },
	}, nil
}

type setSearcher struct{ *literals.Set }

// Search yields also occurrences that overlap an earlier one: which of them count is decided
// by what lies before the block.
func (s setSearcher) Search(b engine.Block, yield func(scan.Hit) bool) {
	s.All(b.Data[:min(b.Len+s.Longest()-1, len(b.Data))], b.Len, func(at, n int) bool {
		return yield(scan.Hit{Off: b.Off + int64(at), Len: int64(n)})
	})
}

// Regexps looks for matches of any of some RE2 expressions, line by line. Where several
// match at one place, the first counts.
func Regexps(exprs []string) (*Selector, error) {
	if len(exprs) == 0 {
		return nil, errors.New("no expression to look for")
	}
	if len(exprs) == 1 {
		return Regexp(exprs[0])
	}
	var parts []string
	for _, expr := range exprs {
		// Each is compiled by itself: "a(b" and "c)d" are no expressions, and joined are one.
		if _, err := Regexp(expr); err != nil {
			return nil, err
		}
		parts = append(parts, "(?:"+expr+")")
	}
	return Regexp(strings.Join(parts, "|"))
}
