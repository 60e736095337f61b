package grep

import (
	"regexp/syntax"
	"slices"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// Holes of sparse files are not read. A hole is zero bytes without a line feed, so all of it lies in one line, and
// some zero bytes stand for it when that line is searched:
//
//	file    ...text\n end of line | hole of 100 GB | more of it\n text...
//	line              end of line 0000000000000000 more of it\n
//
// How many are needed depends on the patterns. Think of a pattern as an automaton with m places. While it reads zero
// bytes, it walks along its places, and can wait at those from which it may return at once, as in the star of .*; if it
// can return to none over others, as in the star of (..)*, then where it may be after m steps no longer changes. So
// m zero bytes, or more, have the same matches before, across and behind them.

// squeezedMax is how many zero bytes may have to stand for a hole.
const squeezedMax = 4 << 10

// zerosFor returns how many zero bytes can stand for more of them, as far as it matters whether a line matches; 0 if no
// number can. Apart says that no match has a zero byte, so that also the number of matches stays the same.
func zerosFor(items []item) (n int, apart bool) {
	const around = 4 // what -w and -x look at, on both sides
	apart = true
	for _, it := range items {
		places := 0
		if it.literal {
			places = len(it.text)
			for _, c := range []byte(it.text) {
				apart = apart && c != 0
			}
			apart = apart && it.text != ""
		} else {
			tree, err := syntax.Parse(it.text, syntax.Perl)
			if err != nil || !waitsOnly(tree) {
				return 0, false
			}
			apart = apart && !takesZero(tree)
			prog, err := syntax.Compile(tree.Simplify())
			if err != nil {
				return 0, false
			}
			places = len(prog.Inst)
		}
		if n = max(n, places+around); n > squeezedMax {
			return 0, false
		}
	}
	return n, apart
}

// takesZero reports whether a match of an expression may have a zero byte, or none at all.
func takesZero(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpLiteral:
		if slices.Contains(tree.Rune, 0) {
			return true
		}
	case syntax.OpCharClass:
		return len(tree.Rune) > 0 && tree.Rune[0] == 0 // ranges are in order
	case syntax.OpRepeat:
		if tree.Min == 0 {
			return true
		}
	}
	return slices.ContainsFunc(tree.Sub, takesZero)
}

// waitsOnly reports whether each loop of an expression that can take zero bytes takes one at a time.
func waitsOnly(tree *syntax.Regexp) bool {
	loop := tree.Op == syntax.OpStar || tree.Op == syntax.OpPlus || tree.Op == syntax.OpRepeat && tree.Max < 0
	if loop && takesZero(tree.Sub[0]) && !isRune(tree.Sub[0]) {
		return false
	}
	for _, sub := range tree.Sub {
		if !waitsOnly(sub) {
			return false
		}
	}
	return true
}

// isRune reports whether all matches of an expression are single characters.
func isRune(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpCharClass:
		return true
	case syntax.OpLiteral:
		return len(tree.Rune) == 1
	case syntax.OpCapture, syntax.OpAlternate:
		for _, sub := range tree.Sub {
			if !isRune(sub) {
				return false
			}
		}
		return true
	}
	return false
}

// SkipsHoles reports whether a search need not read the holes of a sparse file.
func (q *Query) SkipsHoles(m Mode) bool { return q.zeros > 0 && (m != Each || q.apart) }

// Hole passes a hole that is not read. The blocks behind it are searched later, or not yet known.
func (r *Run) Hole(hole source.Range) {
	pass := func(p *printer) {
		p.bytes += hole.Len()
		p.long.skip(hole, r.query.zeros)
		r.turns.Put(hole.End, p)
	}
	if p, ok := r.turns.Leave(hole.Off, pass); ok {
		pass(p)
	}
}

// skip adds a hole to the line, for which so many zero bytes can stand.
func (l *longLine) skip(hole source.Range, zeros int) {
	if l.empty() {
		l.begin(hole.Off)
	}
	l.end = hole.End
	if l.long {
		return // it is searched where it lies
	}
	l.squeezed = true
	l.data = append(l.data, make([]byte, min(hole.Len(), int64(zeros)))...)
}

// squeezedLine searches a line in which zero bytes stand for holes. If it is to be printed, or all matches in it
// matter, it is searched once more, where it lies.
func (w *worker) squeezedLine(p *printer, t text, end int64) error {
	w.search(&w.line, t.data, false)
	selected := w.line.n > 0 != w.Invert
	shown := w.Mode == Print && w.Text && (selected || p.owed > 0 || w.Before > 0)
	if !shown && len(w.line.lost) == 0 {
		return w.commit(p, &w.line, t)
	}
	return p.long.read(t.off, end, func(t text) error { return w.single(p, t) })
}
