package jsontext

// place is the position within a token.
type place uint8

const (
	between     place = iota // outside of strings, numbers and literals
	inString                 // between two characters of a string
	inCharacter              // in a character of several bytes
	inEscape                 // after a backslash
	inHex                    // in the digits of an escape
	inLiteral                // in a literal, or after its last byte
	afterMinus
	afterZero // a leading zero
	inInteger // in the digits before point and exponent
	afterPoint
	inFraction
	afterE
	afterSign // of an exponent
	inExponent
)

// machine is the plain twin: a state machine that takes one byte at a time and defines which texts
// are valid.
type machine struct {
	state    state
	place    place
	nest     nest
	depthMax int
	values   Values

	left      int    // missing bytes of a character, or missing digits of an escape
	low, high byte   // bounds of the next byte of a character, inclusive
	rest      string // missing bytes of a literal
}

// machineFor returns a machine in its initial state.
func machineFor(depthMax int, values Values) machine {
	m := machine{depthMax: depthMax, values: values}
	m.state = [...]state{One: topOnly, Several: topFirst, Any: topNext}[values]
	return m
}

// steps takes bytes up to the first invalid one. It returns how many it took, and why the next
// byte is invalid; the reason is empty if it took all.
func (m *machine) steps(b []byte) (n int, reason string) {
	for i, c := range b {
		if reason := m.step(c); reason != "" {
			return i, reason
		}
	}
	return len(b), ""
}

// settle ends a number or literal if it is complete and the next byte ends it.
func (m *machine) settle(next byte) {
	switch m.place {
	case afterZero, inInteger, inFraction, inExponent:
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

// step takes a byte, or returns why it is invalid.
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
			return named(c) + " after a backslash is not a valid escape"
		}
	case inHex:
		if !hex[c] {
			return named(c) + ` where \u needs four hexadecimal digits`
		}
		m.countDown()
	case inLiteral:
		if m.rest == "" {
			return m.afterWord(c, "a literal")
		}
		if c != m.rest[0] {
			return named(c) + " in a literal, which must be true, false or null"
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

// begin takes a byte outside of strings, numbers and literals.
func (m *machine) begin(c byte) (reason string) {
	do := transitions[m.state][c]
	then := state(do & stateBits)
	switch do &^ stateBits {
	case invalid:
		return m.whyNot(c)
	case endNested:
		m.nest.n--
		m.state = m.afterValue()
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

// afterValue returns the state after a value.
func (m *machine) afterValue() state {
	switch {
	case m.nest.n == 0 && m.values == One:
		return topDone
	case m.nest.n == 0:
		return topNext
	case m.nest.top() == 1:
		return objectNext
	}
	return arrayNext
}

// beginWord takes the first byte of a number or literal.
func (m *machine) beginWord(c byte) {
	switch c {
	case '-':
		m.place = afterMinus
	case '0':
		m.place = afterZero
	case 't', 'f', 'n':
		m.place, m.rest = inLiteral, literals[c][1:]
	default:
		m.place = inInteger
	}
}

// inString takes a byte between two characters of a string. In a character of several bytes,
// every byte after the first must be 0x80 to 0xbf. Only the second byte has tighter bounds in some
// characters: they exclude overlong encodings, surrogates, and characters beyond U+10FFFF.
func (m *machine) inString(c byte) (reason string) {
	m.low, m.high = 0x80, 0xbf
	switch {
	case c == '"':
		m.place = between
	case c == '\\':
		m.place = inEscape
	case c < 0x20:
		return named(c) + ` in a string must be escaped, as \u and four digits`
	case c < 0x80:
	case c < 0xc2 || c > 0xf4:
		return named(c) + " cannot begin a UTF-8 character"
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

// inNumber takes a byte in a number, or the first byte after it.
func (m *machine) inNumber(c byte) (reason string) {
	digit := '0' <= c && c <= '9'
	switch m.place {
	case afterMinus:
		if !digit {
			return named(c) + " where a number needs a digit"
		}
		m.place = inInteger
		if c == '0' {
			m.place = afterZero
		}
		return ""
	case afterPoint:
		if !digit {
			return named(c) + " where a number needs a digit"
		}
		m.place = inFraction
		return ""
	case afterE:
		m.place = afterSign
		if c == '+' || c == '-' {
			return ""
		}
		fallthrough
	case afterSign:
		if !digit {
			return named(c) + " where a number needs a digit"
		}
		m.place = inExponent
		return ""
	}
	switch {
	case digit && m.place == afterZero:
		return named(c) + " after the leading zero of a number"
	case digit:
	case c == '.' && m.place <= inInteger:
		m.place = afterPoint
	case c|0x20 == 'e' && m.place <= inFraction:
		m.place = afterE
	default:
		return m.afterWord(c, "a number")
	}
	return ""
}

// afterWord takes the first byte after a number or literal.
func (m *machine) afterWord(c byte, word string) (reason string) {
	if !ends[c] {
		return named(c) + " in or after " + word
	}
	m.place = between
	return m.begin(c)
}

// end returns why the text must not end here; the reason is empty if it may.
func (m *machine) end() (reason string) {
	switch m.place {
	case between, afterZero, inInteger, inFraction, inExponent:
	case inLiteral:
		if m.rest != "" {
			return "the text ends within true, false or null"
		}
	case afterMinus, afterPoint, afterE, afterSign:
		return "the text ends in a number"
	default:
		return "the text ends in a string"
	}
	switch m.state {
	case topDone, topNext:
		return ""
	case topOnly, topFirst:
		return "the text holds no value"
	}
	return "the text ends where " + wanted[m.state] + " should be"
}

// hex is true for the hexadecimal digits.
var hex = func() (is [256]bool) {
	for _, c := range "0123456789abcdefABCDEF" {
		is[c] = true
	}
	return is
}()

// nest is a stack of open brackets, outermost first, one bit each: 1 is a brace.
type nest struct {
	words []uint64
	n     int
}

func (s *nest) push(curly uint64) {
	i := s.n / 64
	if i == len(s.words) {
		s.words = append(s.words, 0)
	}
	s.words[i] = s.words[i]&^(1<<(s.n%64)) | curly<<(s.n%64)
	s.n++
}

// at returns the bracket at a depth; the outermost is 0.
func (s *nest) at(i int) (curly uint64) { return s.words[i/64] >> (i % 64) & 1 }

// top returns the innermost bracket. The stack must not be empty.
func (s *nest) top() (curly uint64) { return s.at(s.n - 1) }
