package regex

import (
	"unicode/utf8"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Line is the progress of the search of one line that arrives in parts: the searches in progress,
// and the matches that are not sure yet. It may be passed from one searcher of an expression to
// another.
type Line struct {
	// Matches is how many matches are sure so far.
	Matches int64
	// Off is the offset of the next byte to be read.
	Off int64

	now, then searches // in progress at Off
	live      []search // what else is known about each of them
	total     int64    // matches, including those that are not sure
	waiting   []match  // those that are not sure, unless matches are only counted
	counting  bool
	slow      bool // without an automaton
	full      bool // more matches wait than allowed
}

// search is one search in progress.
type search struct {
	mark   int64 // number of matches before it
	lo     int64 // where it began; its match does not begin before
	origin int   // its index at Line.Off, -1 if it began after that
}

// match is a match that ends at end. A negative start is not known yet.
type match struct {
	start, end int64
	lo         int64
	origin     int
}

// linePending is how many matches of a line may wait for a match in progress that may contain them
// all: 40 bytes each. There is never more than one match per byte.
var linePending = threshold.New("regex: matches of a line that wait for a longer one", 1<<20, 1)

// lineStride is how much of a line is read between two checks whether the search is over.
var lineStride = threshold.New("regex: part of a line between two checks of stop", 4096, 8)

// Line returns a search of the line whose first byte is at off. With counting it counts the matches
// without locating them.
func (r *Regex) Line(off int64, counting bool) *Line {
	l := &Line{counting: counting}
	r.begin(l, off, afterLineFeed, false)
	return l
}

// begin makes l the search from off on. afterMatch says that a match ends at off: then an empty match
// there does not count.
func (r *Regex) begin(l *Line, off int64, before context, afterMatch bool) {
	l.Off, l.Matches, l.total, l.slow, l.full = off, 0, 0, r.nfa == nil, false
	l.waiting = l.waiting[:0]
	l.now.reset()
	l.now.threads, l.now.starts = append(l.now.threads, r.program().scan), append(l.now.starts, -1)
	l.now.cut()
	l.now.before, l.now.afterMatch = before, afterMatch
	l.live = append(l.live[:0], search{lo: off})
}

// program returns the program that searches run: over bytes, unless that would be too large.
func (r *Regex) program() *nfa {
	if r.nfa != nil {
		return r.nfa
	}
	return r.runes
}

// Overflows reports whether the search gave up because more matches than allowed waited for one
// that may contain them all. From is where the first of them begins; nothing after it is known.
func (l *Line) Overflows() (from int64, ok bool) {
	if !l.full {
		return 0, false
	}
	return l.live[0].lo, true
}

// Feed searches the next part of a line, b, whose first byte is at l.Off, and calls yield with the
// start and the end of each match that has become sure, in ascending order. It reads b up to its
// end, or up to a rune that may continue after it, and advances l.Off. If last is set, the line
// ends with b; its line feed is not part of it. yield is not called if matches are only counted.
// Feed returns false if yield does, if Stop is true, or if l overflows.
func (s *Searcher) Feed(l *Line, b []byte, last bool, yield func(start, end int64) bool) bool {
	w := &window{Searcher: s, Line: l, b: b, base: l.Off, emit: yield}
	n := settled(b, last)
	i, ok := 0, true
	if !l.slow {
		i, ok = w.fast(n)
	}
	if ok && l.slow {
		ok = w.slowly(i, n)
	}
	return ok && (!last || w.end())
}

// window is a part of a line while it is searched.
type window struct {
	*Searcher
	*Line
	b    []byte
	base int64 // offset of b[0]
	emit func(start, end int64) bool
}

// fast searches b[:n] with the automaton. It returns how far it got before states began to cost
// more than they save; false if the search is over.
func (w *window) fast(n int) (int, bool) {
	if w.chain == nil {
		w.chain = newChain(w.re.nfa, w.re.alpha, w.re.plan.pointer(), w.chainBytes)
	}
	c := w.chain
	cur := c.state(&w.now)
	w.keep(c.kept)
	i := 0
	for i < n && !w.slow {
		if w.stopping() {
			return i, false
		}
		if cur&waiting == waiting {
			if i, cur = w.nextCandidate(i, n, cur); i == n {
				break
			}
		}
		was, resets, from := cur, c.resets, i
		to := i + settled(w.b[i:min(n, i+w.stride())], i+w.stride() >= n)
		ok := true
		if c.stepper.nfa.canQuit && !utf8.Valid(w.b[i:to]) {
			i, cur, ok = w.decode(i, to, cur)
		} else {
			i, cur, ok = w.read(i, to, cur)
		}
		w.work += i - from
		if !ok {
			return i, false
		}
		w.slow = w.slow || c.yield.poor(i-from, c.resets-resets)
		if cur == was && i < n {
			i, cur = w.skipFrom(cur, i, n)
		}
	}
	w.leave(cur, i)
	return i, true
}

// stride returns how much to read at a time: little when candidates are sought in text that must
// first be checked for malformed UTF-8.
func (w *window) stride() int {
	const afterCandidate = 256
	if w.chain.finder != nil && w.chain.stepper.nfa.canQuit {
		return min(afterCandidate, lineStride.Get())
	}
	return lineStride.Get()
}

// nextCandidate returns where in b[i:n] the next match may begin, and the state there. It returns n
// only if i is n. If candidates lie too close together, it stops looking for them from then on.
func (w *window) nextCandidate(i, n int, cur ref) (int, ref) {
	c := w.chain
	f := c.finder
	at := w.past(f, w.b[:n], i, n)
	c.candidates++
	c.gapBytes += at - i
	if c.candidates == enoughCandidates {
		if c.gapBytes < c.candidates*minPrefixGapBytes {
			c.finder = nil
			c.clear()
			c.resets++
		}
		c.candidates, c.gapBytes = 0, 0
	}
	// The finder does not see a match that begins here and ends after what is in memory.
	at = min(at, max(i, n-f.lengthBytes+1))
	if c.stepper.nfa.canQuit {
		at = i + settled(w.b[i:at], false)
	}
	before := w.now.before
	if at > 0 {
		before = contextOf(w.b[at-1])
	}
	return at, c.wait(before)
}

// keep drops what is known about searches that have ended.
func (w *window) keep(kept []int32) {
	for k, from := range kept {
		w.live[k] = w.live[from]
		w.live[k].origin = int(from)
	}
	w.live = w.live[:len(kept)]
}

// read runs over b[i:hi], which must be valid UTF-8 if the program cares, or up to where the next
// match may be sought. It returns false if the search is over.
func (w *window) read(i, hi int, cur ref) (int, ref, bool) {
	c := w.chain
	for {
		if i, cur = c.run(w.b, i, hi, cur); i == hi {
			return i, cur, true
		}
		to, e := c.follow(cur, symbol(w.b[i]))
		if e != nil && !w.process(e, w.base+int64(i)) {
			return i, cur, false
		}
		i++
		if cur = to &^ special; cur&waiting&^special != 0 {
			return i, cur | special, true
		}
	}
}

// decode does the same for text that may not be valid.
func (w *window) decode(i, hi int, cur ref) (int, ref, bool) {
	for ; i < hi; i++ {
		sym, _ := w.chain.stepper.nfa.symbolAt(w.b, i)
		to, e := w.chain.follow(cur, sym)
		if e != nil && !w.process(e, w.base+int64(i)) {
			return i, cur, false
		}
		cur = to
	}
	if cur&waiting != waiting {
		cur &= rowMask
	}
	return i, cur, true
}

// skipFrom returns the first position in b[i:n] whose byte leaves a state, n if there is none, or
// less if the search is over. It also returns the state, whose place in the table may have changed.
func (w *window) skipFrom(cur ref, i, n int) (int, ref) {
	c := w.chain
	resets, stood := c.resets, *c.at(cur)
	f := c.leaving(cur)
	if c.resets != resets {
		c.settled.setTo(&stood)
		return i, c.intern()
	}
	return w.past(f, w.b, i, n), cur
}

// slowly searches b[i:n] without an automaton.
func (w *window) slowly(i, n int) bool {
	p := w.slowStepper()
	for check := i; i < n; {
		if i >= check {
			if w.stopping() {
				return false
			}
			check = i + strideBytes
		}
		sym, width := p.nfa.symbolAt(w.b, i)
		before, steps, pos := len(w.now.ends), p.steps, w.base+int64(i)
		e := p.step(&w.now, &w.then, sym, pos)
		w.now, w.then = w.then, w.now
		w.work += p.steps - steps
		if (e.matched >= 0 || len(e.from) != before) && !w.process(&e, pos) {
			return false
		}
		i += width
	}
	w.Off = w.base + int64(i)
	return true
}

// process processes an event. It returns false if the search is over.
func (w *window) process(e *event, pos int64) bool {
	if e.matched >= 0 {
		g := w.live[e.matched]
		w.total = g.mark
		if e.counts {
			w.total++
			if !w.counting && !w.found(g, e.start, pos) {
				return false
			}
		}
	}
	for k, from := range e.from {
		switch from {
		case atMatch:
			w.put(k, search{w.total, pos, -1})
		case runeLater:
			w.put(k, search{w.total, pos + 1, -1})
		default:
			w.put(k, w.live[from])
		}
	}
	w.live = w.live[:len(e.from)]
	if len(w.live) > 0 && w.live[0].mark > w.Matches {
		return w.commit(w.live[0].mark)
	}
	return true
}

func (w *window) put(k int, g search) {
	if k == len(w.live) {
		w.live = append(w.live, g)
		return
	}
	w.live[k] = g
}

// found records the match of a search and discards those that it invalidates.
func (w *window) found(g search, start, end int64) bool {
	w.waiting = append(w.waiting[:g.mark-w.Matches], match{start, end, g.lo, g.origin})
	if !w.slow {
		w.waiting[len(w.waiting)-1].start = -1
	}
	w.full = len(w.waiting) > linePending.Get()
	return !w.full
}

// commit reports the matches before number before.
func (w *window) commit(before int64) bool {
	n := before - w.Matches
	w.Matches = before
	if w.counting {
		return true
	}
	for i := range w.waiting[:n] {
		m := &w.waiting[i]
		w.locate(m)
		if !w.emit(m.start, m.end) {
			return false
		}
	}
	w.waiting = w.waiting[:copy(w.waiting, w.waiting[n:])]
	return true
}

// end reads the end of the line.
func (w *window) end() bool {
	e := w.slowStepper().step(&w.now, &w.then, '\n', w.Off)
	w.slow = true // the starts of the threads are known
	return w.process(&e, w.Off) && w.commit(w.total)
}
