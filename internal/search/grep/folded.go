package grep

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/kernel/pattern"
)

// folded looks for one text in upper and lower case. Some of its letters have another form outside of ASCII, of
// more bytes. Lines with such an odd letter are rare, and are searched with the expression; what is between them,
// with the ASCII pattern:
//
//	|  pattern  | odd line |  pattern  | odd line | ...
type folded struct {
	literal
	odd   []*pattern.Pattern // the odd letters: at most k and s have one
	inOdd func() matcher     // makes the matcher of lines that hold one
	slow  matcher            // that matcher, once it is needed
}

// oddMax is how many letters of ASCII have a form outside of it.
const oddMax = 2

func (m *folded) lines(text []byte, yield func(int) int) {
	places := [oddMax]int{-1, -1}
	for from := 0; from >= 0 && from < len(text); {
		odd := m.nextOdd(text, from, &places)
		plain := text[from:]
		if odd < len(text) {
			plain = text[from:lineStart(text, from, odd)]
		}
		stopped := false
		m.literal.lines(plain, func(at int) int {
			next := yield(from + at)
			if stopped = next < 0; stopped {
				return -1
			}
			return next - from
		})
		if stopped || odd == len(text) {
			return
		}
		from = m.line(text, from+len(plain), odd, yield)
	}
}

// line searches the line from start on, which holds an odd letter at a place. It returns where the next one begins,
// or -1 if the search ends.
func (m *folded) line(text []byte, start, odd int, yield func(int) int) int {
	next := len(text)
	if i := bytes.IndexByte(text[odd:], '\n'); i >= 0 {
		next = odd + i + 1
	}
	m.expression().lines(text[start:next], func(at int) int {
		next = yield(start + at)
		return -1
	})
	return next
}

func (m *folded) spans(line []byte, dst [][2]int) [][2]int {
	if places := [oddMax]int{-1, -1}; m.nextOdd(line, 0, &places) == len(line) {
		return m.literal.spans(line, dst)
	}
	return m.expression().spans(line, dst)
}

// nextOdd returns the first place of an odd letter from an index on, len(text) if there is none. Places holds that
// of each odd letter, so that all calls for a text together read it once.
func (m *folded) nextOdd(text []byte, from int, places *[oddMax]int) int {
	first := len(text)
	for i, p := range m.odd {
		if places[i] < from {
			places[i] = len(text)
			if at := p.Index(text[from:]); at >= 0 {
				places[i] = from + at
			}
		}
		first = min(first, places[i])
	}
	return first
}

func (m *folded) expression() matcher {
	if m.slow == nil {
		m.slow = m.inOdd()
	}
	return m.slow
}
