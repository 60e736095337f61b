package find

import (
	"errors"
	"fmt"
	"strings"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/kernel/literals"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/question"
)

// Any looks for literals.
func Any(l question.Literals) (*Selector, error) {
	if l.IgnoreCase && len(l.Hex) > 0 {
		return nil, errors.New("case can be ignored in texts, but not in hexadecimal bytes")
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
		Traits: scan.Traits{Kernel: fmt.Sprintf("literals %v", set.ISA()),
			Ahead: set.Longest() - 1, SkipHoles: !set.FitsZeros(), Disjoint: true, Text: true},
		set:      set,
		searcher: func(Input) scan.Searcher { return setSearcher{set} },
	}, nil
}

type setSearcher struct{ *literals.Set }

// Search also yields occurrences that overlap an earlier one. Which of them count depends on
// the bytes before the block.
func (s setSearcher) Search(b engine.Block, yield func(answer.Hit) bool) {
	s.All(b.Data[:min(b.Len+s.Longest()-1, len(b.Data))], b.Len, func(at, n int) bool {
		return yield(answer.Hit{Off: b.Off + int64(at), Len: int64(n)})
	})
}

// Regexps looks for matches of any of several RE2 expressions, line by line. If several match at
// the same offset, the first in the list counts.
func Regexps(exprs []string) (*Selector, error) {
	if len(exprs) == 0 {
		return nil, errors.New("no regular expression given")
	}
	if len(exprs) == 1 {
		return Regexp(exprs[0])
	}
	var parts []string
	for _, expr := range exprs {
		// Each must be valid by itself: "a(b" and "c)d" are not, although "a(b|c)d" is.
		if _, err := Regexp(expr); err != nil {
			return nil, err
		}
		parts = append(parts, "(?:"+expr+")")
	}
	return Regexp(strings.Join(parts, "|"))
}
