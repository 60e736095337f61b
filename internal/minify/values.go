package minify

import (
	"bytes"
	"math/bits"

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

// many minifies a block of many values, with a line feed between two of them.
//
// The words of the block are found while others have their turn. Which of them begin a value
// is found in turn, word by word. What is between two such places is minified as it is.
func (w *worker) many(src []byte, off, end int64, at minify.State) (n int, behind minify.State, ok bool) {
	bounds, inString, sound := w.words(src, at)
	before, ok := w.values.Take(off, w.stop)
	if !ok {
		return 0, at, false
	}
	v, ok := before, false
	if sound {
		v, ok = before.boundsOfWords(bounds, src, inString)
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
	for i, bits64 := range bounds {
		for ; bits64 != 0; bits64 &= bits64 - 1 {
			stretch(i*jsonscan.BlockBytes + bits.TrailingZeros64(bits64))
			dst[n] = '\n'
			n++
		}
	}
	stretch(len(src))
	return n, at, true
}

// words marks the bytes that words begin with, and reports whether the text ends in a string.
// Where it is not sound the marks mean nothing.
func (w *worker) words(src []byte, at minify.State) (marks []uint64, inString, sound bool) {
	const blockBytes = jsonscan.BlockBytes
	n := (len(src) + blockBytes - 1) / blockBytes
	if len(w.marks) < n {
		w.marks = make([]uint64, max(n, w.block/blockBytes))
		w.escapes = make([]uint64, len(w.marks))
	}
	marks = w.marks[:n]
	whole := len(src) / blockBytes * blockBytes
	state, found := w.scan(src[:whole], marks, w.escapes, jsonscan.State{InString: at.InString, Escaped: at.Escaped})
	if whole < len(src) {
		last := bytes.Repeat([]byte{' '}, blockBytes)
		copy(last, src[whole:])
		var more jsonscan.Found
		state, more = w.scan(last, marks[n-1:], w.escapes, state)
		found.Foul = found.Foul || more.Foul
	}
	return marks, state.InString, !found.Foul && (at.InString || !at.Escaped)
}

// boundsOfWords leaves of the marks of words those of values behind the first, and returns
// what follows the block. It returns false where only the plain twin knows.
func (v values) boundsOfWords(marks []uint64, src []byte, inString bool) (values, bool) {
	for i, words := range marks {
		var bounds uint64
		for ; words != 0; words &= words - 1 {
			p := i*jsonscan.BlockBytes + bits.TrailingZeros64(words)
			c := src[p]
			if v.depth > 0 {
				v.depth += nesting[c]
				continue
			}
			if !v.begun && isMark(c) || quoteWithin(src[p:]) {
				return v, false
			}
			if p > 0 && white(src[p-1]) {
				v.open = false
			}
			if v.begins(c, c == '"') {
				bounds |= words & -words
			}
		}
		marks[i] = bounds
	}
	if v.depth == 0 && !inString {
		for p := len(src) - 1; p >= 0 && white(src[p]); p-- {
			v.open, v.fed = false, v.fed || src[p] == '\n'
		}
	}
	return v, true
}

// quoteWithin reports whether a word runs into a quote, as it does not in JSON; that has no mark.
func quoteWithin(text []byte) bool {
	for i, c := range text {
		switch c {
		case '"':
			return i > 0
		case '{', '}', '[', ']', ',', ':', ' ', '\t', '\r', '\n':
			return false
		}
	}
	return false
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
func (v values) boundsPlain(marks []uint64, src []byte, at minify.State) values {
	clear(marks)
	for p, c := range src {
		if !at.InString {
			switch {
			case v.depth > 0:
				v.depth += nesting[c]
			case white(c):
				v.open, v.fed = false, v.fed || c == '\n'
			case !v.begun && isMark(c):
			case v.begins(c, c == '"' && !at.Escaped):
				marks[p/jsonscan.BlockBytes] |= 1 << (p % jsonscan.BlockBytes)
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
