package jsontext

import "fmt"

// state is what the grammar expects next. A string, number or literal changes the state with its
// first byte.
type state uint8

const (
	topOnly     state = iota // the only value of the text
	topDone                  // the end of the text
	topFirst                 // the first of several values
	topNext                  // another value, or the end of the text
	arrayFirst               // the first value of an array, or its end
	arrayValue               // a value after a comma
	arrayNext                // a comma or the end of an array
	objectName1              // the first name of an object, or its end
	objectName               // a name after a comma
	objectColon              // a colon
	objectValue              // a value after a colon
	objectNext               // a comma or the end of an object
	states
)

// transition is the effect of a token's first byte: an action in the upper four bits and the next
// state in the lower four.
type transition = uint8

const (
	stepOnly  transition = iota << 4 // only change the state; also for a string
	beginWord                        // begin a number or literal
	beginObject
	beginArray
	endNested // the next state depends on the enclosing bracket
	invalid

	stateBits = 0x0f
)

// transitionTable returns the transition for each state and byte. White space keeps the state.
func transitionTable() (m [states][256]transition) {
	for s := range m {
		for c := range m[s] {
			m[s][c] = invalid
		}
		for _, c := range " \t\n\r" {
			m[s][c] = stepOnly | transition(s)
		}
	}
	for s, then := range map[state]state{
		topOnly: topDone, topFirst: topNext, topNext: topNext,
		arrayFirst: arrayNext, arrayValue: arrayNext, objectValue: objectNext,
	} {
		for _, c := range "-0123456789tfn" {
			m[s][c] = beginWord | transition(then)
		}
		m[s]['"'] = stepOnly | transition(then)
		m[s]['{'], m[s]['['] = beginObject, beginArray
	}
	m[objectName1]['"'] = stepOnly | transition(objectColon)
	m[objectName]['"'] = stepOnly | transition(objectColon)
	m[objectColon][':'] = stepOnly | transition(objectValue)
	m[objectNext][','] = stepOnly | transition(objectName)
	m[arrayNext][','] = stepOnly | transition(arrayValue)
	m[objectName1]['}'], m[objectNext]['}'] = endNested, endNested
	m[arrayFirst][']'], m[arrayNext][']'] = endNested, endNested
	return m
}

// literals holds each literal by its first byte.
var literals = [256]string{'t': "true", 'f': "false", 'n': "null"}

// ends is true for the bytes that end a number or literal: white space, brackets, colon, comma and
// quote. The grammar may still forbid them there.
var ends = func() (is [256]bool) {
	for _, c := range " \t\n\r{}[]:,\"" {
		is[c] = true
	}
	return is
}()

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
