package regex

import (
	"bytes"
	"unsafe"
)

// strideBytes is how far a loop runs before it looks whether it was told to stop and
// whether it is stuck in one state, which can be skipped through faster.
const strideBytes = 4096

// outcome of a run of an automaton.
type outcome uint8

const (
	finished outcome = iota // the answer is final
	gave                    // malformed UTF-8, or a cache that thrashes: another way is needed
	stopped
)

// forward runs from position i over b[i:hi] and returns where the match that it finds
// ends, -1 if there is none. b[hi] is a line feed or behind the end. at is where it gave up.
func (s *Searcher) forward(b []byte, i, hi int, scanning bool) (end, at int, how outcome) {
	d := s.fwd
	cur := d.start(scanning, before(b, i))
	if cur == dead {
		return -1, i, finished
	}
	end = -1
	for i < hi {
		if s.stopping() {
			return -1, i, stopped
		}
		from, done := cur, i
		i, cur, end = d.run(b, i, min(hi, i+strideBytes), cur, end)
		switch {
		case cur == dead:
			return end, i, finished
		case cur == gaveUp || s.thrashes(i-done):
			return end, i, gave
		case cur == from && i < hi:
			if i = s.skip(cur, b, i, hi); end >= 0 && cur&matched == matched {
				end = i - 1
			}
		}
	}
	switch next := d.follow(cur, '\n'); {
	case next == gaveUp:
		return end, hi, gave
	case next != dead && next&matched == matched:
		end = hi
	}
	return end, hi, finished
}

// before returns what lies before position i.
func before(b []byte, i int) context {
	if i == 0 {
		return afterLineFeed
	}
	return contextOf(b[i-1])
}

// follow returns where a byte leads.
func (d *dfa) follow(from ref, b byte) ref {
	to := d.trans[int(from&rowMask)+int(d.alpha.class[b])]
	if to == unknown {
		to = d.step(from, b)
	}
	return to
}

// run runs from state cur over b[i:hi]. It returns where it came to and in which state;
// end is the end of the last match told of. dead and gaveUp end it early, with i at the
// byte that led there.
func (d *dfa) run(b []byte, i, hi int, cur ref, end int) (int, ref, int) {
	class := &d.alpha.class
	text := b[:hi]
	for i < len(text) {
		table := d.table()
		row := cur & rowMask
		var to ref
		for {
			if i+4 > len(text) {
				break
			}
			// Four bytes a turn; a special state leaves at its byte.
			four := (*[4]byte)(text[i:])
			if to = load(table, row, class[four[0]]); to >= special {
				goto hit
			}
			row = to
			if to = load(table, row, class[four[1]]); to >= special {
				i++
				goto hit
			}
			row = to
			if to = load(table, row, class[four[2]]); to >= special {
				i += 2
				goto hit
			}
			row = to
			if to = load(table, row, class[four[3]]); to >= special {
				i += 3
				goto hit
			}
			row = to
			i += 4
		}
		for ; i < len(text); i++ {
			if to = load(table, row, class[text[i]]); to >= special {
				goto hit
			}
			row = to
		}
		return i, row, end
	hit:
		if to == unknown {
			to = d.step(row, text[i])
		}
		if to == dead || to == gaveUp {
			return i, to, end
		}
		if to&matched == matched {
			end = i
		}
		cur = to
		i++
	}
	return i, cur, end
}

func (d *dfa) table() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(d.trans)) }

// load returns the transition of a class in a row. Both come from the automaton itself,
// so they lie inside its table; a checked index costs a fifth of the loop's speed.
func load(table unsafe.Pointer, row ref, class uint8) ref {
	return *(*ref)(unsafe.Add(table, 4*(uintptr(row)+uintptr(class))))
}

// backward returns where the match that ends at end starts, not before lo.
func (s *Searcher) backward(b []byte, lo, end, hi int) (start int, how outcome) {
	d := s.rev
	after := afterLineFeed
	if end < hi {
		after = contextOf(b[end])
	}
	cur := d.start(false, after)
	start = -1
	for i := end; ; i-- {
		c := byte('\n')
		if i > 0 {
			c = b[i-1]
		}
		next := d.follow(cur, c)
		if next == dead {
			return start, finished
		}
		if next&matched == matched {
			start = i
		}
		if i == lo {
			return start, finished
		}
		if cur = next; i%strideBytes == 0 && s.stopping() {
			return -1, stopped
		}
	}
}

// lineEnd returns the position of the first line feed at or behind i, len(b) if there is
// none; false if it was told to stop.
func (s *Searcher) lineEnd(b []byte, i int) (int, bool) {
	for i < len(b) {
		n := min(len(b)-i, pieceBytes)
		if at := bytes.IndexByte(b[i:i+n], '\n'); at >= 0 {
			return i + at, true
		}
		if i += n; s.stopping() {
			return 0, false
		}
	}
	return len(b), true
}
