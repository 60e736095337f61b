package expr

import (
	"regexp/syntax"
	"unicode/utf8"
)

// anchored finds the match of a regular expression that only matches at the beginning, in texts of ASCII, as package
// regexp does: of several ways to match, the first one counts. It tries one way after the other, which is quick for
// the expressions and texts that people have, and gives up if it takes many steps. An anchored is for one goroutine.
type anchored struct {
	steps []step
	first int
	found []int // where the whole match and each group begin and end
	tries []try
	left  int // steps until it gives up
}

// step is an instruction. It comes before the one at out, and the one at arg is the next to try.
type step struct {
	op       syntax.InstOp
	loop     bool // of an InstAlt: as many characters of set as there are, then arg
	set      [2]uint64
	out, arg uint32
}

// try is where to go on if the current way does not match: at step pc and the offsets from to down to from, or with the
// value of a capture put back if pc is negative.
type try struct {
	pc       int
	from, to int
}

func (s *step) has(c byte) bool { return s.set[c>>6&1]>>(c&63)&1 != 0 }

// newAnchored returns nil for an expression that it is not for.
func newAnchored(expression string) *anchored {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil
	}
	groups := parsed.MaxCap()
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil || prog.StartCond()&syntax.EmptyBeginText == 0 {
		return nil
	}
	m := &anchored{first: prog.Start, found: make([]int, 2*groups+2)}
	for i := range prog.Inst {
		from := &prog.Inst[i]
		s := step{op: from.Op, out: from.Out, arg: from.Arg}
		switch from.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			s.set = asciiOf(from)
			s.op = syntax.InstRune
		case syntax.InstAlt, syntax.InstAltMatch:
			s.op = syntax.InstAlt
			if body := &prog.Inst[from.Out]; isRune(body.Op) && body.Out == uint32(i) {
				s.loop, s.set = true, asciiOf(body)
			}
		}
		m.steps = append(m.steps, s)
	}
	return m
}

func isRune(op syntax.InstOp) bool { return op >= syntax.InstRune && op <= syntax.InstRuneAnyNotNL }

// asciiOf returns the characters of ASCII that an instruction matches.
func asciiOf(i *syntax.Inst) (set [2]uint64) {
	for c := range rune(utf8.RuneSelf) {
		if i.MatchRune(c) {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	return set
}

// find returns where the match and its groups begin and end, -1 for a group that matched nothing, and nil without a
// match. ok is false if it gave up.
func (m *anchored) find(text []byte) (match []int, ok bool) {
	var all byte
	for _, c := range text {
		all |= c
	}
	if all >= utf8.RuneSelf {
		return nil, false
	}
	for i := range m.found {
		m.found[i] = -1
	}
	const stepsOfByte, stepsAtLeast = 8, 256
	m.left = stepsOfByte*len(text) + stepsAtLeast
	m.tries = append(m.tries[:0], try{m.first, 0, 0})
	for len(m.tries) > 0 {
		last := &m.tries[len(m.tries)-1]
		if last.pc < 0 {
			m.found[-last.pc] = last.from
			m.tries = m.tries[:len(m.tries)-1]
			continue
		}
		pc, at := last.pc, last.to
		if last.to--; last.to < last.from {
			m.tries = m.tries[:len(m.tries)-1]
		}
		if end := m.run(text, pc, at); end >= 0 {
			m.found[0], m.found[1] = 0, end
			return m.found, true
		}
		if m.left < 0 {
			return nil, false
		}
	}
	return nil, true
}

// run goes one way from a step and an offset on. It returns where the match ends, and -1 if that is no way.
func (m *anchored) run(text []byte, pc, at int) (end int) {
	for ; m.left >= 0; m.left-- {
		s := &m.steps[pc]
		switch s.op {
		case syntax.InstRune:
			if at == len(text) || !s.has(text[at]) {
				return -1
			}
			at++
			pc = int(s.out)
		case syntax.InstAlt:
			if !s.loop {
				m.tries = append(m.tries, try{int(s.arg), at, at})
				pc = int(s.out)
				continue
			}
			from := at
			for at < len(text) && s.has(text[at]) {
				at++
			}
			m.left -= at - from
			pc = int(s.arg)
			if at > from {
				m.tries = append(m.tries, try{pc, from, at - 1})
			}
		case syntax.InstCapture:
			if s.arg > 1 {
				m.tries = append(m.tries, try{-int(s.arg), m.found[s.arg], 0})
				m.found[s.arg] = at
			}
			pc = int(s.out)
		case syntax.InstEmptyWidth:
			if !holdsAt(syntax.EmptyOp(s.arg), text, at) {
				return -1
			}
			pc = int(s.out)
		case syntax.InstNop:
			pc = int(s.out)
		case syntax.InstMatch:
			return at
		default:
			return -1
		}
	}
	return -1
}

// holdsAt reports whether conditions without a width hold at an offset.
func holdsAt(wanted syntax.EmptyOp, text []byte, at int) bool {
	before, after := rune(-1), rune(-1)
	if at > 0 {
		before = rune(text[at-1])
	}
	if at < len(text) {
		after = rune(text[at])
	}
	return wanted&^syntax.EmptyOpContext(before, after) == 0
}
