package jsontext

import (
	"bytes"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/utf8"
)

// Sum is what a piece of a text says by itself: whatever follows from its own bytes, if only it is
// known whether it begins in a string. Pieces can so be summed up at the same time, and a Validator
// joins their sums in order, which takes next to no time.
//
// A Sum reaches from the first mark of a piece to its last. A mark is a place where the grammar
// needs no more from before than the open brackets: behind a bracket, colon or comma, and
// before a value that directly follows another, which happens only at the top. What is outside the
// marks is left to the Validator.
//
// All rules between two marks are about neighbours, so bits are enough to check them, 64 bytes at a
// time (see rules). Only brackets need a stack. Those that the piece does not open itself
// are kept until it is joined, and so are the claims about the innermost of these: a colon claims
// that it is a brace, and so on.
type Sum struct {
	depthMax int
	utf8     utf8.Kernel

	src      []byte
	limit    int // marks lie before it
	begun    bool
	from, to int // what is summed up
	fault    int // the first place where something may be wrong; len(src) where there is none
	wide     int // all from `from` to here is UTF-8
	rules    rules

	closed  nest     // brackets that were open before, innermost first
	open    []uint64 // brackets that the piece opens, from 1 on: all ones for a brace, 0 for another
	depth   int      // how many of these are open
	deepest int      // the most that were open at a time, less those that were before
	claims  claims   // about the bracket that is innermost when all of open are closed

	feeds, lastFeed int // line feeds of src and the last one's place, -1 if there is none
}

// claims is what a text says about the bracket that it is in.
type claims uint8

const (
	isBrace   claims = 1 << iota // a colon
	isSquare                     // a comma that begins no name
	isBracket                    // a comma
	isNone                       // a value that directly follows another
)

// against is the claims that are wrong in an array, in an object, and at the top.
const (
	againstSquare = isBrace | isNone
	againstBrace  = isSquare | isNone
	againstNone   = isBrace | isSquare | isBracket
)

// tailBytes is how much a piece must go on behind a number, literal or escape for it to be looked
// at in the fast way.
const tailBytes = 16

// NewSum returns a Sum for pieces of texts nested at most depthMax deep (0: DepthMax).
func NewSum(depthMax int) *Sum {
	if depthMax <= 0 {
		depthMax = DepthMax
	}
	fillTables()
	return &Sum{depthMax: depthMax, utf8: utf8.Best()}
}

// Begin begins another piece, which must stay unchanged until the Sum is joined.
func (s *Sum) Begin(src []byte) {
	*s = Sum{depthMax: s.depthMax, utf8: s.utf8, closed: s.closed, open: s.open,
		src: src, limit: len(src) - tailBytes, fault: len(src), lastFeed: -1}
	s.closed.n = 0
	s.rules.sep = 1 // so that the first value follows on none
}

// Add takes what the kernel says about the next bytes of the piece, which begin at a place
// of it. All but the last call of a piece are about whole blocks; behind the piece stand spaces.
func (s *Sum) Add(at int, blocks []jsonscan.Block, found jsonscan.Found) {
	end := min(at+len(blocks)*jsonscan.BlockBytes, len(s.src))
	if n := bytes.Count(s.src[at:end], feed); n > 0 {
		s.feeds += n
		s.lastFeed = at + bytes.LastIndexByte(s.src[at:end], '\n')
	}
	if found.Invalid {
		s.suspect(at)
	}
	if found.Escapes {
		s.suspect(wrongEscape(s.src, at, blocks))
	}
	s.follow(at, blocks)
	if !s.begun {
		return
	}
	s.wide = max(s.wide, s.from)
	if (found.NonASCII || s.wide < at) && s.wide < end {
		whole := s.wide + utf8.Whole(s.src[s.wide:end])
		if !s.utf8.Valid(s.src[s.wide:whole]) {
			s.suspect(s.wide)
		}
		s.wide = whole
	} else {
		s.wide = end
	}
}

// suspect notes a place where something may be wrong.
func (s *Sum) suspect(at int) { s.fault = min(s.fault, at) }

// rules is what the next block inherits from those before: whether its first byte that is not
// white space, or no word, follows on something.
type rules struct {
	sep, open, str uint64 // the last byte but white space is a colon or comma, opens a bracket, ends a string
	comma, curly   uint64 // the last bracket, colon or comma is a comma, an opening brace
	inWord         uint64 // the last byte is of a number or literal
}

// behind returns the bytes that are the first behind one of marks, where through bits are passed
// over. Adding carries each mark through the run of such bits behind it.
func behind(marks, through, before uint64) (first, next uint64) {
	sum, carry := bits.Add64(marks<<1|before, through, 0)
	return sum &^ through, carry | marks>>63
}

// follow checks the words of some blocks.
func (s *Sum) follow(at int, blocks []jsonscan.Block) {
	r := s.rules
	for i := range blocks {
		b := &blocks[i]
		base := at + i*jsonscan.BlockBytes
		strings := b.Inside | b.Quotes
		white := b.White &^ strings
		sep := b.Colon | b.Comma
		ops := b.Open | b.Close | sep
		words := ^(strings | white | ops)
		begins := words &^ (words<<1 | r.inWord)
		r.inWord = words >> 63
		var afterSep, afterOpen, afterStr, afterComma, afterCurly uint64
		afterSep, r.sep = behind(sep, white, r.sep)
		afterOpen, r.open = behind(b.Open, white, r.open)
		afterStr, r.str = behind(b.Quotes&^b.Inside, white, r.str)
		afterComma, r.comma = behind(b.Comma, ^ops, r.comma)
		afterCurly, r.curly = behind(b.Open&b.Curly, ^ops, r.curly)
		tops := (b.Quotes&b.Inside | b.Open | begins) &^ (afterSep | afterOpen)

		live := ^uint64(0)
		if rest := s.limit - base; rest < jsonscan.BlockBytes {
			live = 1<<max(rest, 0) - 1
		}
		marks := (ops | tops) & live
		if !s.begun {
			if marks == 0 {
				continue
			}
			s.begun = true
			s.from = base + bits.TrailingZeros64(marks)
			if isOp[s.src[s.from]] {
				s.from++
			}
		}
		if s.from > base {
			live &= ^uint64(0) << (s.from - base)
		}
		if marks != 0 {
			s.to = base + 63 - bits.LeadingZeros64(marks)
		}
		if s.fault < base {
			continue // a mark in this block lies behind it, so that the Sum is not sound
		}
		wrong := sep&(afterSep|afterOpen) | b.Close&afterSep | b.Colon&^(afterStr&(afterComma|afterCurly)) |
			afterCurly&^(b.Colon|b.Close&afterOpen)
		if wrong &= live; wrong != 0 {
			s.suspect(base + bits.TrailingZeros64(wrong))
			continue
		}
		for begins &= live; begins != 0; begins &= begins - 1 {
			word := base + bits.TrailingZeros64(begins)
			if c := s.src[word]; c <= '9' && number(s.src, word) < 0 || c > '9' && literal(s.src, word) < 0 {
				s.suspect(word)
			}
		}
		if (b.Open|b.Close)&live == 0 && s.depth > 0 {
			in := s.open[s.depth]
			if wrong := (b.Colon&^in | afterComma&^b.Colon&in | tops) & live; wrong != 0 {
				s.suspect(base + bits.TrailingZeros64(wrong))
			}
			continue
		}
		s.brackets(base, b, (b.Open|b.Close)&live, b.Colon&live, afterComma&^b.Colon&live, b.Comma&live, tops&live)
	}
	s.rules = r
}

// brackets follows the brackets of a block, and holds what is claimed between two of them to the
// bracket that it is in. Inside of a bracket that the piece opened itself, no branch depends on
// what stands there.
func (s *Sum) brackets(base int, b *jsonscan.Block, brackets, colons, squares, commas, tops uint64) {
	if len(s.open) <= s.depth+jsonscan.BlockBytes {
		s.open = append(s.open, make([]uint64, len(s.open)+2*jsonscan.BlockBytes)...)
	}
	open, n, deepest, wrong := s.open, s.depth, s.depth, uint64(0)
	for ; brackets != 0; brackets &= brackets - 1 {
		bit := brackets & -brackets
		upTo := bit | (bit - 1)
		curly := -(b.Curly >> bits.TrailingZeros64(bit) & 1) // all ones for a brace
		if n == 0 {
			s.claim(colons&upTo, squares&upTo, commas&upTo, tops&upTo)
			if b.Close&bit != 0 {
				s.deepest = max(s.deepest, deepest-s.closed.n)
				if deepest = 0; s.claims&against(curly&1) != 0 {
					s.suspect(base + bits.TrailingZeros64(bit))
					return
				}
				s.closed.push(curly & 1)
				s.claims = 0
			} else {
				n, open[1] = 1, curly
			}
		} else {
			in := open[n]
			wrong |= (colons&^in | squares&in | tops) & upTo
			wrong |= (curly ^ in) & b.Close & bit
			open[n+1] = curly
			n += 1 - 2*int(b.Close>>bits.TrailingZeros64(bit)&1)
		}
		deepest = max(deepest, n)
		colons, squares, commas, tops = colons&^upTo, squares&^upTo, commas&^upTo, tops&^upTo
	}
	if n == 0 {
		s.claim(colons, squares, commas, tops)
	} else {
		wrong |= colons&^open[n] | squares&open[n] | tops
	}
	s.depth, s.deepest = n, max(s.deepest, deepest-s.closed.n)
	if wrong != 0 {
		s.suspect(base + bits.TrailingZeros64(wrong))
	}
	if n > s.depthMax || s.closed.n > s.depthMax {
		s.suspect(base)
	}
}

// claim takes what is claimed about the bracket around all of open.
func (s *Sum) claim(colons, squares, commas, tops uint64) {
	if colons != 0 {
		s.claims |= isBrace
	}
	if squares != 0 {
		s.claims |= isSquare
	}
	if commas != 0 {
		s.claims |= isBracket
	}
	if tops != 0 {
		s.claims |= isNone
	}
}

// against returns the claims that are wrong in a bracket.
func against(curly uint64) claims {
	if curly == 1 {
		return againstBrace
	}
	return againstSquare
}

// isOp says which bytes are brackets, colons and commas.
var isOp = [256]bool{'{': true, '}': true, '[': true, ']': true, ':': true, ',': true}
