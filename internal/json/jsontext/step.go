package jsontext

// place is where within a word the text is.
type place uint8

const (
	between     place = iota // outside of strings, numbers and literals
	inString                 // between two characters of a string
	inCharacter              // in a character of several bytes
	inEscape                 // behind a backslash
	inHex                    // in the digits of an escape
	inLiteral                // in a literal, or behind its last byte
	behindMinus
	behindZero // a zero that a number begins with
	inWhole    // in the digits before point and exponent
	behindPoint
	inFraction
	behindE
	behindSign // of an exponent
	inExponent
)

// machine is the plain twin: it defines what is right, a byte at a time.
type machine struct {
	state    state
	place    place
	nest     nest
	depthMax int
	values   Values

	left      int    // bytes that a character, or digits that an escape still needs
	low, high byte   // what the next byte of a character must be between
	rest      string // of a literal
}

// machineFor returns the machine before a text.
func machineFor(depthMax int, values Values) machine {
	m := machine{depthMax: depthMax, values: values}
	m.state = [...]state{One: top, Several: firstTop, Any: manyTops}[values]
	return m
}

// steps takes bytes up to the first that cannot be, and says why it cannot.
func (m *machine) steps(b []byte) (n int, reason string) {
	for i, c := range b {
		if reason := m.step(c); reason != "" {
			return i, reason
		}
	}
	return len(b), ""
}

// settle ends a number or literal that may end, if the next byte ends it.
func (m *machine) settle(next byte) {
	switch m.place {
	case behindZero, inWhole, inFraction, inExponent:
	case inLiteral:
		if m.rest != "" {
			return
		}
	default:
		return
	}
	if ends[next] {
		m.place = between
	}
}

// step takes a byte, or says why it cannot be.
func (m *machine) step(c byte) (reason string) {
	switch m.place {
	case between:
		return m.begin(c)
	case inString:
		return m.inString(c)
	case inCharacter:
		if c < m.low || c > m.high {
			return whyNotCharacter(c, m.low, m.high)
		}
		m.low, m.high = 0x80, 0xbf
		m.countDown()
	case inEscape:
		switch c {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			m.place = inString
		case 'u':
			m.place, m.left = inHex, 4
		default:
			return named(c) + " behind a backslash is no escape"
		}
	case inHex:
		if !hex[c] {
			return named(c) + ` where \u needs four hexadecimal digits`
		}
		m.countDown()
	case inLiteral:
		if m.rest == "" {
			return m.behindWord(c, "a literal")
		}
		if c != m.rest[0] {
			return named(c) + " in what begins like true, false or null"
		}
		m.rest = m.rest[1:]
	default:
		return m.inNumber(c)
	}
	return ""
}

// countDown takes a byte of a character or a digit of an escape.
func (m *machine) countDown() {
	if m.left--; m.left == 0 {
		m.place = inString
	}
}

// begin takes a byte outside of words.
func (m *machine) begin(c byte) (reason string) {
	do := moves[m.state][c]
	then := state(do & stateBits)
	switch do &^ stateBits {
	case refused:
		return m.whyNot(c)
	case endNested:
		m.nest.n--
		m.state = m.behindValue()
		return ""
	case beginObject, beginArray:
		if m.nest.n == m.depthMax {
			return tooDeep(m.depthMax)
		}
		if c == '{' {
			m.nest.push(1)
			m.state = objectName1
		} else {
			m.nest.push(0)
			m.state = arrayFirst
		}
		return ""
	case beginWord:
		m.beginWord(c)
	case stepOnly:
		if c == '"' {
			m.place = inString
		}
	}
	m.state = then
	return ""
}

// behindValue returns the state behind a value.
func (m *machine) behindValue() state {
	switch {
	case m.nest.n == 0 && m.values == One:
		return topDone
	case m.nest.n == 0:
		return manyTops
	case m.nest.top() == 1:
		return objectNext
	}
	return arrayNext
}

// beginWord takes the first byte of a number or literal.
func (m *machine) beginWord(c byte) {
	switch c {
	case '-':
		m.place = behindMinus
	case '0':
		m.place = behindZero
	case 't', 'f', 'n':
		m.place, m.rest = inLiteral, literals[c][1:]
	default:
		m.place = inWhole
	}
}

// inString takes a byte between two characters of a string. Of the characters of several
// bytes, only the second byte is bound more closely than to be 0x80 to 0xbf: it must not make
// a character that has a shorter form, a surrogate, or one beyond U+10FFFF.
func (m *machine) inString(c byte) (reason string) {
	m.low, m.high = 0x80, 0xbf
	switch {
	case c == '"':
		m.place = between
	case c == '\\':
		m.place = inEscape
	case c < 0x20:
		return named(c) + ` in a string, where it must be written as \u and four digits`
	case c < 0x80:
	case c < 0xc2 || c > 0xf4:
		return named(c) + " cannot begin a character of UTF-8"
	default:
		m.place, m.left = inCharacter, 1
		if c >= 0xe0 {
			m.left = 2
		}
		if c >= 0xf0 {
			m.left = 3
		}
		switch c {
		case 0xe0:
			m.low = 0xa0
		case 0xed:
			m.high = 0x9f
		case 0xf0:
			m.low = 0x90
		case 0xf4:
			m.high = 0x8f
		}
	}
	return ""
}

// inNumber takes a byte in a number, or the first behind it.
func (m *machine) inNumber(c byte) (reason string) {
	digit := '0' <= c && c <= '9'
	switch m.place {
	case behindMinus:
		if !digit {
			return named(c) + " where a number needs a digit"
		}
		m.place = inWhole
		if c == '0' {
			m.place = behindZero
		}
		return ""
	case behindPoint:
		if !digit {
			return named(c) + " where a number needs a digit"
		}
		m.place = inFraction
		return ""
	case behindE:
		m.place = behindSign
		if c == '+' || c == '-' {
			return ""
		}
		fallthrough
	case behindSign:
		if !digit {
			return named(c) + " where a number needs a digit"
		}
		m.place = inExponent
		return ""
	}
	switch {
	case digit && m.place == behindZero:
		return named(c) + " behind a zero that a number begins with"
	case digit:
	case c == '.' && m.place <= inWhole:
		m.place = behindPoint
	case c|0x20 == 'e' && m.place <= inFraction:
		m.place = behindE
	default:
		return m.behindWord(c, "a number")
	}
	return ""
}

// behindWord takes the first byte behind a number or literal.
func (m *machine) behindWord(c byte, word string) (reason string) {
	if !ends[c] {
		return named(c) + " within or behind " + word
	}
	m.place = between
	return m.begin(c)
}

// end says why the text must not end here.
func (m *machine) end() (reason string) {
	switch m.place {
	case between, behindZero, inWhole, inFraction, inExponent:
	case inLiteral:
		if m.rest != "" {
			return "the text ends in what begins like true, false or null"
		}
	case behindMinus, behindPoint, behindE, behindSign:
		return "the text ends in a number"
	default:
		return "the text ends in a string"
	}
	switch m.state {
	case topDone, manyTops:
		return ""
	case top, firstTop:
		return "the text holds no value"
	}
	return "the text ends where " + wanted[m.state] + " should be"
}

// hex says which bytes are hexadecimal digits.
var hex = func() (is [256]bool) {
	for _, c := range "0123456789abcdefABCDEF" {
		is[c] = true
	}
	return is
}()
