// Package jsontext validates JSON texts (RFC 8259) of any size in constant memory.
//
// A state machine that takes one byte at a time (step.go) defines what is valid. It tracks the
// position within a number, literal, string, escape or UTF-8 character, and what the grammar
// allows next (grammar.go). Its state is small, so a text may be cut anywhere.
//
// The fast path summarizes pieces (sum.go), in parallel if there are several workers. It only
// answers "valid" or "don't know". If it does not know, the state machine goes through the piece
// and decides whether there is an error, and at which byte.
//
// RFC 8259 leaves some choices open. This package
//
//   - rejects a text nested deeper than a limit,
//   - accepts escapes of lone surrogates, such as "\ud800", because the grammar allows them,
//   - accepts numbers of any size and precision, and duplicate names,
//   - rejects a byte order mark (section 8.1 allows either),
//   - rejects bytes that are not UTF-8, inside strings and outside.
package jsontext

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/utf8"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// DepthMax is the default limit of nesting. encoding/json has the same limit. It is far deeper
// than any usual text, and costs little memory.
const DepthMax = 10_000

// SyntaxError says where and why a text is not JSON. It does not depend on how the text was cut.
type SyntaxError struct {
	Offset int64 // of the first invalid byte; the length of the text if it ends too early
	Line   int64 // from 1
	Column int64 // in bytes, from 1
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON at offset %d (line %d, column %d): %s", e.Offset, e.Line, e.Column, e.Reason)
}

// Values is how many values a text may have. White space between two values is optional, unless
// both are numbers or literals.
type Values uint8

const (
	One     Values = iota // exactly one, as in RFC 8259
	Several               // at least one
	Any                   // any number, including none, as in NDJSON
)

// These tables are filled by the first New: most runs of a program that imports this package do
// not validate, and should not pay for them at start.
var (
	transitions [states][256]transition
	literalMask [256]masked
)

var fillTables = sync.OnceFunc(func() { transitions, literalMask = transitionTable(), literalMaskTable() })

// The minimum length of a piece to summarize, and of a stretch for the state machine to skip.
var (
	sumBytesMin  = threshold.New("jsontext: smallest piece to summarize", 256, 1)
	skipBytesMin = threshold.New("jsontext: smallest stretch to skip", 256, 1)
	tileBytes    = threshold.NewMultiple("jsontext: bytes classified at a time", jsonscan.TileBytes,
		jsonscan.BlockBytes, jsonscan.BlockBytes)
)

// Validator validates a text that it is given in pieces, in order. It is not safe for concurrent use.
type Validator struct {
	machine
	describer *jsonscan.Describer
	utf8      utf8.Kernel
	sum       *Sum

	taken     int64 // bytes of the pieces before
	lines     int64 // line feeds in them
	lineBegin int64 // offset of the current line
	err       error
}

// New returns a Validator for a text with this number of values, nested at most depthMax deep
// (0 means DepthMax).
func New(depthMax int, values Values) *Validator {
	if depthMax <= 0 {
		depthMax = DepthMax
	}
	fillTables()
	return &Validator{machine: machineFor(depthMax, values),
		describer: jsonscan.NewDescriber(jsonscan.Best().Func), utf8: utf8.Best(), sum: NewSum(depthMax)}
}

// Write validates the next piece, which may be cut anywhere. It does not keep p. Its error is a
// *SyntaxError; later calls return the same one.
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

// Join validates the next piece from its Sum, which must have been made for the state in which
// the pieces before end. The result is the same as that of Write.
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

// sound reports whether the piece is valid from its first mark to its last, as far as its own bytes
// tell. If the last mark follows a bracket, colon or comma, s.to moves after that byte. If it is before
// a value, that value's first byte is the fault where no value may follow.
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

// join advances the state from the first mark of a piece to its last. It returns false, and changes
// nothing, if the part between them is not known to be valid.
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
	v.state = v.atMark(s.src[s.to-1])
	return true
}

// atMark returns the state at a mark that follows a byte.
func (v *Validator) atMark(before byte) state {
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
	return v.afterValue()
}

// walk runs the state machine over a piece, but skips long stretches of white space and of
// characters in strings.
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

// skip returns how many bytes of p are white space between tokens, or characters within one string.
// They do not change the machine's state.
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

// characters returns how many bytes of a stretch in a string are whole characters and escapes, or 0
// if there may be an error.
func (v *Validator) characters(p []byte, blocks []jsonscan.Block, found jsonscan.Found) int {
	const escapeBytes = 6
	if len(p) == 0 || found.Invalid || wrongEscape(p, 0, blocks) < len(p) {
		return 0
	}
	// An escape may reach beyond the stretch. Cut it off, and the backslashes directly before it:
	// whether they are escaped depends on how many there are.
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

// note advances the offset and the line by the first n bytes of a piece. If there is a reason, the
// byte after them is an error.
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
		v.reject(reason)
	}
	return v.err
}

// Close reports an error if the text must not end here. The error is a *SyntaxError.
func (v *Validator) Close() error {
	if v.err == nil {
		if reason := v.end(); reason != "" {
			v.reject(reason)
		}
	}
	return v.err
}

// reject keeps an error at the current offset.
func (v *Validator) reject(reason string) {
	v.err = &SyntaxError{Offset: v.taken, Line: v.lines + 1, Column: v.taken - v.lineBegin + 1, Reason: reason}
}

var feed = []byte{'\n'}
