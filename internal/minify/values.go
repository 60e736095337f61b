package minify

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/minify"
)

// values is what a place in a text of many values owes to what stands before it. A value is
// what begins outside of brackets and strings: brackets with what is in them, a string, or a
// run of other bytes up to the next white space, bracket or string. So garbage has values,
// too; a closing bracket too many is such another byte.
type values struct {
	depth int64 // of brackets that are open
	begun bool  // a value has begun somewhere before
	open  bool  // the byte before belongs to a run
	fed   bool  // a line feed has been since the last value
}

// wordList is the places at which words of a block begin, and which of them begin values.
type wordList struct {
	begins  []uint16 // one behind the other, each counted from the beginning of its piece
	counts  []int    // of each piece of the block
	escapes []uint64 // not looked at
	bounds  []uint64 // a bit for each byte of the block that begins a value behind another
}

// find finds the words, and reports whether the block ends in a string. It returns false where
// the text is not sound, and the words mean nothing.
func (l *wordList) find(scan jsonscan.Func, src []byte, at minify.State) (inString, sound bool) {
	const pieceBytes, blockBytes = jsonscan.PieceBytes, jsonscan.BlockBytes
	if need := len(src) + 2*blockBytes; len(l.begins) < need {
		l.begins = make([]uint16, need)
		l.bounds = make([]uint64, need/blockBytes)
		l.escapes = make([]uint64, pieceBytes/blockBytes)
	}
	l.counts = l.counts[:0]
	state, used := jsonscan.State{InString: at.InString, Escaped: at.Escaped}, 0
	sound = at.InString || !at.Escaped
	for piece := range slices.Chunk(src, pieceBytes) {
		whole := len(piece) &^ (blockBytes - 1)
		n, end, found := scan(piece[:whole], l.begins[used:], l.escapes, state)
		if whole < len(piece) {
			last := bytes.Repeat([]byte{' '}, blockBytes)
			copy(last, piece[whole:])
			rest := l.begins[used+n:]
			more, lastEnd, lastFound := scan(last, rest, l.escapes, end)
			for i := range rest[:more] {
				rest[i] += uint16(whole)
			}
			n, end, found.Foul = n+more, lastEnd, found.Foul || lastFound.Foul
		}
		sound = sound && !found.Foul
		l.counts = append(l.counts, n)
		used, state = used+n, end
	}
	return state.InString, sound
}

// many minifies a block of many values, with a line feed between two of them.
//
// The words of the block are found while others have their turn. Which of them begin a value
// is found in turn, word by word. What is between two such places is minified as it is.
func (w *worker) many(src []byte, off, end int64, at minify.State) (n int, behind minify.State, ok bool) {
	inString, sound := w.words.find(w.scan, src, at)
	before, ok := w.values.Take(off, w.stop)
	if !ok {
		return 0, at, false
	}
	bounds := w.words.bounds[:len(src)/jsonscan.BlockBytes+1]
	v, ok := before, false
	if sound {
		v, ok = before.boundsOfWords(bounds, &w.words, src, inString)
	}
	if !ok {
		v = before.boundsPlain(bounds, src, at)
	}
	w.values.Put(end, v)

	dst, from := w.buffer(2*len(src)), 0
	stretch := func(to int) {
		var k int
		k, at = w.form.Func.Minify(dst[n:], src[from:to], at)
		n, from = n+k, to
	}
	for i, word := range bounds {
		for ; word != 0; word &= word - 1 {
			stretch(i*jsonscan.BlockBytes + bits.TrailingZeros64(word))
			dst[n] = '\n'
			n++
		}
	}
	stretch(len(src))
	return n, at, true
}

// boundsOfWords marks the words that begin a value behind another, and returns what follows the
// block. It returns false where only the plain twin knows.
func (v values) boundsOfWords(bounds []uint64, l *wordList, src []byte, inString bool) (values, bool) {
	clear(bounds)
	begins := l.begins
	for i, n := range l.counts {
		base := i * jsonscan.PieceBytes
		for _, place := range begins[:n] {
			p := base + int(place)
			c := src[p]
			if v.depth > 0 {
				v.depth += nesting[c]
				continue
			}
			if !v.begun && isMark(c) {
				return v, false
			}
			if p > 0 && white(src[p-1]) {
				v.open = false
			}
			if v.begins(c, c == '"') {
				mark(bounds, p)
			}
		}
		begins = begins[n:]
	}
	if v.depth == 0 && !inString {
		for p := len(src) - 1; p >= 0 && white(src[p]); p-- {
			v.open, v.fed = false, v.fed || src[p] == '\n'
		}
	}
	return v, true
}

func mark(bounds []uint64, p int) {
	bounds[p/jsonscan.BlockBytes] |= 1 << (p % jsonscan.BlockBytes)
}

// begins takes a byte outside of brackets and strings that is no white space, and reports
// whether it begins a value behind another. Quote tells that it opens a string.
func (v *values) begins(c byte, quote bool) (bound bool) {
	opens := nesting[c] > 0 || quote
	bound = v.begun && (opens || !v.open)
	v.begun, v.fed, v.open = true, false, !opens
	v.depth += max(nesting[c], 0)
	return bound
}

// nesting is how a byte outside of strings changes the depth.
var nesting = [256]int64{'{': 1, '[': 1, '}': -1, ']': -1}

// white reports whether a byte is white space to JSON (RFC 8259, section 2).
func white(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// isMark reports whether a byte may be of a byte-order mark. Before the first value such bytes
// begin none.
func isMark(c byte) bool { return c == 0xef || c == 0xbb || c == 0xbf }

// boundsPlain defines what is right: it marks the bytes that begin a value behind another, and
// returns what follows the block.
func (v values) boundsPlain(bounds []uint64, src []byte, at minify.State) values {
	clear(bounds)
	for p, c := range src {
		if !at.InString {
			switch {
			case v.depth > 0:
				v.depth += nesting[c]
			case white(c):
				v.open, v.fed = false, v.fed || c == '\n'
			case !v.begun && isMark(c):
			case v.begins(c, c == '"' && !at.Escaped):
				mark(bounds, p)
			}
		}
		switch {
		case at.Escaped:
			at.Escaped = false
		case c == '\\':
			at.Escaped = true
		case c == '"':
			at.InString = !at.InString
		}
	}
	return v
}
