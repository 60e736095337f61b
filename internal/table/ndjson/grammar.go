package ndjson

import (
	"encoding/binary"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
)

// grammar checks valid lines of objects without reading them token by token: 64 bytes at once, by the masks of
// jsonscan. A mask shifted by one place, and carried over the white space that begins there, holds what follows a kind
// of token. So each rule, such as "behind a colon a value begins", is one operation. Only brackets are visited one by
// one, because what may follow a comma depends on the container.
//
// It says no more than that all lines are valid, and may decline some that are. Then they are read by the functions
// of a Locator, which also know what is wrong.
type grammar struct {
	state
	deepest int      // how deep the keys are that are listed
	keys    []uint32 // the place of each times maxNesting, plus its depth
	found   int      // how many keys are listed
}

// state is what a block inherits from the one before.
type state struct {
	// Bit 0 of what follows these: an opening bracket, a comma, a colon or line feed, a key, a value.
	open, comma, colon, key, value uint64
	// The same of parts of scalars.
	scalar, minus, zero, point, exponent, sign, digit uint64
	// Carries: these go on.
	inKey, inWord, inWhole, inFraction uint64

	stack uint64 // of the containers, a bit each: 1 for an object
	depth int
}

// maxNesting bounds how deep lines are nested that a grammar accepts.
const maxNesting = 64

// begin sets the state at the beginning of a line.
func (g *grammar) begin() {
	g.state = state{colon: 1}
}

// keysOfBlock is how many keys a block has at most, also where the text is not valid.
const keysOfBlock = jsonscan.BlockBytes / 2

// follows returns what follows, behind white space, the places right behind tokens; next is 1 if that may be in the
// next block.
func follows(behind, white uint64) (places, next uint64) {
	sum, next := bits.Add64(behind&white, white, 0)
	return (sum | behind) &^ white, next
}

// check checks the blocks of lines that begin at a place of the text, and lists their keys. It returns false if not
// all is valid. It is one loop, although not all that it needs fits in registers: several read and write more masks.
func (g *grammar) check(text []byte, from int, lines []jsonscan.Line) (ok bool) {
	s, deeper := g.state, g.deepest+1
	var faults uint64
	for i := range lines {
		m := &lines[i]
		quotes, inside, open, closing := m.Quotes, m.Inside, m.Open, m.Close
		if inside&^quotes == ^uint64(0) {
			faults |= m.Escaped & -s.inKey
			continue
		}
		feeds, white := m.Feeds, m.White&^m.Feeds
		starts := quotes & inside // of strings
		scalars := ^(inside | quotes | white | feeds | open | closing | m.Colon | m.Comma)

		// Which places are in objects, at the top, and not too deep to be listed. A bracket belongs to what is
		// around it.
		inObject, top, near := -(s.stack & 1), -isZero(s.depth), -isLess(s.depth, deeper)
		depth := s.depth
		for rest := open | closing; rest != 0; rest &= rest - 1 {
			at, upTo := bits.TrailingZeros64(rest)&63, rest^(rest-1)
			opens, curly := open>>at&1, m.Curly>>at&1
			faults |= (s.stack ^ curly) &^ opens & 1
			pop := s.stack >> 1
			s.stack = pop ^ (s.stack<<1|curly^pop)&-opens
			s.depth += int(2*opens) - 1
			faults |= uint64(s.depth) / maxNesting // also if it is negative
			inObject = inObject&upTo | -(s.stack&1)&^upTo
			top = top&upTo | -isZero(s.depth)&^upTo
			near = near&upTo | -isLess(s.depth, deeper)&^upTo
		}

		afterOpen, next := follows(open<<1|s.open, white)
		s.open = open>>63 | next
		afterComma, next := follows(m.Comma<<1|s.comma, white)
		s.comma = m.Comma>>63 | next
		afterColon, next := follows((m.Colon|feeds)<<1|s.colon, white)
		s.colon = (m.Colon|feeds)>>63 | next
		first := afterOpen | afterComma

		keys := first & inObject & starts
		inKeys, next := bits.Add64(inside, keys, s.inKey) // the bits of keys are cleared, behind them one is set
		s.inKey = next
		keyEnds := inKeys &^ inside
		faults |= m.Escaped & inside &^ inKeys // so that keys need not be unescaped
		afterKey, next := follows(keyEnds<<1|s.key, white)
		s.key = keyEnds>>63 | next
		values := closing | quotes&^inside&^keyEnds
		behindScalar := scalars<<1 | s.scalar
		afterValue, next := follows(values<<1|s.value|behindScalar&^scalars, white)
		s.value = values>>63 | next

		scalarStarts := scalars &^ behindScalar
		s.scalar = scalars >> 63
		valueStarts := starts | open | scalarStarts
		empty := afterOpen & closing
		faults |= first &^ (empty | starts | (open|scalarStarts)&^inObject)
		faults |= afterColon &^ (valueStarts | feeds)
		faults |= valueStarts &^ (first | afterColon)
		faults |= afterKey ^ m.Colon
		faults |= afterValue &^ (m.Comma | closing | feeds)
		faults |= (m.Comma | closing) &^ (afterValue | empty)
		faults |= feeds&^top | top&(m.Comma|m.Colon|closing|quotes|scalars|open&^m.Curly)

		// Scalars are words and numbers. The bits of words are cleared by adding their first.
		words := scalarStarts &^ (m.Digits | m.Minuses)
		rest, next := bits.Add64(scalars, words, s.inWord)
		s.inWord = next
		for w := words; w != 0; w &= w - 1 {
			faults |= notWord(text, from+i*jsonscan.BlockBytes+bits.TrailingZeros64(w))
		}
		faults |= s.number(m, scalars&rest, scalarStarts&^words)
		if keys &= near; keys != 0 {
			g.list(keys, from+i*jsonscan.BlockBytes, depth, m)
		}
	}
	g.state = s
	return faults == 0
}

// number checks the bytes of numbers, of which some are the first.
func (s *state) number(m *jsonscan.Line, numbers, starts uint64) (faults uint64) {
	digits, points, exponents := m.Digits&numbers, m.Points&numbers, m.Exponents&numbers
	lead := m.Minuses & starts
	whole := starts&^lead | lead<<1 | s.minus // the first digits
	s.minus = lead >> 63
	zeros := whole & m.Zeros
	faults = (zeros<<1 | s.zero) & digits
	s.zero = zeros >> 63
	wholeEnds, next := bits.Add64(digits, whole, s.inWhole)
	s.inWhole = next
	fraction := points<<1 | s.point
	s.point = points >> 63
	ends, next := bits.Add64(digits, fraction, s.inFraction)
	s.inFraction = next
	faults |= points&^(wholeEnds&^digits) | exponents&^((wholeEnds|ends)&^digits)
	power := exponents<<1 | s.exponent
	s.exponent = exponents >> 63
	signs := power & (m.Minuses | m.Pluses) & numbers
	power = power&^signs | signs<<1 | s.sign
	s.sign = signs >> 63
	faults |= (digits &^ (digits<<1 | s.digit)) ^ (whole | fraction | power)
	s.digit = digits >> 63
	return faults | (numbers&^digits ^ (lead | points | exponents | signs))
}

// list lists the keys of a block, which begins at a place and depth.
func (g *grammar) list(keys uint64, from, depth int, m *jsonscan.Line) {
	for ; keys != 0; keys &= keys - 1 {
		deep := 1
		if g.deepest > 1 {
			before := keys&-keys - 1
			deep = depth + bits.OnesCount64(m.Open&before) - bits.OnesCount64(m.Close&before)
		}
		g.keys[g.found] = uint32((from+bits.TrailingZeros64(keys))*maxNesting + deep&(maxNesting-1))
		g.found++
	}
}

// isZero returns 1 if n, which is not negative, is 0.
func isZero(n int) uint64 { return uint64(n-1) >> 63 }

func isLess(a, b int) uint64 { return uint64(a-b) >> 63 }

// word is true, false or null.
type word struct {
	bytes, mask uint64
	len         uint8
}

// words holds the words, by bits 3 and 4 of their first letters: false, null, and true. No other word is one.
var words = [4]word{{0x65736c6166, 1<<40 - 1, 5}, {0x6c6c756e, 1<<32 - 1, 4}, {0x65757274, 1<<32 - 1, 4},
	{1 << 40, 1 << 40, 4}}

// notWord returns 0 if a word stands at a place of the text, and nothing else behind it. Behind a valid one there are
// two bytes more, a brace and a line feed.
func notWord(text []byte, at int) uint64 {
	if at+6 > len(text) {
		return 1
	}
	b := text[at : at+6 : at+6]
	w := &words[b[0]>>3&3]
	v := uint64(binary.LittleEndian.Uint32(b)) | uint64(b[4])<<32
	return (v^w.bytes)&w.mask | uint64(1^behindWord[b[w.len]])
}

// behindWord is 1 for what may follow a word.
var behindWord = [256]uint8{' ': 1, '\t': 1, '\r': 1, '\n': 1, ',': 1, ']': 1, '}': 1}

// escapesAreValid checks the escaped bytes in blocks.
func escapesAreValid(text []byte, from int, lines []jsonscan.Line) bool {
	for i := range lines {
		for rest := lines[i].Escaped; rest != 0; rest &= rest - 1 {
			at := from + i*jsonscan.BlockBytes + bits.TrailingZeros64(rest)
			if c := text[at]; isShort[c] {
				continue
			} else if c != 'u' || at+5 > len(text) {
				return false
			}
			for _, c := range text[at+1 : at+5] {
				if !isHex(c) {
					return false
				}
			}
		}
	}
	return true
}
