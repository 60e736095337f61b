package value

import (
	"bytes"
	"strings"
)

// trueText and falseText are the texts of booleans.
var trueText, falseText = []byte("true"), []byte("false")

// OfBool returns the value of a condition that is known.
func OfBool(holds bool) Value {
	if holds {
		return Value{text: trueText, kind: isText}
	}
	return Value{text: falseText, kind: isText}
}

// Truth returns what a value is as a condition: a number is true unless it is 0, and a text if it is one of the usual
// words for it. Null is unknown, and so is any other text.
func (v Value) Truth() (holds, known bool) {
	if v.kind == isNull {
		return false, false
	}
	if v.kind == isText {
		switch word := v.text; {
		case string(word) == "true":
			return true, true
		case string(word) == "false":
			return false, true
		default:
			const longest = 5
			if len(word) <= longest {
				switch strings.ToLower(string(word)) {
				case "true", "t", "yes", "y":
					return true, true
				case "false", "f", "no", "n":
					return false, true
				}
			}
		}
	}
	n, ok := v.Number()
	return ok && n.Compare(zero) != 0, ok
}

// Compare orders two values that are not null: as numbers if both are numbers, as times if both are times, and as
// texts otherwise.
func Compare(a, b Value) int {
	if m, ok := a.Number(); ok {
		if n, ok := b.Number(); ok {
			return m.Compare(n)
		}
	}
	return CompareTexts(a.Text(), b.Text())
}

// CompareTexts orders texts: as times if both are times, and byte by byte otherwise.
func CompareTexts(x, y []byte) int {
	if areAlike(x, y) && !hasLeapSecond(x) && !hasLeapSecond(y) {
		return bytes.Compare(x, y) // which is right, whether they are times or not
	}
	if t, ok := ParseTime(x); ok {
		if u, ok := ParseTime(y); ok {
			return t.Compare(u)
		}
	}
	return bytes.Compare(x, y)
}

// hasLeapSecond reports whether a time with seconds may be the same as the next minute's first second.
func hasLeapSecond(text []byte) bool { return len(text) > 17 && text[17] == '6' }
