package regex

import (
	"bytes"
	"sync/atomic"
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// pieceBytes is how far a search for candidates runs before it checks Stop.
const pieceBytes = 256 << 10

// Limits of the automatons' tables. With them a Searcher holds at most about 12 MiB, plus the
// program's lists: 100 bytes per node, at most 10 MB.
var (
	forwardBytes  = threshold.New("regex: table of the automaton", 5<<20, 1)
	backwardBytes = threshold.New("regex: table of the backward automaton", 3<<20, 1)
	chainBytes    = threshold.New("regex: table of the automaton for all matches of a line", 4<<20, 1)
)

// Finding the next match may take reading bytes after it that are then read again. In total, the
// text may be read readAgainMax times, plus the credit in bytes, before lines are searched in one
// pass.
const readAgainMax = 4

var readAgainCredit = threshold.New("regex: bytes read again before lines are searched in one pass", 32<<10, 1)

// linePart is how much of a line in memory is searched at a time in one pass.
var linePart = threshold.New("regex: part of a line in memory searched in one pass", 64<<10, utf8.UTFMax)

// Searcher finds the matches of an expression in one text after another. It holds the automatons
// built so far, at most about 12 MiB whatever the text, and is not safe for concurrent use: make
// one per worker. After Reset it does not allocate, except for new states of the automatons.
type Searcher struct {
	// Stop, if not nil, is checked every few hundred KiB. If it is true, Next returns -1 and -1
	// before the end of the text.
	Stop *atomic.Bool

	re       *Regex
	fwd, rev *dfa
	chain    *chain

	chainBytes int // limit of the chain's table

	stepper *stepper // for searches without an automaton
	work    int      // bytes read, or nodes visited, in any way

	b       []byte
	last    int // end of the last line of b, without its line feed; -1 if there is no line
	pos, hi int // the part being searched: b[pos:hi], from within a line to the end of one
	next    int // where to look for the next span
	prevEnd int // of the previous match
	mode    mode
	inner   *finder // of modeInner; nil without a literal
	tuned   mode    // the mode that the last sample favoured
	texts   int     // since that sample
	dense   bool    // matches are too dense for a sweep

	candidates, gapBytes int // of the finder in this text

	yield  yield // of the states of the forward automaton
	resets int   // of its cache, as last seen
	ran    int   // bytes that it read in this text
	noDFA  bool  // its states cost more than they save

	line    Line // the line searched in one pass
	inLine  bool
	lineEnd int
	found   [][2]int // matches of the line; foundAt is the next of them
	foundAt int
	keep    func(start, end int64) bool // adds a match to found
	// Matches are only counted; those of lines searched in one pass are in counted.
	countOnly bool
	counted   int64
	endOnly   bool     // where matches begin does not matter
	lost      [][2]int // the parts of the text that were not searched

	skips       map[ref]*finder
	skipsResets int

	swept  int
	lanes  [lanes]lane
	spans  []span
	spanAt int // the next one in spans
}

// Searcher returns a new Searcher for r.
func (r *Regex) Searcher() *Searcher {
	return r.searcher(forwardBytes.Get(), backwardBytes.Get(), chainBytes.Get())
}

// SmallSearcher returns a Searcher whose tables hold at most about bytes, for short texts.
func (r *Regex) SmallSearcher(bytes int) *Searcher {
	return r.searcher(min(forwardBytes.Get(), bytes*5/12), min(backwardBytes.Get(), bytes/4),
		min(chainBytes.Get(), bytes/3))
}

func (r *Regex) searcher(forward, backward, chain int) *Searcher {
	s := &Searcher{re: r, last: -1, chainBytes: chain}
	s.keep = func(start, end int64) bool {
		s.found = append(s.found, [2]int{int(start), int(end)})
		return true
	}
	if len(r.plan.inners) > 0 {
		s.inner = &r.plan.inners[0]
	}
	if r.nfa != nil {
		s.fwd = newDFA(r.nfa, r.alpha, nil, forward)
		s.rev = newDFA(r.nfa, r.alpha, r.preds, backward)
	}
	for k := range s.lanes {
		s.lanes[k].spans = make([]span, 0, maxSpans)
	}
	s.spans = make([]span, 0, lanes*maxSpans)
	s.Reset(nil)
	return s
}

// Reset makes Next search b, which begins at the start of a line and ends after a line feed or at
// the end of the input. b is not copied and must not change during the search.
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
	s.yield.ranBytes, s.ran = 0, 0
	s.inLine, s.found, s.foundAt, s.lost = false, s.found[:0], 0, s.lost[:0]
	s.spans, s.spanAt = s.spans[:0], 0
}

// Next returns where the next match starts and ends, -1 and -1 if there are no more or Stop is
// true. Matches come in ascending order and do not overlap. An empty match right after another
// match of the same line does not count.
func (s *Searcher) Next() (start, end int) {
	for {
		if s.foundAt < len(s.found) {
			s.foundAt++
			return s.found[s.foundAt-1][0], s.found[s.foundAt-1][1]
		}
		ok := true
		switch {
		case s.inLine:
			ok = s.feedLine()
		case s.pos > s.hi && !s.nextSpan():
			return -1, -1
		case s.mode == modeRunes || s.noDFA || s.overspent():
			ok = s.beginLine()
		default:
			if start, end, ok = s.nextMatch(); start >= 0 {
				return start, end
			}
		}
		if !ok {
			s.giveUp()
			return -1, -1
		}
	}
}

// nextMatch returns the next match of the span. It returns none if there is none, or if the search
// must be repeated in another way or place; false if it was told to stop.
func (s *Searcher) nextMatch() (start, end int, ok bool) {
	start, end, how := s.find(s.pos, s.hi)
	switch {
	case how != finished:
		return -1, -1, how == thrashed
	case start < 0:
		s.pos = s.hi + 1
		return -1, -1, true
	}
	previous, at := s.prevEnd, s.pos
	s.prevEnd = end
	if end > at {
		s.pos = end
		return start, end, true
	}
	// An empty match right where the search began: continue one rune later.
	_, width := utf8.DecodeRune(s.b[at:])
	s.pos = at + max(width, 1)
	if start == previous {
		return -1, -1, true
	}
	return start, end, true
}

// giveUp ends the search of this text.
func (s *Searcher) giveUp() {
	s.pos, s.hi, s.next, s.last = 0, -1, 0, -1
	s.spans, s.spanAt, s.inLine = s.spans[:0], 0, false
}

// overspent reports whether too much of the text was read more than once.
func (s *Searcher) overspent() bool {
	return s.ran > readAgainMax*s.pos+readAgainCredit.Get()
}

// beginLine begins to search the rest of the line in one pass.
func (s *Searcher) beginLine() (ok bool) {
	if s.lineEnd, ok = s.endOfLine(s.b[:s.hi], s.pos); !ok {
		return false
	}
	s.re.begin(&s.line, int64(s.pos), before(s.b, s.pos), s.pos == s.prevEnd)
	s.line.slow = s.line.slow || s.mode == modeRunes || s.noDFA
	s.line.counting = s.countOnly
	s.inLine = true
	return true
}

// feedLine searches the next part of a line in one pass.
func (s *Searcher) feedLine() bool {
	s.found, s.foundAt = s.found[:0], 0
	at := int(s.line.Off)
	end := min(at+linePart.Get(), s.lineEnd)
	ok := s.Feed(&s.line, s.b[at:end], end == s.lineEnd, s.keep)
	if from, overflows := s.line.Overflows(); overflows {
		if s.endOnly { // whichever of them count, the line has a match
			s.found = append(s.found, [2]int{int(from), int(from)})
		} else {
			s.lost = append(s.lost, [2]int{int(from), s.lineEnd})
		}
		ok = true
	} else if end < s.lineEnd {
		return ok
	}
	if s.countOnly {
		s.counted += s.line.Matches
	}
	s.inLine, s.pos, s.prevEnd = false, s.lineEnd+1, -1
	return ok
}

// Lost returns the parts of the text that were not searched, because more matches than allowed
// waited for one that may contain them all. Each lies within one line.
func (s *Searcher) Lost() [][2]int { return s.lost }

func (s *Searcher) slowStepper() *stepper {
	if s.chain != nil {
		return s.chain.stepper
	}
	if s.stepper == nil {
		s.stepper = newStepper(s.re.program())
	}
	return s.stepper
}

// Count returns the number of matches in b, which must be as for Reset. The number is too small if
// Stop is true.
func (s *Searcher) Count(b []byte) int64 {
	s.Reset(b)
	s.countOnly, s.counted = true, 0
	n := int64(0)
	for start, _ := s.Next(); start >= 0; start, _ = s.Next() {
		n++
	}
	s.countOnly = false
	return n + s.counted
}

// All searches b and calls yield with the start and the end of each match, as returned by Next,
// until yield returns false.
func (s *Searcher) All(b []byte, yield func(start, end int) bool) {
	s.Reset(b)
	for start, end := s.Next(); start >= 0 && yield(start, end); start, end = s.Next() {
	}
}

func (s *Searcher) stopping() bool { return s.Stop != nil && s.Stop.Load() }

// nextSpan sets pos and hi to the next piece of text that may have matches; false if there is none
// or it was told to stop.
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

// nextCandidateLine sets pos and hi to the next line that contains the literal.
func (s *Searcher) nextCandidateLine() bool {
	at := s.index(s.inner, s.next, s.last)
	if at < 0 {
		return false
	}
	s.pos = s.next + bytes.LastIndexByte(s.b[s.next:at], '\n') + 1
	end, ok := s.endOfLine(s.b[:s.last], at)
	s.hi, s.next = end, end+1
	if s.tooCommon(minInnerGapBytes) {
		s.mode = modeSweep
	}
	return ok
}

// index returns the first candidate of a finder in b[i:hi], -1 if there is none or it was told to
// stop.
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

// enoughCandidates is how many candidates it takes to judge how close together they lie.
const enoughCandidates = 64

// tooCommon reports whether the candidates lie too close together. It starts a new count once it
// has seen enough of them.
func (s *Searcher) tooCommon(minGapBytes int) bool {
	if s.candidates < enoughCandidates {
		return false
	}
	common := s.gapBytes < minGapBytes*s.candidates
	s.candidates, s.gapBytes = 0, 0
	return common
}

// find returns the first match in b[pos:hi]; hi is the end of a line.
func (s *Searcher) find(pos, hi int) (start, end int, how outcome) {
	switch {
	case s.mode == modeLiteral:
		if start = s.index(&s.re.plan.finder, pos, hi); start < 0 {
			return s.nothing()
		}
		return start, start + s.re.plan.finder.lengthBytes, finished
	case s.mode == modePrefix:
		return s.findByPrefix(pos, hi)
	}
	return s.findByDFA(pos, hi)
}

// nothing is the result if the finder found nothing.
func (s *Searcher) nothing() (start, end int, how outcome) {
	if s.stopping() {
		return -1, -1, stopped
	}
	return -1, -1, finished
}

// findByPrefix runs the automaton from each candidate, where a match must begin. If failed
// candidates cost more than they save, it searches the rest of their line as a whole, which keeps
// the time linear.
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
			lineEnd, ok := s.endOfLine(s.b[:hi], at)
			if !ok {
				return -1, -1, stopped
			}
			s.next, s.hi = lineEnd+1, lineEnd
			hi = lineEnd
		}
		lineEnd, ok := s.endOfLine(s.b[:hi], at)
		if !ok {
			return -1, -1, stopped
		}
		if start, end, how = s.findByDFA(at, lineEnd); start >= 0 || how != finished || lineEnd == hi {
			return start, end, how
		}
		pos, from, spent = lineEnd+1, lineEnd+1, 0
	}
}

// findByDFA runs the forward automaton over b[pos:hi] to the end of the first match, and the
// backward one to its start. If the forward one gives up, the search must continue at s.pos.
func (s *Searcher) findByDFA(pos, hi int) (start, end int, how outcome) {
	end, at, how := s.forward(s.b, pos, hi, true)
	switch {
	case how == thrashed:
		// The lines before the one where it gave up, or saw a match, have none.
		if end >= 0 {
			at = end
		}
		s.pos = max(pos, bytes.LastIndexByte(s.b[:at], '\n')+1)
		return -1, -1, thrashed
	case how == finished && end >= 0 && (s.countOnly || s.endOnly):
		return pos, end, finished // its start does not matter
	case how == finished && end >= 0:
		start, how = s.backward(s.b, pos, end, hi)
		return start, end, how
	}
	return -1, -1, how
}

// thrashes records that the forward automaton ran over n bytes. It reports whether its states cost
// more than they save; the rest of the text is then searched without it.
func (s *Searcher) thrashes(n int) bool {
	s.ran += n
	s.noDFA = s.yield.poor(n, s.fwd.resets-s.resets) || s.noDFA
	s.resets = s.fwd.resets
	return s.noDFA
}

// yield is how much text the states of an automaton read before its cache is full.
type yield struct{ ranBytes int }

// poor records that n bytes were read and the cache emptied resets times. It reports whether the
// states cost more than they save.
func (y *yield) poor(n, resets int) bool {
	const minBytes = 512 << 10 // per full cache: ten bytes or more per state
	y.ranBytes += n
	if resets == 0 {
		return false
	}
	poor := y.ranBytes < minBytes
	y.ranBytes = 0
	return poor
}
