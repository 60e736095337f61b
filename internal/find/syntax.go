package find

import (
	"math"
	"regexp/syntax"
	"unicode/utf8"
)

// hasAssertions reports whether an expression asks for what is around a match: edges of
// lines or words.
func hasAssertions(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if hasAssertions(sub) {
			return true
		}
	}
	return false
}

// lengthMax returns the length in bytes of the longest match, math.MaxInt when there is
// no longest.
func lengthMax(re *syntax.Regexp) int {
	var sub int
	for _, s := range re.Sub {
		n := lengthMax(s)
		if re.Op == syntax.OpConcat {
			sub = plus(sub, n)
		} else {
			sub = max(sub, n)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		return utf8.UTFMax * len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax
	case syntax.OpStar, syntax.OpPlus:
		if sub > 0 {
			return math.MaxInt
		}
	case syntax.OpRepeat:
		if re.Max < 0 && sub > 0 {
			return math.MaxInt
		}
		total := 0
		for range re.Max {
			total = plus(total, sub)
		}
		return total
	}
	return sub
}

func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
