package jsontext

import "fmt"

// wanted is what should be where the grammar is in a state.
var wanted = [states]string{
	top: "a value", topDone: "the end", firstTop: "a value", manyTops: "a value",
	arrayFirst: "a value or ']'", arrayValue: "a value", arrayNext: "',' or ']'",
	objectName1: "a name in quotes or '}'", objectName: "a name in quotes",
	objectColon: "':'", objectValue: "a value", objectNext: "',' or '}'",
}

// named is a byte as people call it.
func named(c byte) string {
	if 0x20 < c && c < 0x7f {
		return fmt.Sprintf("'%c'", c)
	}
	return fmt.Sprintf("byte 0x%02x", c)
}

// whyNot says why no word may begin so.
func (m *machine) whyNot(c byte) string {
	switch {
	case m.state == topDone:
		return named(c) + " behind the value that the text is: something is left over"
	case c == ']' && m.state == arrayValue, c == '}' && m.state == objectName:
		return named(c) + " behind a comma, where " + wanted[m.state] + " should be"
	}
	return named(c) + " where " + wanted[m.state] + " should be"
}

// whyNotCharacter says why a byte does not go on with a character that needs one between low
// and high.
func whyNotCharacter(c, low, high byte) string {
	switch {
	case c < 0x80 || c > 0xbf:
		return named(c) + " in a character of UTF-8 that is not complete"
	case c < low:
		return named(c) + " makes a character of UTF-8 that has a shorter form"
	case high == 0x9f:
		return named(c) + " makes a surrogate, which UTF-8 does not have"
	}
	return named(c) + " makes a character beyond U+10FFFF"
}

// atBegin says what a first byte most likely is.
func atBegin(c byte, reason string) string {
	switch c {
	case 0xef:
		return reason + ": it is how a byte order mark begins, which JSON must not have; save the text without it"
	case 0xfe, 0xff:
		return reason + ": it is how UTF-16 begins; convert the text to UTF-8"
	}
	return reason
}

// tooDeep says that a text is nested too deep.
func tooDeep(depthMax int) string {
	return fmt.Sprintf("nested deeper than the limit of %d", depthMax)
}
