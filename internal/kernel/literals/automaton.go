package literals

import "unicode/utf8"

// automaton finds literals in time that depends only on the length of the text. It is that of Aho
// and Corasick, reading the text from its end: its state at a place is the longest text from there
// on that is the end of some literal. So each state knows which literal begins at the place, the
// first given one if there are several. It does not handle literals with wildcards.
type automaton struct {
	states  []state
	lengths []int32 // of the literals, by id: in bytes, or in runes if case is ignored
	fold    bool
}

// state is the end of some literal, one byte longer than that of the state before.
type state struct {
	before, back int32 // back is the state of the longest text that begins this one
	first, next  int32 // first of the states one byte longer; next state with the same before
	id           int32 // of the first given literal that begins where the text does
	b            byte  // the first byte of the text
}

// newAutomaton returns the automaton of the literals of a trie.
func newAutomaton(t *trie, fold bool) *automaton {
	a := &automaton{states: []state{{id: none}}, fold: fold}
	var byLength [][]int32 // the states except the first, by the length of their texts
	t.each(func(value []byte, id int32) {
		for int(id) >= len(a.lengths) {
			a.lengths = append(a.lengths, 0)
		}
		a.lengths[id] = int32(len(value))
		if fold {
			a.lengths[id] = int32(utf8.RuneCount(value))
		}
		at := int32(0)
		for i := len(value) - 1; i >= 0; i-- {
			longer := a.longer(at, value[i])
			if longer == 0 {
				longer = a.add(at, value[i])
				length := len(value) - i
				for length > len(byLength) {
					byLength = append(byLength, nil)
				}
				byLength[length-1] = append(byLength[length-1], longer)
			}
			at = longer
		}
		a.states[at].id = min(a.states[at].id, id)
	})
	for _, states := range byLength {
		for _, at := range states {
			s := &a.states[at]
			if s.before != 0 {
				s.back = a.step(a.states[s.before].back, s.b)
			}
			s.id = min(s.id, a.states[s.back].id)
		}
	}
	return a
}

// each calls use with each literal of the trie.
func (t *trie) each(use func(value []byte, id int32)) {
	var below func(at int32, value []byte)
	below = func(at int32, value []byte) {
		n := &t.nodes[at]
		value = append(value[:len(value):len(value)], n.label...)
		if n.id != none {
			use(value, n.id)
		}
		for _, next := range n.below {
			below(next, value)
		}
	}
	for _, next := range t.root {
		if next != 0 {
			below(next, nil)
		}
	}
}

func (a *automaton) add(before int32, b byte) int32 {
	at := int32(len(a.states))
	a.states = append(a.states, state{before: before, next: a.states[before].first, id: none, b: b})
	a.states[before].first = at
	return at
}

// longer returns the state of a text with b in front, 0 if there is none.
func (a *automaton) longer(at int32, b byte) int32 {
	for next := a.states[at].first; next != 0; next = a.states[next].next {
		if a.states[next].b == b {
			return next
		}
	}
	return 0
}

// step returns the state after reading a byte.
func (a *automaton) step(at int32, b byte) int32 {
	for {
		if next := a.longer(at, b); next != 0 || at == 0 {
			return next
		}
		at = a.states[at].back
	}
}

// all is Set.All for the places from from on.
func (a *automaton) all(s *Set, b []byte, from, starts int, yield func(at, n int) bool) {
	places := min(starts-from, max(blockStarts, 4*s.longest))
	if places <= 0 {
		return
	}
	found := make([]literal, places)
	for ; from < starts; from += len(found) {
		found = found[:min(len(found), starts-from)]
		text := b[from:min(from+len(found)+s.longest-1, len(b))]
		if a.fold {
			a.readFold(text, found)
		} else {
			a.read(text, found)
		}
		for i, l := range found {
			n := int(l.bytes)
			if wild := s.matchWild(b[from+i:], l.id); wild > 0 {
				n = wild
			}
			if n > 0 && !yield(from+i, n) {
				return
			}
		}
	}
}

// literal is a literal that was found, and its length there.
type literal struct{ id, bytes int32 }

// read finds the literals that begin at the first places of a text.
func (a *automaton) read(text []byte, found []literal) {
	at := int32(0)
	for i := len(text) - 1; i >= 0; i-- {
		at = a.step(at, text[i])
		if i < len(found) {
			found[i] = a.literal(at)
		}
	}
}

func (a *automaton) literal(at int32) literal {
	if id := a.states[at].id; id != none {
		return literal{id, a.lengths[id]}
	}
	return literal{id: none}
}

// readFold is read with case ignored. It reads the canonical runes of the text.
func (a *automaton) readFold(text []byte, found []literal) {
	for i := range found {
		found[i] = literal{id: none}
	}
	var buf [utf8.UTFMax]byte
	places := make([]int32, 0, len(text)+1) // of the runes
	for i := 0; i < len(text); {
		places = append(places, int32(i))
		_, size := canonicalRune(text[i:], &buf)
		i += size
	}
	places = append(places, int32(len(text)))
	at := int32(0)
	for i := len(places) - 2; i >= 0; i-- {
		place := places[i]
		n, _ := canonicalRune(text[place:], &buf)
		if n == 0 {
			at = 0 // no literal contains malformed UTF-8
			continue
		}
		for n--; n >= 0; n-- {
			at = a.step(at, buf[n])
		}
		if int(place) < len(found) {
			l := a.literal(at)
			if l.id != none {
				l.bytes = places[i+int(l.bytes)] - place
			}
			found[place] = l
		}
	}
}
