package key

import (
	"fmt"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shape is an expression that is a sequence of items. Each item takes bytes from one set.
//
// Leftmost-first matching prefers, for each item in turn, to take as many bytes as possible. So
// if every item takes all it can and the last item succeeds, the result is the match that
// begins here, whatever the items are. If an item fails, an earlier item might have to give
// back bytes for the later ones. The shape is sure if no later item could take such bytes:
// then there is no match here, and the next place is tried. If the shape is not sure, the
// standard library decides.
//
// Items take bytes, but expressions take characters. Both give the same result if a set has
// all or none of the bytes from 0x80 on, and an item with all of them has no limit on how many
// it takes. Where the only question is whether there is a match, the last item has none either.
type shape struct {
	items    []item
	sets     []set  // the distinct sets of the items
	from, to int    // the answer is what items[from:to] take
	begin    bool   // the match must begin at the start of the field
	end      bool   // the match must end at the end of the field
	test     bool   // the only question is whether there is a match
	last     bool   // no item may follow
	sure     bool   // if the items fail at a place, no match begins there
	prefix   []byte // the bytes that every match begins with; may be empty
}

type item struct {
	set      int // of shape.sets
	min, max int // how many bytes it takes
}

// unbounded is the max of an item that takes all there is.
const unbounded = math.MaxInt

// set is a set of bytes, a bit each.
type set [4]uint64

func (s *set) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }
func (s *set) add(b byte)      { s[b>>6] |= 1 << (b & 63) }

func (s *set) meets(o *set) bool {
	return s[0]&o[0]|s[1]&o[1]|s[2]&o[2]|s[3]&o[3] != 0
}

func (s *set) join(o *set) {
	for i := range s {
		s[i] |= o[i]
	}
}

// wide reports whether the set has bytes that are not ASCII. It then has all of them.
func (s *set) wide() bool { return s[2] != 0 }

// shapeOf returns the shape of an expression, or nil if it has none.
func shapeOf(tree *syntax.Regexp, test bool) *shape {
	s := &shape{to: -1, test: test}
	if !s.add(tree) {
		return nil
	}
	if s.to < 0 {
		s.to = len(s.items)
	}
	if s.optional(0) && !s.end {
		s.begin = true // matches anywhere, so also at the beginning
	}
	if !s.begin && (len(s.items) == 0 || s.items[0].min == 0) {
		return nil // a match could begin at any byte
	}
	s.sure = s.isSure()
	for _, it := range s.items {
		b, single := s.sets[it.set].single()
		if !single || it.min != 1 || it.max != 1 || s.begin {
			break
		}
		s.prefix = append(s.prefix, b)
	}
	return s
}

// add appends the items of e, and reports whether e has such items.
func (s *shape) add(e *syntax.Regexp) bool {
	switch e.Op {
	case syntax.OpEmptyMatch:
		return true
	case syntax.OpBeginText:
		s.begin = true
		return len(s.items) == 0 && !s.end
	case syntax.OpEndText:
		s.end = true
		return !s.last
	case syntax.OpConcat:
		for _, sub := range e.Sub {
			if !s.add(sub) {
				return false
			}
		}
		return true
	case syntax.OpCapture:
		from := len(s.items)
		if !s.add(e.Sub[0]) {
			return false
		}
		if e.Cap == 1 {
			s.from, s.to = from, len(s.items)
		}
		return true
	case syntax.OpLiteral:
		return s.addLiteral(e)
	case syntax.OpStar:
		return s.addTimes(e, 0, unbounded)
	case syntax.OpPlus:
		return s.addTimes(e, 1, unbounded)
	case syntax.OpQuest:
		return s.addTimes(e, 0, 1)
	case syntax.OpRepeat:
		if e.Max < 0 {
			return s.addTimes(e, e.Min, unbounded)
		}
		return s.addTimes(e, e.Min, e.Max)
	}
	of, ok := setOf(e)
	return ok && s.addItem(of, 1, 1)
}

func (s *shape) addLiteral(e *syntax.Regexp) bool {
	for _, r := range e.Rune {
		if r == utf8.RuneError {
			return false // it also matches every byte that is not valid UTF-8
		}
		if r < utf8.RuneSelf || e.Flags&syntax.FoldCase != 0 {
			of, ok := setOf(&syntax.Regexp{Op: syntax.OpLiteral, Flags: e.Flags, Rune: []rune{r}})
			if !ok || !s.addItem(of, 1, 1) {
				return false
			}
			continue
		}
		// UTF-8 synchronizes itself: the bytes of a character cannot match at another place. So
		// the character can be matched byte by byte.
		for _, b := range []byte(string(r)) {
			var of set
			of.add(b)
			if s.end || s.last {
				return false
			}
			s.items = append(s.items, item{s.index(of), 1, 1})
		}
	}
	return true
}

// addTimes appends an item for the repetition e.
func (s *shape) addTimes(e *syntax.Regexp, least, most int) bool {
	of, ok := setOf(e.Sub[0])
	return ok && e.Flags&syntax.NonGreedy == 0 && s.addItem(of, least, most)
}

func (s *shape) addItem(of set, least, most int) bool {
	if s.end || s.last {
		return false
	}
	if of.wide() && most != unbounded && s.test {
		most, s.last = unbounded, true // whether it can take a character does not depend on how many more it may take
	}
	if of.wide() && (least > 1 || most != unbounded) {
		return false
	}
	s.items = append(s.items, item{s.index(of), least, most})
	return true
}

func (s *shape) index(of set) int {
	for i := range s.sets {
		if s.sets[i] == of {
			return i
		}
	}
	s.sets = append(s.sets, of)
	return len(s.sets) - 1
}

// setOf returns the bytes that e matches. It fails unless e matches a single character, and
// all or none of the characters that are not ASCII.
func setOf(e *syntax.Regexp) (of set, ok bool) {
	ranges := e.Rune
	switch e.Op {
	case syntax.OpLiteral:
		if len(e.Rune) != 1 {
			return of, false
		}
		ranges = []rune{e.Rune[0], e.Rune[0]}
		if e.Flags&syntax.FoldCase != 0 {
			for r := unicode.SimpleFold(e.Rune[0]); r != e.Rune[0]; r = unicode.SimpleFold(r) {
				ranges = append(ranges, r, r)
			}
		}
	case syntax.OpAnyChar:
		ranges = []rune{0, unicode.MaxRune}
	case syntax.OpAnyCharNotNL:
		ranges = []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case syntax.OpCharClass:
	default:
		return of, false
	}
	for i := 0; i < len(ranges); i += 2 {
		low, high := ranges[i], ranges[i+1]
		for r := low; r <= min(high, unicode.MaxASCII); r++ {
			of.add(byte(r))
		}
		if high > unicode.MaxASCII {
			if low > utf8.RuneSelf || high != unicode.MaxRune {
				return of, false
			}
			of[2], of[3] = math.MaxUint64, math.MaxUint64
		}
	}
	return of, true
}

// optional reports whether all items from i on may take nothing.
func (s *shape) optional(i int) bool {
	for _, it := range s.items[i:] {
		if it.min > 0 {
			return false
		}
	}
	return true
}

// isSure reports whether giving back bytes never helps: no byte that an item takes could be
// taken by the items after it. If those cannot fail, the item never gives anything back.
func (s *shape) isSure() bool {
	for i, it := range s.items {
		if it.min == it.max || s.optional(i+1) && !s.end {
			continue
		}
		var next set
		for _, n := range s.items[i+1:] {
			next.join(&s.sets[n.set])
			if n.min > 0 {
				break
			}
		}
		if next.meets(&s.sets[it.set]) {
			return false
		}
	}
	return true
}

// String describes what the scan does.
func (s *shape) String() string {
	var steps []string
	for i := 0; i < len(s.items); i++ {
		it, verb := s.items[i], "skip "
		if s.from <= i && i < s.to {
			verb = "take "
		}
		step := verb + s.sets[it.set].String()
		switch {
		case it.max == unbounded && it.min > 1:
			step += fmt.Sprintf(", %d at least", it.min)
		case it.max == unbounded:
		case it.min == it.max && it.max > 1:
			step += fmt.Sprintf(", %d times", it.max)
		case it.min != it.max:
			step += fmt.Sprintf(", %d times at most", it.max)
		default:
			step = strings.TrimPrefix(step, "skip ")
		}
		steps = append(steps, step)
	}
	if s.begin {
		steps = slices.Insert(steps, 0, "at the beginning")
	}
	if s.end {
		steps = append(steps, "the end")
	}
	plan := "byte scan: " + strings.Join(steps, " then ")
	if !s.sure {
		plan += "; in doubt the regexp machine"
	}
	return plan
}
