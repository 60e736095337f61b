// Package jsontext says whether a text is JSON as RFC 8259 has it, of any size, in constant memory.
//
// What is right is defined by a machine that takes one byte at a time (step.go): where in a
// word, number, string, escape or character the text is, and what the grammar allows there
// (grammar.go). Its state is small, so that a text may be cut anywhere.
//
// The fast way looks at 16 KiB at a time. A kernel makes bit masks of where words begin; a
// walk over these follows the grammar, and looks at numbers and literals as a whole. It
// only knows yes and don't know: where it does not know, the machine is put back to
// where the 16 KiB began and says itself what is wrong, and at which byte.
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

// Tables that are only made when somebody validates: most programs that hold this package, or
// their runs, do not.
var (
	moves     [states][256]move
	eights    [256]eight
	unshifted [64]state
	shifted   [256]uint64
)

var fillTables = sync.OnceFunc(func() {
	moves, eights = movesTable(), eightsTable()
	unshifted, shifted = unshiftedTable(), shiftedTable()
})

// Validator takes a text in pieces, in order. It is for one goroutine.
type Validator struct {
	machine
	blocks

	taken     int64 // bytes of the pieces before
	lines     int64 // line feeds in them
	lineBegin int64 // offset of the line that they end in
	err       error
}

// New returns a Validator for a text nested at most maxDepth deep (0: DepthMax). If many, the
// text may hold any number of values, also none, as NDJSON does; between two there may be
// white space, and there must be behind a number or a literal if no bracket follows.
func New(maxDepth int, many bool) *Validator {
	if maxDepth <= 0 {
		maxDepth = DepthMax
	}
	fillTables()
	v := &Validator{}
	v.depthMax = maxDepth
	v.stack = make([]state, 0, min(maxDepth, 256)) // it grows with texts that are nested deeper
	v.saved = make([]state, 0, cap(v.stack))
	v.scan, v.utf8 = jsonscan.Best().Func, utf8.Best()
	if many {
		v.state = manyTops
	}
	return v
}

// Write takes the next piece, cut anywhere, and keeps nothing of it. Its error is a
// *SyntaxError; after an error it returns the same one again.
func (v *Validator) Write(p []byte) error {
	if v.err != nil {
		return v.err
	}
	n, reason := v.steps(p, true)
	if reason == "" {
		n += v.accept(&v.machine, p[n:])
		var more int
		more, reason = v.steps(p[n:], false)
		n += more
	}
	feeds := bytes.Count(p[:n], feed)
	v.lines += int64(feeds)
	if feeds > 0 {
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
