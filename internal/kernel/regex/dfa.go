package regex

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// A state of the automaton is the set of threads that the program has at one position, in order of
// priority. States are built on demand and kept; a known transition is one load.
//
// Assertions look at the byte after the position. A thread that can meet one stays where it was
// before, and continues when that byte is read. It continues not from the assertion but from where
// it came from, because which of two ways around a loop is the first depends on whether the
// assertion holds. For the same reason a state reports a match one byte late: it is marked if the
// match ended before the byte that led to it. The end of the input, which ends a line, reads as a
// line feed.

// ref names a state by the place of its row in the table of transitions. Special refs have the
// highest bit set, so that a loop tests for all of them at once.
type ref uint32

const (
	special ref = 1 << 31
	matched ref = special | 1<<30 // a state that reports a match
	waiting ref = special | 1<<29 // a state that waits for a match to begin; see chain.go
	rowMask ref = 1<<29 - 1

	unknown ref = special | 1 // not built yet
	dead    ref = special | 2 // no thread is left
	gaveUp  ref = special | 3 // a thread met malformed UTF-8, but had not decoded it as malformed
)

// context is what precedes a position, as far as assertions care.
type context uint8

const (
	afterLineFeed context = iota
	afterWord
	afterOther
	contexts
	unknownContext = contexts // no assertion is known to hold
)

func contextOf(b byte) context {
	switch {
	case b == '\n':
		return afterLineFeed
	case isWord(b):
		return afterWord
	}
	return afterOther
}

func contextOfSymbol(sym symbol) context {
	if sym < 0 || sym >= utf8.RuneSelf {
		return afterOther
	}
	return contextOf(byte(sym))
}

func isWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// holds reports whether assertions hold between two bytes.
func holds(op syntax.EmptyOp, before, after context) bool {
	if op != 0 && after == unknownContext {
		return false
	}
	boundary := (before == afterWord) != (after == afterWord)
	return (op&(syntax.EmptyBeginLine|syntax.EmptyBeginText) == 0 || before == afterLineFeed) &&
		(op&(syntax.EmptyEndLine|syntax.EmptyEndText) == 0 || after == afterLineFeed) &&
		(op&syntax.EmptyWordBoundary == 0 || boundary) &&
		(op&syntax.EmptyNoWordBoundary == 0 || !boundary)
}

// alphabet maps bytes to classes that the program does not distinguish.
type alphabet struct {
	class [256]uint8
	first []byte // first byte of each class
}

// columns returns the number of columns in a row of transitions: the classes, and malformed.
func (a *alphabet) columns() int { return len(a.first) + 1 }

// column returns the column of a symbol.
func (a *alphabet) column(sym symbol) int {
	if sym == malformed {
		return len(a.first)
	}
	return int(a.class[sym])
}

func newAlphabet(n *nfa) *alphabet {
	var cut [257]bool // a class begins here
	cut[0], cut['\n'], cut['\n'+1] = true, true, true
	for i := range n.nodes {
		for _, e := range n.nodes[i].edges {
			cut[e.lo], cut[int(e.hi)+1] = true, true
		}
	}
	for b := 1; n.words && b < 256; b++ {
		cut[b] = cut[b] || isWord(byte(b)) != isWord(byte(b-1))
	}
	a := &alphabet{}
	for b := range 256 {
		if cut[b] {
			a.first = append(a.first, byte(b))
		}
		a.class[b] = uint8(len(a.first) - 1)
	}
	return a
}

type state struct {
	threads []int32
	before  context // kept only for states with assertions, so that other states are shared
	asserts bool
}

// dfa is a lazily built automaton. It is not safe for concurrent use.
type dfa struct {
	nfa    *nfa
	alpha  *alphabet
	preds  [][]pred // of the reversed program; nil for the forward one
	stride int
	trans  []ref
	states []state
	byKey  map[string]ref
	starts [2][contexts]ref // anchored or scanning
	bytes  int              // memory in use, estimated
	limit  int
	resets int
	list   threadSet
	list2  threadSet
	stack  []int32
	key    []byte
}

// threadSet is a set of nodes in insertion order.
type threadSet struct {
	dense  []int32
	sparse []int32
}

func newThreadSet(n int) threadSet {
	return threadSet{dense: make([]int32, 0, n), sparse: make([]int32, n)}
}

func (s *threadSet) has(id int32) bool {
	i := s.sparse[id]
	return int(i) < len(s.dense) && s.dense[i] == id
}

func (s *threadSet) add(id int32) {
	s.sparse[id] = int32(len(s.dense))
	s.dense = append(s.dense, id)
}

// newDFA returns an automaton whose table stays below limit bytes, give or take one state. With
// reversed it reads backwards, and finds the longest match, not the first.
func newDFA(n *nfa, a *alphabet, reversed [][]pred, limit int) *dfa {
	d := &dfa{nfa: n, alpha: a, preds: reversed, stride: a.columns(), limit: limit}
	d.list, d.list2 = newThreadSet(len(n.nodes)), newThreadSet(len(n.nodes))
	d.clear()
	return d
}

func (d *dfa) clear() {
	d.trans, d.states, d.byKey, d.bytes = d.trans[:0], d.states[:0], map[string]ref{}, 0
	for i := range d.starts {
		for j := range d.starts[i] {
			d.starts[i][j] = unknown
		}
	}
}

// start returns the state of a search that begins in a context: for a match that begins right
// there, or, when scanning, there or later.
func (d *dfa) start(scanning bool, before context) ref {
	if !d.nfa.asserts {
		before = afterOther
	}
	kind, from := 0, d.nfa.start
	if scanning {
		kind, from = 1, d.nfa.scan
	}
	if d.starts[kind][before] == unknown {
		d.list.dense = d.list.dense[:0]
		if d.preds != nil {
			d.list.dense = append(d.list.dense, d.nfa.match)
		} else {
			d.enter(&d.list, from)
		}
		r := d.state(&d.list, false, before) // may clear starts
		d.starts[kind][before] = r
	}
	return d.starts[kind][before]
}

// around is what lies on both sides of a position.
type around struct{ before, after context }

// enter adds the threads that a node leads to without reading, best first. If the node can lead to
// an assertion, it adds the node itself.
func (d *dfa) enter(set *threadSet, id int32) {
	if !d.nfa.nodes[id].asserts {
		d.close(set, id, nil)
	} else if !set.has(id) {
		set.add(id)
	}
}

// close adds the threads that a node leads to without reading, best first.
func (d *dfa) close(set *threadSet, id int32, at *around) {
	d.stack = append(d.stack[:0], id)
	for len(d.stack) > 0 {
		id := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		for id >= 0 && !set.has(id) {
			set.add(id)
			nd := &d.nfa.nodes[id]
			id = none
			switch {
			case nd.op == opSplit:
				d.stack = append(d.stack, nd.alt)
				id = nd.out
			case nd.op == opAssert && holds(nd.assert, at.before, at.after):
				id = nd.out
			}
		}
	}
}

// state returns the ref of the state with these threads.
func (d *dfa) state(set *threadSet, isMatch bool, before context) ref {
	st := state{before: before}
	var threads []int32
	for _, id := range set.dense {
		nd := &d.nfa.nodes[id]
		if nd.asserts || nd.op == opMatch || nd.op == opBytes || d.preds != nil && nd.op != opFail {
			st.asserts = st.asserts || nd.asserts
			threads = append(threads, id)
		}
	}
	if d.preds != nil {
		st.asserts = d.nfa.asserts
		slices.Sort(threads)
	}
	return d.intern(st, threads, isMatch)
}

// overheadBytes is the size of a state without its transitions and threads: its map entry and
// headers.
const overheadBytes = 128

func (d *dfa) intern(st state, threads []int32, isMatch bool) ref {
	if len(threads) == 0 && !isMatch {
		return dead
	}
	if !st.asserts {
		st.before = afterOther
	}
	d.key = append(d.key[:0], byte(st.before), 0)
	if isMatch {
		d.key[1] = 1
	}
	for _, id := range threads {
		d.key = binary.LittleEndian.AppendUint32(d.key, uint32(id))
	}
	if r, ok := d.byKey[string(d.key)]; ok {
		return r
	}
	size := 4*d.stride + 2*len(d.key) + overheadBytes
	if d.bytes+size > d.limit {
		d.clear()
		d.resets++
	}
	d.bytes += size
	st.threads = threads
	r := ref(len(d.trans))
	if isMatch {
		r |= matched
	}
	d.states = append(d.states, st)
	for range d.stride {
		d.trans = append(d.trans, unknown)
	}
	d.byKey[string(d.key)] = r
	return r
}

// step returns the state after a symbol, and stores it in the table.
func (d *dfa) step(from ref, sym symbol) ref {
	resets := d.resets
	at := int(from&rowMask) + d.alpha.column(sym)
	to := d.build(&d.states[int(from&rowMask)/d.stride], sym)
	if d.resets == resets {
		d.trans[at] = to
	}
	return to
}

func (d *dfa) build(st *state, sym symbol) ref {
	after := contextOfSymbol(sym)
	if d.preds != nil {
		return d.buildReversed(st, sym)
	}
	threads := st.threads
	if st.asserts {
		threads = d.resolve(st, after)
	}
	d.list.dense = d.list.dense[:0]
	isMatch := false
	for _, id := range threads {
		nd := &d.nfa.nodes[id]
		if nd.op == opMatch {
			isMatch = true // threads after this one have lower priority
			break
		}
		switch to := d.nfa.target(nd, sym); to {
		case none:
		case quit:
			return gaveUp
		default:
			d.enter(&d.list, to)
		}
	}
	return d.state(&d.list, isMatch, after)
}

// resolve returns the threads of a state once the byte after the position is known.
func (d *dfa) resolve(st *state, after context) []int32 {
	d.list2.dense = d.list2.dense[:0]
	at := &around{st.before, after}
	for _, id := range st.threads {
		d.close(&d.list2, id, at)
	}
	return d.list2.dense
}

func target(edges []edge, b byte) int32 {
	for _, e := range edges {
		if b <= e.hi {
			if b >= e.lo {
				return e.to
			}
			return none
		}
	}
	return none
}
