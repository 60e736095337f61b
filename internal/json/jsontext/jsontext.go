// Package jsontext says whether a text is JSON as RFC 8259 has it, of any size, in constant memory.
//
// What is right is defined by a machine that takes one byte at a time (step.go): where in a
// word, number, string, escape or character the text is, and what the grammar allows there
// (grammar.go). Its state is small, so that a text may be cut anywhere.
//
// The fast way sums pieces up (sum.go), several at the same time if there are several workers.
// It only knows yes and don't know: where it does not know, the machine goes through the
// piece and says itself whether something is wrong, and at which byte.
//
// What RFC 8259 leaves open:
//
//   - A text nested deeper than a limit is refused.
//   - Escapes of single surrogates, as in "\ud800", are accepted: the grammar has them.
//   - Numbers of any size and precision are accepted, and names that occur twice.
//   - A byte order mark is refused (section 8.1 allows either).
//   - Bytes that are not UTF-8 are refused, within strings and without.
package jsontext

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/utf8"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// DepthMax is how deep a text may be nested if New is not told: as deep as encoding/json
// allows, far deeper than what people write, and nothing for our memory.
const DepthMax = 10_000

// SyntaxError says where and why a text is not JSON. It does not depend on how the text was cut.
type SyntaxError struct {
	Offset int64 // of the first byte that cannot be; the length of the text where it ends too early
	Line   int64 // from 1
	Column int64 // in bytes, from 1
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON at offset %d (line %d, column %d): %s", e.Offset, e.Line, e.Column, e.Reason)
}

// Values is how many values a text may hold. Between two there may be white space, and there must be
// between two that are numbers or literals.
type Values uint8

const (
	One     Values = iota // one, as RFC 8259 has it
	Several               // at least one
	Any                   // any number, also none, as NDJSON does
)

// Tables that are only made when somebody validates: most programs that hold this package, or
// their runs, do not.
var (
	moves  [states][256]move
	eights [256]eight
)

var fillTables = sync.OnceFunc(func() { moves, eights = movesTable(), eightsTable() })

// A piece must be so long to be summed up, and a stretch without words to be skipped.
var (
	sumBytesMin  = threshold.New("jsontext: a piece that is summed up", 256, 1)
	skipBytesMin = threshold.New("jsontext: a stretch that is skipped", 256, 1)
	tileBytes    = threshold.NewMultiple("jsontext: bytes described at once", jsonscan.TileBytes,
		jsonscan.BlockBytes, jsonscan.BlockBytes)
)

// Validator takes a text in pieces, in order. It is for one goroutine.
type Validator struct {
	machine
	describer *jsonscan.Describer
	utf8      utf8.Kernel
	sum       *Sum

	taken     int64 // bytes of the pieces before
	lines     int64 // line feeds in them
	lineBegin int64 // offset of the line that they end in
	err       error
}

// New returns a Validator for a text of so many values, nested at most depthMax deep (0: DepthMax).
func New(depthMax int, values Values) *Validator {
	if depthMax <= 0 {
		depthMax = DepthMax
	}
	fillTables()
	return &Validator{machine: machineFor(depthMax, values),
		describer: jsonscan.NewDescriber(jsonscan.Best().Func), utf8: utf8.Best(), sum: NewSum(depthMax)}
}

// Write takes the next piece, cut anywhere, and keeps nothing of it. Its error is a
// *SyntaxError; after an error it returns the same one again.
func (v *Validator) Write(p []byte) error {
	if v.err != nil {
		return v.err
	}
	if len(p) < sumBytesMin.Get() {
		n, reason := v.steps(p)
		return v.note(p, n, reason)
	}
	v.sum.Begin(p)
	at := jsonscan.State{InString: inString <= v.place && v.place <= inHex, Escaped: v.place == inEscape}
	tile := tileBytes.Get()
	for from := 0; from < len(p); from += tile {
		blocks, end, found := v.describer.Describe(p[from:min(from+tile, len(p))], at)
		v.sum.Add(from, blocks, found)
		at = end
	}
	return v.Join(v.sum)
}

// Join takes the next piece by its Sum, which was made for the state that the pieces before
// end in. It does what Write does of the same piece.
func (v *Validator) Join(s *Sum) error {
	if v.err != nil {
		return v.err
	}
	p := s.src
	if !s.sound() {
		n, reason := v.walk(p)
		return v.note(p, n, reason)
	}
	n, reason := v.walk(p[:s.from])
	if reason == "" {
		more := 0
		if v.settle(p[n]); v.place == between && v.join(s) {
			n = s.to
		}
		more, reason = v.walk(p[n:])
		n += more
	}
	if reason != "" {
		return v.note(p, n, reason)
	}
	if s.feeds > 0 {
		v.lines += int64(s.feeds)
		v.lineBegin = v.taken + int64(s.lastFeed) + 1
	}
	v.taken += int64(len(p))
	return nil
}

// sound reports whether the piece is right, as far as it says itself, from its first mark to its last. A
// mark before a value is wrong itself if no value may follow.
func (s *Sum) sound() bool {
	if !s.begun {
		return false
	}
	if isOp[s.src[s.to]] {
		s.to++
		return s.fault >= s.to
	}
	return s.fault > s.to
}

// join goes from the first mark of a piece to its last, or nowhere if that is not known to be right.
func (v *Validator) join(s *Sum) bool {
	left := v.nest.n - s.closed.n
	if left < 0 || v.nest.n+s.deepest > v.depthMax {
		return false
	}
	for i := range s.closed.n {
		if s.closed.at(i) != v.nest.at(v.nest.n-1-i) {
			return false
		}
	}
	switch {
	case left > 0 && s.claims&against(v.nest.at(left-1)) != 0,
		left == 0 && (s.claims&againstNone != 0 || s.claims&isNone != 0 && v.values == One):
		return false
	}
	v.nest.n = left
	for _, curly := range s.open[1 : 1+s.depth] {
		v.nest.push(curly & 1)
	}
	v.state = v.behindMark(s.src[s.to-1])
	return true
}

// behindMark returns the state at a mark behind a byte.
func (v *Validator) behindMark(before byte) state {
	switch before {
	case '{':
		return objectName1
	case '[':
		return arrayFirst
	case ':':
		return objectValue
	case ',':
		if v.nest.top() == 1 {
			return objectName
		}
		return arrayValue
	}
	return v.behindValue()
}

// walk goes through a piece with the machine, but skips long stretches without words.
func (v *Validator) walk(p []byte) (n int, reason string) {
	least := skipBytesMin.Get()
	for n < len(p) {
		if len(p)-n >= least {
			n += v.skip(p[n:])
		}
		more, reason := v.steps(p[n:min(len(p), n+max(least, jsonscan.BlockBytes))])
		if n += more; reason != "" {
			return n, reason
		}
	}
	return n, ""
}

// skip returns how much of p is white space between words, or characters in a string. The machine is
// in the same state before and behind.
func (v *Validator) skip(p []byte) (n int) {
	if v.place > inString {
		return 0
	}
	at := jsonscan.State{InString: v.place == inString}
	for len(p)-n >= jsonscan.BlockBytes {
		tile := p[n : n+min(len(p)-n, tileBytes.Get())&^(jsonscan.BlockBytes-1)]
		blocks, _, found := v.describer.Describe(tile, at)
		plain := 0
		for _, b := range blocks {
			if at.InString && ^b.Inside != 0 || !at.InString && ^b.White|b.Quotes != 0 {
				break
			}
			plain++
		}
		stretch := plain * jsonscan.BlockBytes
		if at.InString {
			stretch = v.characters(tile[:stretch], blocks[:plain], found)
		}
		if n += stretch; stretch == 0 || plain < len(blocks) {
			break
		}
	}
	return n
}

// characters returns how much of a stretch in a string is whole characters and escapes, or 0 if it
// may be wrong.
func (v *Validator) characters(p []byte, blocks []jsonscan.Block, found jsonscan.Found) int {
	const escapeBytes = 6
	if len(p) == 0 || found.Invalid || wrongEscape(p, 0, blocks) < len(p) {
		return 0
	}
	// An escape may reach behind the stretch. What goes is also those that stand before it without a gap.
	near := max(0, len(p)-escapeBytes)
	if slash := bytes.IndexByte(p[near:], '\\'); slash >= 0 {
		for slash += near; slash > 0 && p[slash-1] == '\\'; {
			slash--
		}
		p = p[:slash]
	}
	p = p[:utf8.Whole(p)]
	if !v.utf8.Valid(p) {
		return 0
	}
	return len(p)
}

// note takes the first n bytes of a piece, behind which the text is wrong if there is a reason.
func (v *Validator) note(p []byte, n int, reason string) error {
	if feeds := bytes.Count(p[:n], feed); feeds > 0 {
		v.lines += int64(feeds)
		v.lineBegin = v.taken + int64(bytes.LastIndexByte(p[:n], '\n')) + 1
	}
	v.taken += int64(n)
	if reason != "" {
		if v.taken == 0 {
			reason = atBegin(p[0], reason)
		}
		v.refuse(reason)
	}
	return v.err
}

// Close says whether the text may end here. Its error is a *SyntaxError.
func (v *Validator) Close() error {
	if v.err == nil {
		if reason := v.end(); reason != "" {
			v.refuse(reason)
		}
	}
	return v.err
}

// refuse keeps the error at the place that v has come to.
func (v *Validator) refuse(reason string) {
	v.err = &SyntaxError{Offset: v.taken, Line: v.lines + 1, Column: v.taken - v.lineBegin + 1, Reason: reason}
}

var feed = []byte{'\n'}
