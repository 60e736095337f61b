package grep

import (
	"bytes"

	"github.com/thresh-dev/thresh/internal/kernel/literals"
	"github.com/thresh-dev/thresh/internal/kernel/pattern"
	"github.com/thresh-dev/thresh/internal/kernel/regex"
)

// matcher finds lines that match. It serves one goroutine.
type matcher interface {
	// lines calls yield with a place in each line of text that matches: an index within the line, or that
	// of its line feed. Text begins at the start of a line and ends behind a line feed or at the end of
	// the input. yield returns where the next line begins, or -1 to end the search.
	lines(text []byte, yield func(at int) (next int))
	// spans appends where the matches in a line, which has no line feed, begin and end, in ascending
	// order and without overlaps.
	spans(line []byte, dst [][2]int) [][2]int
}

// Finder tells which texts have a line that matches. It serves one goroutine.
type Finder struct{ matcher matcher }

// Finder returns a new Finder.
func (q *Query) Finder() *Finder { return &Finder{q.matcher()} }

// In reports whether a line of text matches. Text is whole lines, the last of which may lack its line feed.
func (f *Finder) In(text []byte) (found bool) {
	f.matcher.lines(text, func(int) int {
		found = true
		return -1
	})
	return found
}

// noLine matches nowhere.
type noLine struct{}

func (noLine) lines([]byte, func(int) int)           {}
func (noLine) spans(_ []byte, dst [][2]int) [][2]int { return dst }

// everyLine matches everywhere: one of its patterns is empty.
type everyLine struct{ inner matcher }

func (everyLine) lines(text []byte, yield func(int) int) {
	for at := 0; at >= 0 && at < len(text); {
		at = yield(at)
	}
}

func (m everyLine) spans(line []byte, dst [][2]int) [][2]int { return m.inner.spans(line, dst) }

// literal looks for one text.
type literal struct {
	*pattern.Pattern
	limits
}

func (m literal) lines(text []byte, yield func(int) int) {
	for from := 0; ; {
		i := m.Index(text[from:])
		if i < 0 {
			return
		}
		at := from + i
		if m.any() && !m.allowIn(text, at, at+m.Len()) {
			from = at + 1
			continue
		}
		if from = yield(at); from < 0 {
			return
		}
	}
}

func (m literal) spans(line []byte, dst [][2]int) [][2]int {
	for from := 0; ; {
		i := m.Index(line[from:])
		if i < 0 {
			return dst
		}
		start := from + i
		end := start + m.Len()
		if from = start + 1; m.allow(line, start, end) {
			dst, from = append(dst, [2]int{start, end}), end
		}
	}
}

// allowIn is allow for a match in a text of many lines. A few bytes around it decide.
func (l limits) allowIn(text []byte, start, end int) bool {
	const around = 5 // a rune, and a line feed
	from, to := max(start-around, 0), min(end+around, len(text))
	if i := bytes.LastIndexByte(text[from:start], '\n'); i >= 0 {
		from += i + 1
	} else if l.line && from > 0 {
		return false
	}
	if i := bytes.IndexByte(text[end:to], '\n'); i >= 0 {
		to = end + i
	}
	if !l.line {
		return l.allow(text[from:to], start-from, end-from)
	}
	return start == from && end == to
}

// literalSet looks for any of several texts.
type literalSet struct{ *literals.Set }

func (m literalSet) lines(text []byte, yield func(int) int) {
	next := 0
	m.All(text, len(text), func(at, _ int) bool {
		if at >= next {
			next = yield(at)
		}
		return next >= 0
	})
}

func (m literalSet) spans(line []byte, dst [][2]int) [][2]int {
	end := 0
	m.All(line, len(line), func(at, n int) bool {
		if at >= end {
			end = at + n
			dst = append(dst, [2]int{at, end})
		}
		return true
	})
	return dst
}

// limitedSet looks for any of several texts as words or as whole lines. Of those at one place, each may
// be the one that is a word.
type limitedSet struct {
	*literals.Set
	limits
	blank int // the id of a line feed that stands for a line without a byte, -1 if none does
}

func (m limitedSet) lines(text []byte, yield func(int) int) {
	next := 0
	m.Every(text, len(text), func(at, n, id int) bool {
		if id == m.blank {
			n = 0
		}
		if at >= next && m.allowIn(text, at, at+n) {
			next = yield(at)
		}
		return next >= 0
	})
}

// spans takes the first given one of those that begin at one place, as an expression of alternatives does.
func (m limitedSet) spans(line []byte, dst [][2]int) [][2]int {
	end, first := 0, 0
	if len(line) == 0 && m.blank >= 0 {
		return append(dst, [2]int{})
	}
	m.Every(line, len(line), func(at, n, id int) bool {
		last := len(dst) - 1
		switch {
		case !m.allow(line, at, at+n):
		case last >= 0 && end > 0 && dst[last][0] == at:
			if id < first {
				dst[last][1], first, end = at+n, id, at+n
			}
		case at >= end:
			dst, first, end = append(dst, [2]int{at, at + n}), id, at+n
		}
		return true
	})
	return dst
}

// expression looks for a regular expression.
type expression struct {
	*regex.Searcher
	words *wordSpans // nil without -w
	empty bool       // it matches a line without a byte
}

func (m *expression) lines(text []byte, yield func(int) int) {
	m.Reset(text)
	for {
		at := m.NextLine()
		if at < 0 || yield(at) < 0 {
			return
		}
	}
}

func (m *expression) spans(line []byte, dst [][2]int) [][2]int {
	if m.words != nil {
		return m.words.find(line, dst)
	}
	if len(line) == 0 && m.empty { // All takes no bytes for no line
		return append(dst, [2]int{})
	}
	m.All(line, func(start, end int) bool {
		dst = append(dst, [2]int{start, end})
		return true
	})
	return dst
}

// undecided returns the parts of the line last passed to spans of which not all matches are known.
func undecided(m matcher) [][2]int {
	switch m := m.(type) {
	case everyLine:
		return undecided(m.inner)
	case *expression:
		if m.words == nil {
			return m.Lost()
		}
	}
	return nil
}
