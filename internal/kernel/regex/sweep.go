package regex

import "bytes"

// A single automaton waits for memory most of the time: each transition needs the one before. The
// sweep hides that by running four automatons, which share their table, side by side over four
// regions of the text. It only finds which lines have a match; the exact search then runs over
// those lines.

const (
	lanes       = 4
	regionBytes = 16 << 10
	maxSpans    = 64  // of one region; the rest becomes one span
	minSweep    = 512 // of a region: below it a plain search is as fast
	// If lines with a match are on average closer than this many bytes, lines are searched without
	// a sweep.
	minBytesASpan = 256
)

// span is a piece of text to search: whole lines; hi is at the line feed or the end.
type span struct{ lo, hi int }

// lane is one of the automatons: it is at i in a region that ends after hi.
type lane struct {
	i, hi int
	cur   ref
	spans []span
}

// sweep fills s.spans with the lines in which a match may be. It begins at position lo, the first
// of a line or within it, and returns the position where it ends, the first of a line. hi is the
// last line feed of b or its end. false: it was told to stop.
func (s *Searcher) sweep(b []byte, lo, hi int) (int, bool) {
	s.spans, s.spanAt = s.spans[:0], 0
	window := min(lo+lanes*regionBytes, hi)
	last := bytes.LastIndexByte(b[lo:window], '\n')
	if last < 0 {
		// One long line.
		end, ok := s.endOfLine(b[:hi], window)
		s.spans = append(s.spans, span{lo, end})
		return end + 1, ok
	}
	window = lo + last
	if window-lo < lanes*minSweep {
		s.spans = append(s.spans, span{lo, window})
		return window + 1, true
	}
	s.swept = lo
	s.yield.ranBytes += window - lo
	s.runLanes(b, window)
	for k := range s.lanes {
		s.spans = append(s.spans, s.lanes[k].spans...)
	}
	if (window-lo)/minBytesASpan < len(s.spans) {
		s.dense = true
	}
	return window + 1, true
}

// cut divides b[lo:hi], where hi is at a line feed, into the regions of the lanes.
func (s *Searcher) cut(b []byte, lo, hi int) {
	size := (hi - lo) / lanes
	for k := range s.lanes {
		end := hi
		if k < lanes-1 {
			nominal := max(lo, min(lo+size, hi))
			end = nominal + bytes.IndexByte(b[nominal:hi+1], '\n')
		}
		s.lanes[k] = lane{i: lo, hi: end, spans: s.lanes[k].spans[:0]}
		if lo <= end {
			s.lanes[k].cur = s.fwd.start(true, before(b, lo))
		}
		lo = end + 1
	}
}

// runLanes runs all lanes to their ends, up to the line feed at hi.
func (s *Searcher) runLanes(b []byte, hi int) {
	resets := s.fwd.resets
	s.cut(b, s.swept, hi)
	for s.fwd.resets == resets {
		n, slowest := 1<<62, -1
		for k := range s.lanes {
			ln := &s.lanes[k]
			n = min(n, ln.hi+1-ln.i)
			if ln.i <= ln.hi && (slowest < 0 || ln.hi-ln.i > s.lanes[slowest].hi-s.lanes[slowest].i) {
				slowest = k
			}
		}
		switch {
		case slowest < 0:
			return
		case n <= 0:
			// A lane is finished. The others have little left.
			if s.finishLanes(b, resets) {
				return
			}
			continue
		}
		if s.lockstep(b, n) == n {
			continue
		}
		for k := 0; k < lanes && s.fwd.resets == resets; k++ {
			s.stepLane(b, &s.lanes[k])
		}
	}
	s.giveUpLanes(b)
}

// lockstep runs each lane over n bytes, or up to the first byte that leads one of them to a special
// state; that byte is not read. It returns how many bytes were read.
func (s *Searcher) lockstep(b []byte, n int) int {
	d := s.fwd
	class, table := &d.alpha.class, d.table()
	l0, l1, l2, l3 := &s.lanes[0], &s.lanes[1], &s.lanes[2], &s.lanes[3]
	t0 := b[l0.i:][:n]
	t1, t2, t3 := b[l1.i:][:len(t0)], b[l2.i:][:len(t0)], b[l3.i:][:len(t0)]
	r0, r1, r2, r3 := l0.cur, l1.cur, l2.cur, l3.cur
	done := n
	for j := range t0 {
		n0 := load(table, r0, class[t0[j]])
		n1 := load(table, r1, class[t1[j]])
		n2 := load(table, r2, class[t2[j]])
		n3 := load(table, r3, class[t3[j]])
		if n0|n1|n2|n3 >= special {
			done = j
			break
		}
		r0, r1, r2, r3 = n0, n1, n2, n3
	}
	l0.cur, l1.cur, l2.cur, l3.cur = r0, r1, r2, r3
	for k := range s.lanes {
		s.lanes[k].i += done
	}
	return done
}

// stepLane reads one byte. If the lane meets a match or gives up, it records the line and continues
// after it.
func (s *Searcher) stepLane(b []byte, ln *lane) {
	next := s.fwd.follow(ln.cur, symbol(b[ln.i]))
	if next < special {
		ln.cur = next
		ln.i++
		return
	}
	s.noteLine(b, ln)
}

func (s *Searcher) noteLine(b []byte, ln *lane) {
	lo := bytes.LastIndexByte(b[s.swept:ln.i], '\n') + 1 + s.swept
	hi := ln.hi
	if len(ln.spans) < maxSpans-1 {
		hi = ln.i + bytes.IndexByte(b[ln.i:ln.hi+1], '\n')
	}
	ln.spans = append(ln.spans, span{lo, hi})
	ln.i = hi + 1
	ln.cur = s.fwd.start(true, afterLineFeed)
}

// finishLanes runs the rest of each lane separately; false if the cache was emptied.
func (s *Searcher) finishLanes(b []byte, resets int) bool {
	for k := range s.lanes {
		ln := &s.lanes[k]
		for ln.i <= ln.hi {
			var end int
			ln.i, ln.cur, end = s.fwd.run(b, ln.i, ln.hi+1, ln.cur, -1)
			if end >= 0 {
				ln.i = end
			}
			if end >= 0 || ln.cur >= special {
				s.noteLine(b, ln)
			}
			if s.fwd.resets != resets {
				return false
			}
		}
	}
	return true
}

// giveUpLanes leaves the rest of each lane to the exact search: the cache was emptied, so the
// states of the lanes no longer exist.
func (s *Searcher) giveUpLanes(b []byte) {
	for k := range s.lanes {
		if ln := &s.lanes[k]; ln.i <= ln.hi {
			lo := bytes.LastIndexByte(b[s.swept:ln.i], '\n') + 1 + s.swept
			ln.spans = append(ln.spans, span{lo, ln.hi})
			ln.i = ln.hi + 1
		}
	}
}
