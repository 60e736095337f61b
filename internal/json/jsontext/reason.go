package jsontext

import "fmt"

// wanted is what the grammar expects in a state.
var wanted = [states]string{
	topOnly: "a value", topDone: "the end", topFirst: "a value", topNext: "a value",
	arrayFirst: "a value or ']'", arrayValue: "a value", arrayNext: "',' or ']'",
	objectName1: "a name in quotes or '}'", objectName: "a name in quotes",
	objectColon: "':'", objectValue: "a value", objectNext: "',' or '}'",
}

// named returns the name of a byte for an error message.
func named(c byte) string {
	if 0x20 < c && c < 0x7f {
		return fmt.Sprintf("'%c'", c)
	}
	return fmt.Sprintf("byte 0x%02x", c)
}

// whyNot returns why no token may begin with c.
func (m *machine) whyNot(c byte) string {
	switch {
	case m.state == topDone:
		return named(c) + " after the end of the value"
	case c == ']' && m.state == arrayValue, c == '}' && m.state == objectName:
		return named(c) + " after a comma, where " + wanted[m.state] + " should be"
	}
	return named(c) + " where " + wanted[m.state] + " should be"
}

// whyNotCharacter returns why c cannot continue a character whose next byte must be low to high.
func whyNotCharacter(c, low, high byte) string {
	switch {
	case c < 0x80 || c > 0xbf:
		return named(c) + " in an incomplete UTF-8 character"
	case c < low:
		return named(c) + " makes an overlong UTF-8 encoding"
	case high == 0x9f:
		return named(c) + " makes a surrogate, which UTF-8 does not allow"
	}
	return named(c) + " makes a character beyond U+10FFFF"
}

// atBegin adds to the reason what the first byte of a text most likely means.
func atBegin(c byte, reason string) string {
	switch c {
	case 0xef:
		return reason + ": it begins a byte order mark, which JSON must not have; save the text without it"
	case 0xfe, 0xff:
		return reason + ": it begins a text in UTF-16; convert the text to UTF-8"
	}
	return reason
}

// tooDeep returns the reason for a text that is nested too deep.
func tooDeep(depthMax int) string {
	return fmt.Sprintf("nested deeper than the limit of %d", depthMax)
}
