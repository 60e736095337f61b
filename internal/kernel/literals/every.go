package literals

import (
	"cmp"
	"math/bits"
	"slices"
)

// CompileEvery returns a set for Every, and for each literal the id that Every gives it: literals that
// are equal, or differ only in case with fold, have the id of the first of them. Literals have no masks.
//
// Longer literals come first, so that none is shadowed by one that it begins with: All, which yields
// the first literal of a place, yields the longest.
func CompileEvery(list []Literal, fold bool) (s *Set, ids []int, err error) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	key := func(i int) []byte {
		if fold {
			return canonical(list[i].Value)
		}
		return list[i].Value
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(key(b)), len(key(a))), slices.Compare(key(a), key(b)))
	})
	ids = make([]int, len(list))
	sorted := make([]Literal, 0, len(list))
	var given []int // the ids of sorted
	for at, i := range order {
		if at > 0 && slices.Equal(key(i), key(order[at-1])) {
			ids[i] = given[len(given)-1]
			continue
		}
		ids[i] = i
		sorted, given = append(sorted, list[i]), append(given, i)
	}
	if s, err = Compile(sorted, fold); err != nil {
		return nil, nil, err
	}
	s.given = given
	return s, ids, nil
}

// Every calls yield with each literal that begins in the first starts bytes of b and lies completely
// inside b: its index, its length and its id from CompileEvery. Indexes ascend; literals at one place
// come shortest first. It ends when yield returns false.
func (s *Set) Every(b []byte, starts int, yield func(at, n, id int) bool) {
	starts = min(starts, len(b)-s.shortest+1)
	for base := 0; base < starts; base += blockStarts {
		var marks [blockWords]uint64
		n := min(blockStarts, starts-base)
		s.mark(b[base:], n, &marks)
		for word := range marks[:(n+63)/64] {
			for m := marks[word]; m != 0; m &= m - 1 {
				at := base + 64*word + bits.TrailingZeros64(m)
				more := true
				s.trie.every(b[at:], s.fold, func(n int, id int32) bool {
					more = yield(at, n, s.given[id])
					return more
				})
				if !more {
					return
				}
			}
		}
	}
}

// every yields the literals at the start of b.
func (t *trie) every(b []byte, fold bool, yield func(n int, id int32) bool) {
	if fold {
		t.everyFold(b, yield)
		return
	}
	n := 0
	for next := t.root[b[0]]; next != 0; next = t.child(next, b[n]) {
		at := &t.nodes[next]
		same := commonPrefix(at.label, b[n:])
		n += same
		if same < len(at.label) || at.id != none && !yield(n, at.id) || n == len(b) {
			return
		}
	}
}

// everyFold is every for a trie of canonical text and any text b.
func (t *trie) everyFold(b []byte, yield func(n int, id int32) bool) {
	var buf [4]byte
	at, label := int32(0), []byte(nil)
	for n := 0; n < len(b); {
		bytes, size := canonicalRune(b[n:], &buf)
		if bytes == 0 {
			return
		}
		for _, c := range buf[:bytes] {
			if len(label) == 0 {
				if at = t.child(at, c); at == 0 {
					return
				}
				label = t.nodes[at].label
			}
			if label[0] != c {
				return
			}
			label = label[1:]
		}
		n += size
		if id := t.nodes[at].id; len(label) == 0 && id != none && !yield(n, id) {
			return
		}
	}
}
