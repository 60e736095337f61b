package regex

import (
	"bytes"
	"sync/atomic"
	"unicode/utf8"
)

// pieceBytes is how far a search for candidates runs before it looks at Stop.
const pieceBytes = 256 << 10

// Limits of the two automatons' tables. With them a Searcher holds about 8 MiB at most,
// and the program's lists: 16 bytes a node, 1.6 MB at most.
const (
	forwardBytes  = 5 << 20
	backwardBytes = 3 << 20
)

// Searcher finds the matches of an expression in one text after another. It holds the
// automatons that are built on the way, about 8 MiB at most whatever the text, and is not
// safe for concurrent use: make one for each worker. After Reset it does not allocate,
// except for new states of the automatons.
type Searcher struct {
	// Stop, when it is not nil, is looked at every few hundred KiB; when it is true, Next
	// returns -1 and -1 before the text is searched through.
	Stop *atomic.Bool

	re       *Regex
	fwd, rev *dfa
	runes    *runeMachine

	b       []byte
	last    int // end of the last line of b, without its line feed; -1 without any line
	pos, hi int // what is being searched: b[pos:hi], from within a line to the end of one
	next    int // where the next span is to be looked for
	prevEnd int // of the previous match
	mode    mode
	inner   *finder // of modeInner; nil without a literal
	tuned   mode    // what the last sample spoke for
	texts   int     // since that sample
	dense   bool    // matches are too dense for a sweep

	candidates, gapBytes int // of the finder in this text

	ranBytes, resets int // since and at the last reset of the forward automaton's cache
	noDFA            bool

	skips       map[ref]*finder
	skipsResets int

	swept  int
	lanes  [lanes]lane
	spans  []span
	spanAt int // of the next one in spans
}

// Searcher returns a new Searcher for r.
func (r *Regex) Searcher() *Searcher {
	s := &Searcher{re: r, runes: newRuneMachine(r.prog), last: -1}
	if len(r.plan.inners) > 0 {
		s.inner = &r.plan.inners[0]
	}
	if r.nfa != nil {
		s.fwd = newDFA(r.nfa, r.alpha, nil, forwardBytes)
		s.rev = newDFA(r.nfa, r.alpha, r.preds, backwardBytes)
	}
	for k := range s.lanes {
		s.lanes[k].spans = make([]span, 0, maxSpans)
	}
	s.spans = make([]span, 0, lanes*maxSpans)
	s.Reset(nil)
	return s
}

// Reset makes Next search b, which begins at the start of a line and ends behind a line
// feed or where the input ends. b is not copied and must not change while it is searched.
func (s *Searcher) Reset(b []byte) {
	s.b, s.last = b, len(b)
	switch {
	case len(b) == 0:
		s.last = -1
	case b[len(b)-1] == '\n':
		s.last--
	}
	s.pos, s.hi, s.next, s.prevEnd = 0, -1, 0, -1
	s.tune()
	s.dense, s.noDFA = false, false
	s.candidates, s.gapBytes = 0, 0
	s.ranBytes = 0
	s.spans, s.spanAt = s.spans[:0], 0
}

// Next returns where the next match starts and ends, -1 and -1 when there are no more or
// Stop is true. Matches come in ascending order and do not overlap; an empty one does not
// come right behind the match before it in its line.
func (s *Searcher) Next() (start, end int) {
	for {
		if s.pos > s.hi && !s.nextSpan() {
			return -1, -1
		}
		start, end, how := s.find(s.pos, s.hi)
		switch {
		case how == stopped:
			s.pos, s.hi, s.next, s.last = 0, -1, 0, -1
			return -1, -1
		case start < 0:
			s.pos = s.hi + 1
			continue
		}
		previous, at := s.prevEnd, s.pos
		s.prevEnd = end
		if end > at {
			s.pos = end
			return start, end
		}
		// An empty match at the very place where the search began: go on a rune further.
		_, width := utf8.DecodeRune(s.b[at:])
		s.pos = at + max(width, 1)
		if start != previous {
			return start, end
		}
	}
}

// All searches b and calls yield with the start and the end of each match, as Next
// returns them, until yield returns false.
func (s *Searcher) All(b []byte, yield func(start, end int) bool) {
	s.Reset(b)
	for start, end := s.Next(); start >= 0 && yield(start, end); start, end = s.Next() {
	}
}

func (s *Searcher) stopping() bool { return s.Stop != nil && s.Stop.Load() }

// nextSpan sets pos and hi to the next piece of text in which matches may be, false if
// there is none or it was told to stop.
func (s *Searcher) nextSpan() bool {
	for s.next <= s.last || s.spanAt < len(s.spans) {
		if s.stopping() {
			return false
		}
		switch {
		case s.spanAt < len(s.spans):
			s.pos, s.hi = max(s.spans[s.spanAt].lo, s.pos), s.spans[s.spanAt].hi
			s.spanAt++
			if s.pos <= s.hi {
				return true
			}
		case s.mode == modeNever:
			return false
		case s.mode == modeInner:
			if !s.nextCandidateLine() {
				return false
			}
			return s.pos <= s.hi
		case s.mode == modeSweep && !s.dense:
			next, ok := s.sweep(s.b, s.next, s.last)
			if !ok {
				return false
			}
			s.next = next
		default:
			s.pos, s.hi, s.next = s.next, s.last, s.last+1
			return true
		}
	}
	return false
}

// nextCandidateLine sets pos and hi to the next line that holds the literal.
func (s *Searcher) nextCandidateLine() bool {
	at := s.index(s.inner, s.next, s.last)
	if at < 0 {
		return false
	}
	s.pos = s.next + bytes.LastIndexByte(s.b[s.next:at], '\n') + 1
	end, ok := s.lineEnd(s.b[:s.last], at)
	s.hi, s.next = end, end+1
	if s.tooCommon(minInnerGapBytes) {
		s.mode = modeSweep
	}
	return ok
}

// index returns the first candidate of a finder in b[i:hi], -1 if there is none or it
// was told to stop.
func (s *Searcher) index(f *finder, i, hi int) int {
	for from := i; i < hi; i += pieceBytes {
		piece := s.b[i:min(hi, i+pieceBytes+f.lengthBytes-1)]
		if at := f.index(piece); at >= 0 {
			s.candidates++
			s.gapBytes += i + at - from
			return i + at
		}
		if s.stopping() {
			return -1
		}
	}
	return -1
}

// tooCommon reports whether the candidates lie closer than they may, and begins to count
// anew when it has seen enough of them.
func (s *Searcher) tooCommon(minGapBytes int) bool {
	const enough = 64
	if s.candidates < enough {
		return false
	}
	common := s.gapBytes < minGapBytes*s.candidates
	s.candidates, s.gapBytes = 0, 0
	return common
}

// find returns the first match in b[pos:hi], hi being the end of a line.
func (s *Searcher) find(pos, hi int) (start, end int, how outcome) {
	switch {
	case s.mode == modeLiteral:
		if start = s.index(&s.re.plan.finder, pos, hi); start < 0 {
			return s.nothing()
		}
		return start, start + s.re.plan.finder.lengthBytes, finished
	case s.mode == modePrefix:
		return s.findByPrefix(pos, hi)
	case s.mode == modeRunes || s.noDFA:
		return s.findByRunes(pos, hi)
	}
	return s.findByDFA(pos, hi)
}

// nothing is the answer when the finder found nothing.
func (s *Searcher) nothing() (start, end int, how outcome) {
	if s.stopping() {
		return -1, -1, stopped
	}
	return -1, -1, finished
}

// findByPrefix runs the automaton from each candidate, where the match must begin. Should
// candidates that come to nothing cost more than they save, the rest of their line is
// searched as a whole, which keeps the time linear.
func (s *Searcher) findByPrefix(pos, hi int) (start, end int, how outcome) {
	const creditBytes = 256
	for spent, from := 0, pos; ; {
		at := s.index(&s.re.plan.finder, pos, hi)
		if at < 0 {
			return s.nothing()
		}
		end, stop, how := s.forward(s.b, at, hi, false)
		switch {
		case how == stopped:
			return -1, -1, stopped
		case how == finished && end >= 0:
			return at, end, finished
		}
		pos = at + 1
		spent += stop - at
		common := s.tooCommon(minPrefixGapBytes)
		if !common && how == finished && spent < creditBytes+4*(pos-from) {
			continue
		}
		if common {
			// The rest of the text is searched in the next best way.
			s.mode = modeSweep
			if s.inner != nil {
				s.mode = modeInner
			}
			lineEnd, ok := s.lineEnd(s.b[:hi], at)
			if !ok {
				return -1, -1, stopped
			}
			s.next, s.hi = lineEnd+1, lineEnd
			hi = lineEnd
		}
		lineEnd, ok := s.lineEnd(s.b[:hi], at)
		if !ok {
			return -1, -1, stopped
		}
		if start, end, how = s.findByDFA(at, lineEnd); start >= 0 || how == stopped || lineEnd == hi {
			return start, end, how
		}
		pos, from, spent = lineEnd+1, lineEnd+1, 0
	}
}

// findByDFA runs the forward automaton over b[pos:hi] to the end of the first match and
// the backward one to its start.
func (s *Searcher) findByDFA(pos, hi int) (start, end int, how outcome) {
	for pos <= hi {
		end, at, how := s.forward(s.b, pos, hi, true)
		switch {
		case how == stopped:
			return -1, -1, stopped
		case how == finished && end < 0:
			return -1, -1, finished
		case how == finished:
			start, how = s.backward(s.b, pos, end, hi)
			return start, end, how
		}
		// The lines before the one where it gave up have no match.
		pos += bytes.LastIndexByte(s.b[pos:at], '\n') + 1
		lineEnd, ok := s.lineEnd(s.b[:hi], at)
		if !ok {
			return -1, -1, stopped
		}
		start, end, how = s.runes.find(s.b, pos, lineEnd, s.Stop)
		if start >= 0 || how == stopped {
			return start, end, how
		}
		pos = lineEnd + 1
	}
	return -1, -1, finished
}

// findByRunes does the same by the rune machine.
func (s *Searcher) findByRunes(pos, hi int) (start, end int, how outcome) {
	for pos <= hi {
		lineEnd, ok := s.lineEnd(s.b[:hi], pos)
		if !ok {
			return -1, -1, stopped
		}
		start, end, how = s.runes.find(s.b, pos, lineEnd, s.Stop)
		if start >= 0 || how == stopped {
			return start, end, how
		}
		pos = lineEnd + 1
	}
	return -1, -1, finished
}

// thrashes notes that the forward automaton ran over n bytes, and reports whether its
// cache is emptied so often that the states cost more than they save: then the rest of
// the text goes to the rune machine.
func (s *Searcher) thrashes(n int) bool {
	const minYieldBytes = 512 << 10 // of a full cache: ten bytes or more a state
	s.ranBytes += n
	if s.fwd.resets == s.resets {
		return false
	}
	s.noDFA = s.noDFA || s.ranBytes < minYieldBytes
	s.ranBytes, s.resets = 0, s.fwd.resets
	return s.noDFA
}
