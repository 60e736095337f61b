package jsontext

import (
	"bytes"
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/utf8"
)

// Sum summarizes a piece of a text: it holds everything that follows from the piece's own bytes, given
// only whether the piece begins in a string. So pieces can be summarized in parallel. A Validator then
// joins the sums in order, which takes hardly any time.
//
// A Sum covers a piece from its first mark to its last. A mark is a position where the grammar depends on
// nothing before it but the open brackets: after a bracket, colon or comma, and before a value
// that directly follows another, which happens only at the top level. The bytes before the first
// mark and after the last one are left to the Validator.
//
// All rules between two marks are about neighbouring tokens, so bit operations can check them, 64
// bytes at a time (see rules). Only brackets need a stack. Brackets that close one from before the
// piece are kept until the piece is joined. So are the claims about the innermost bracket from before the
// piece that is still open: a colon claims that it is a brace, and so on.
type Sum struct {
	depthMax int
	utf8     utf8.Kernel

	src      []byte
	limit    int // marks are before this index
	begun    bool
	from, to int // the first mark and the last one
	fault    int // index of the first possible error; len(src) if there is none
	utf8End  int // src[from:utf8End] is checked for UTF-8
	rules    rules

	closed  nest     // closed brackets that were open before the piece, innermost first
	open    []uint64 // open brackets of the piece itself, from index 1 on: all ones for a brace, 0 for a square bracket
	depth   int      // how many of these are open
	deepest int      // the greatest depth in the piece, relative to the depth before it
	claims  claims   // about the innermost bracket from before the piece that is still open

	feeds, lastFeed int // number of line feeds in src, and index of the last one, -1 if there is none
}

// claims are the conclusions from a text about the bracket that encloses it.
type claims uint8

const (
	isBrace   claims = 1 << iota // from a colon
	isSquare                     // from a comma that no name follows
	isBracket                    // from a comma
	isNone                       // from a value that directly follows another: there is no bracket
)

// The claims that contradict an array, an object, and the top level.
const (
	againstSquare = isBrace | isNone
	againstBrace  = isSquare | isNone
	againstNone   = isBrace | isSquare | isBracket
)

// tailBytes is how many bytes of a piece must follow a number, literal or escape for the fast path
// to check it: it reads several bytes at a time.
const tailBytes = 16

// NewSum returns a Sum for pieces of texts nested at most depthMax deep (0 means DepthMax).
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
	s.rules.sep = 1 // the first value of a piece does not directly follow another
}

// Add takes the kernel's results for the next bytes of the piece, from index at on. All calls but the
// last are for whole blocks; the last block is padded with spaces.
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
	s.utf8End = max(s.utf8End, s.from)
	if (found.NonASCII || s.utf8End < at) && s.utf8End < end {
		whole := s.utf8End + utf8.Whole(s.src[s.utf8End:end])
		if !s.utf8.Valid(s.src[s.utf8End:whole]) {
			s.suspect(s.utf8End)
		}
		s.utf8End = whole
	} else {
		s.utf8End = end
	}
}

// suspect notes the index of a possible error.
func (s *Sum) suspect(at int) { s.fault = min(s.fault, at) }

// rules is the state that is carried from block to block, each 0 or 1.
type rules struct {
	sep, open, str uint64 // the last byte that is not white space is a colon or comma, opens a bracket, ends a string
	comma, curly   uint64 // the last bracket, colon or comma is a comma, an opening brace
	inWord         uint64 // the last byte belongs to a number or literal
}

// following returns the first bytes after each of marks that are not in skip. The addition carries
// each mark through the run of skip bits after it. carry is the state before the block, next the
// one after it.
func following(marks, skip, carry uint64) (first, next uint64) {
	sum, overflow := bits.Add64(marks<<1|carry, skip, 0)
	return sum &^ skip, overflow | marks>>63
}

// follow checks the tokens of some blocks.
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
		afterSep, r.sep = following(sep, white, r.sep)
		afterOpen, r.open = following(b.Open, white, r.open)
		afterStr, r.str = following(b.Quotes&^b.Inside, white, r.str)
		afterComma, r.comma = following(b.Comma, ^ops, r.comma)
		afterCurly, r.curly = following(b.Open&b.Curly, ^ops, r.curly)
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
			continue // if a mark of this block follows the fault, the Sum is not sound anyway
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

// brackets pushes and pops the brackets of a block, and checks the claims between two of them
// against the enclosing bracket. Within a bracket that the piece opened itself, no branch depends
// on the data.
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

// claim adds claims about the innermost bracket from before the piece that is still open.
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

// against returns the claims that contradict a bracket.
func against(curly uint64) claims {
	if curly == 1 {
		return againstBrace
	}
	return againstSquare
}

// isOp is true for brackets, colons and commas.
var isOp = [256]bool{'{': true, '}': true, '[': true, ']': true, ':': true, ',': true}
