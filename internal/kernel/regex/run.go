package regex

import (
	"bytes"
	"unicode/utf8"
	"unsafe"
)

// strideBytes is how far a loop runs before it checks whether to stop and whether it is stuck in
// one state, which can be skipped through faster.
const strideBytes = 4096

// outcome of a run of an automaton.
type outcome uint8

const (
	finished outcome = iota // the answer is final
	thrashed                // the cache thrashes: try another way
	stopped
)

// forward runs from position i over b[i:hi] and returns where the match it finds ends, -1 if there
// is none. hi is a line feed or the end of b. at is where it gave up.
func (s *Searcher) forward(b []byte, i, hi int, scanning bool) (end, at int, how outcome) {
	d := s.fwd
	cur := d.start(scanning, before(b, i))
	if cur == dead {
		return -1, i, finished
	}
	end = -1
	for from := i; i < hi; from = i {
		if s.stopping() {
			return -1, i, stopped
		}
		was := cur
		if d.nfa.canQuit {
			i, cur, end = s.runText(b, i, hi, cur, end)
		} else {
			i, cur, end = d.run(b, i, min(hi, i+strideBytes), cur, end)
		}
		s.work += i - from
		switch {
		case cur == dead:
			return end, i, finished
		case s.thrashes(i - from):
			return end, i, thrashed
		case cur == was && i < hi:
			if i, cur = s.skip(cur, b, i, hi); end >= 0 && cur&matched == matched {
				end = i - 1
			}
		}
	}
	if next := d.follow(cur, '\n'); next != dead && next&matched == matched {
		end = hi
	}
	return end, hi, finished
}

// runText runs over a part of b[i:hi] that may be malformed: first as if it were valid, and once
// more if that turns out wrong.
func (s *Searcher) runText(b []byte, i, hi int, cur ref, end int) (int, ref, int) {
	d := s.fwd
	to := i + settled(b[i:min(hi, i+strideBytes)], false)
	if to == i {
		to = hi // the line ends within a rune
	}
	resets, stood := d.resets, d.states[int(cur&rowMask)/d.stride]
	at, next, told := d.run(b, i, to, cur, end)
	if next == dead || next != gaveUp && settled(b[i:to], false) == to-i {
		return at, next, told
	}
	s.work += at - i
	if resets != d.resets {
		cur = d.intern(stood, stood.threads, cur&matched == matched)
	}
	return d.runRunes(b, i, to, cur, end)
}

// settled returns the length of b without an unfinished rune at its end, which bytes that follow
// may complete. If last is set, nothing follows.
func settled(b []byte, last bool) int {
	n := len(b)
	if last {
		return n
	}
	for i := n - 1; i >= max(0, n-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return n
}

// before returns the context of position i.
func before(b []byte, i int) context {
	if i == 0 {
		return afterLineFeed
	}
	return contextOf(b[i-1])
}

// follow returns the state after a symbol.
func (d *dfa) follow(from ref, sym symbol) ref {
	to := d.trans[int(from&rowMask)+d.alpha.column(sym)]
	if to == unknown {
		to = d.step(from, sym)
	}
	return to
}

// runRunes is run for text that may be malformed: both i and hi lie between two runes.
func (d *dfa) runRunes(b []byte, i, hi int, cur ref, end int) (int, ref, int) {
	for ; i < hi; i++ {
		sym, _ := d.nfa.symbolAt(b, i)
		if cur = d.follow(cur, sym); cur == dead {
			return i, cur, end
		}
		if cur&matched == matched {
			end = i
		}
	}
	return i, cur, end
}

// run runs from state cur over b[i:hi]. It returns the position and the state that it reached; end
// is the end of the last match reported. dead and gaveUp end it early, with i at the byte that led
// there.
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
			// Four bytes per iteration; a special state leaves the loop at its byte.
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
			to = d.step(row, symbol(text[i]))
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

// load returns the transition of a class in a row. Both come from the automaton itself, so they lie
// inside its table; a checked index would cost a fifth of the loop's speed.
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
	for i := end; ; {
		sym := symbol('\n')
		if i > 0 {
			sym, _ = d.nfa.symbolAt(b, i-1)
		}
		next := d.follow(cur, sym)
		s.work++
		if next == dead {
			return start, finished
		}
		if next&matched == matched {
			start = i
		}
		if i == lo {
			return start, finished
		}
		if cur, i = next, i-1; i%strideBytes == 0 && s.stopping() {
			return -1, stopped
		}
	}
}

// endOfLine returns the position of the first line feed at or after i, len(b) if there is none;
// false if it was told to stop.
func (s *Searcher) endOfLine(b []byte, i int) (int, bool) {
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
