package regex

import (
	"regexp/syntax"
	"sync/atomic"
	"unicode/utf8"
)

// runeMachine runs the program of regexp/syntax rune by rune, all threads side by side in
// the order of their priority. It is slow, exact for any input, and needs no memory beyond
// two lists as long as the program; it takes the lines that the automaton gives up on.
type runeMachine struct {
	prog     *syntax.Prog
	now, new threadSet
	starts   [2][]int // where the match of each thread of now and new starts
	stack    []uint32
}

func newRuneMachine(prog *syntax.Prog) *runeMachine {
	n := len(prog.Inst)
	return &runeMachine{
		prog: prog,
		now:  newThreadSet(n), new: newThreadSet(n),
		starts: [2][]int{make([]int, n), make([]int, n)},
	}
}

// find returns the first match in b[i:hi], which holds no line feed and ends where a line
// does, -1 and -1 if there is none. It gives up when stop says so.
func (m *runeMachine) find(b []byte, i, hi int, stop *atomic.Bool) (start, end int, how outcome) {
	start, end = -1, -1
	now, next := &m.now, &m.new
	nowStarts, nextStarts := m.starts[0], m.starts[1]
	now.dense = now.dense[:0]
	for check := i + strideBytes; ; {
		at := around{before(b, i), afterLineFeed}
		if i < hi {
			at.after = contextOf(b[i])
		}
		if start < 0 {
			m.add(now, nowStarts, uint32(m.prog.Start), i, at)
		}
		r, width := rune(-1), 0
		if i < hi {
			r, width = utf8.DecodeRune(b[i:hi])
		}
		then := around{before: at.after, after: afterLineFeed}
		if i+width < hi {
			then.after = contextOf(b[i+width])
		}
		next.dense = next.dense[:0]
		for _, pc := range now.dense {
			in := &m.prog.Inst[pc]
			if in.Op == syntax.InstMatch {
				start, end = nowStarts[pc], i
				break // threads behind have lower priority
			}
			if r >= 0 && reads(in, r) {
				m.add(next, nextStarts, in.Out, nowStarts[pc], then)
			}
		}
		if i == hi || start >= 0 && len(next.dense) == 0 {
			return start, end, finished
		}
		i += width
		now, next = next, now
		nowStarts, nextStarts = nextStarts, nowStarts
		if i >= check {
			if stop != nil && stop.Load() {
				return -1, -1, stopped
			}
			check = i + strideBytes
		}
	}
}

func reads(in *syntax.Inst, r rune) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1:
		return in.MatchRune(r)
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true // a line feed does not come here
	}
	return false
}

// add adds the threads that pc leads to without reading, best first.
func (m *runeMachine) add(set *threadSet, starts []int, pc uint32, start int, at around) {
	m.stack = append(m.stack[:0], pc)
	for len(m.stack) > 0 {
		pc := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if set.has(int32(pc)) {
			continue
		}
		set.add(int32(pc))
		starts[pc] = start
		switch in := &m.prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			m.stack = append(m.stack, in.Arg, in.Out)
		case syntax.InstCapture, syntax.InstNop:
			m.stack = append(m.stack, in.Out)
		case syntax.InstEmptyWidth:
			if holds(syntax.EmptyOp(in.Arg), at.before, at.after) {
				m.stack = append(m.stack, in.Out)
			}
		}
	}
}
