package regex

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
	"unsafe"
)

// chain is the lazily built automaton of searches: a state is the set of searches in progress at a
// position, without the starts of their matches. A transition at which something happens, a match
// or the end of a search, is special and has an event. It is not safe for concurrent use.
type chain struct {
	stepper *stepper
	alpha   *alphabet
	stride  int
	trans   []ref
	happens []int32 // the event of each transition
	states  []searches
	events  []*event
	byKey   map[string]ref
	byEvent map[string]int32
	bytes   int // memory in use, estimated
	limit   int
	resets  int
	yield   yield
	skips   map[ref]*finder // the finders of the bytes that leave a state

	// finder finds the places where a match may begin. If it is set, the states of a search that
	// waits for a match to begin, which has the threads of home, are special.
	finder               *finder
	home                 []int32
	candidates, gapBytes int // of the finder, and the bytes skipped to reach them

	next, settled searches
	kept          []int32 // which of the settled searches remain
	from          []int32
	key           []byte
}

// nothing is the event of a transition at which nothing happens.
const nothing = 0

// newChain returns the automaton of a program. The finder may be nil.
func newChain(n *nfa, a *alphabet, f *finder, limit int) *chain {
	c := &chain{stepper: newStepper(n), alpha: a, stride: a.columns(), finder: f, limit: limit}
	c.settle(c.fresh(afterOther))
	c.home = slices.Clone(c.settled.threads)
	c.clear()
	return c
}

// fresh returns a search that waits for a match to begin.
func (c *chain) fresh(before context) *searches {
	q := &c.next
	q.reset()
	q.threads, q.starts = append(q.threads, c.stepper.nfa.scan), append(q.starts, -1)
	q.cut()
	q.before = before
	return q
}

// wait returns the state of a search that waits for a match to begin.
func (c *chain) wait(before context) ref { return c.state(c.fresh(before)) }

func (c *chain) clear() {
	c.trans, c.happens, c.states = c.trans[:0], c.happens[:0], c.states[:0]
	c.events = append(c.events[:0], nil)
	c.byKey, c.byEvent, c.skips, c.bytes = map[string]ref{}, map[string]int32{}, map[ref]*finder{}, 0
}

// state returns the state with these searches in progress; c.kept tells which of them remain.
func (c *chain) state(q *searches) ref {
	c.settle(q)
	return c.intern()
}

func (c *chain) at(r ref) *searches { return &c.states[int(r&rowMask)/c.stride] }

// settle sets c.settled to the searches of q, with the nodes that read in place of those that lead
// to them. It drops what can no longer matter: threads after a sure match, and threads at nodes
// that an earlier search holds.
func (c *chain) settle(q *searches) {
	p, out := c.stepper, &c.settled
	out.reset()
	out.before, out.afterMatch = q.before, q.afterMatch
	c.kept = c.kept[:0]
	taken := &p.reading
	taken.dense = taken.dense[:0]
	for k := range q.ends {
		lo, hi := q.of(k)
		p.visited.dense = p.visited.dense[:0]
		sure := false
		for _, id := range q.threads[lo:hi] {
			if sure = c.enter(out, id); sure {
				break
			}
		}
		if out.cut() {
			c.kept = append(c.kept, int32(k))
		}
		if sure {
			return
		}
	}
}

// enter adds the nodes that a node leads to without reading, and reports whether one of them is a
// match. If the node can lead to an assertion, it adds the node itself.
func (c *chain) enter(out *searches, id int32) bool {
	p, taken := c.stepper, &c.stepper.reading
	p.stack = append(p.stack[:0], thread{id: id})
	for len(p.stack) > 0 {
		id := p.stack[len(p.stack)-1].id
		p.stack = p.stack[:len(p.stack)-1]
		for id >= 0 && !p.visited.has(id) {
			p.visited.add(id)
			nd := &p.nfa.nodes[id]
			if nd.op == opSplit && !nd.asserts {
				p.stack = append(p.stack, thread{id: nd.alt})
				id = nd.out
				continue
			}
			if nd.op != opFail && !taken.has(id) {
				taken.add(id)
				out.threads, out.starts = append(out.threads, id), append(out.starts, -1)
			}
			if nd.op == opMatch {
				return true
			}
			break
		}
	}
	return false
}

// intern returns the state of the settled searches.
func (c *chain) intern() ref {
	q := &c.settled
	// What precedes the position matters to assertions, also to those of a search that begins here.
	asserts := false
	for _, id := range q.threads {
		nd := &c.stepper.nfa.nodes[id]
		asserts = asserts || nd.asserts || nd.op == opMatch && c.stepper.nfa.asserts
	}
	if !asserts {
		q.before = afterOther
	}
	c.key = append(c.key[:0], byte(q.before), 0)
	if q.afterMatch {
		c.key[1] = 1
	}
	k := 0
	for i, id := range q.threads {
		if int(q.ends[k]) == i {
			c.key = binary.LittleEndian.AppendUint32(c.key, ^uint32(0))
			k++
		}
		c.key = binary.LittleEndian.AppendUint32(c.key, uint32(id))
	}
	if r, ok := c.byKey[string(c.key)]; ok {
		return r
	}
	size := 8*c.stride + 4*len(c.key) + overheadBytes
	if c.bytes+size > c.limit {
		c.clear()
		c.resets++
	}
	c.bytes += size
	r := ref(len(c.trans))
	if c.finder != nil && !q.afterMatch && len(q.ends) == 1 && slices.Equal(q.threads, c.home) {
		r |= waiting
	}
	c.states = append(c.states, searches{threads: slices.Clone(q.threads), starts: slices.Clone(q.starts),
		ends: slices.Clone(q.ends), before: q.before, afterMatch: q.afterMatch})
	for range c.stride {
		c.trans, c.happens = append(c.trans, unknown), append(c.happens, nothing)
	}
	c.byKey[string(c.key)] = r
	return r
}

// follow returns the state after a symbol, and the event that happens before it, nil if none does.
// The event is valid until the next call.
func (c *chain) follow(from ref, sym symbol) (ref, *event) {
	at := int(from&rowMask) + c.alpha.column(sym)
	if to := c.trans[at]; to != unknown {
		return to, c.events[c.happens[at]]
	}
	was := c.at(from)
	e := c.stepper.step(was, &c.next, sym, 0)
	searchesBefore, resets := len(was.ends), c.resets
	c.settle(&c.next)
	c.from = c.from[:0]
	for _, k := range c.kept {
		c.from = append(c.from, e.from[k])
	}
	to := c.intern()
	id := c.event(e, searchesBefore)
	if id != nothing {
		to |= special
	}
	if c.resets == resets {
		c.trans[at], c.happens[at] = to, id
	}
	return to, c.events[id]
}

// event returns the number of an event after which the searches continue as in c.from.
func (c *chain) event(e event, searchesBefore int) int32 {
	same := e.matched < 0 && len(c.from) == searchesBefore
	for k, from := range c.from {
		same = same && int(from) == k
	}
	if same {
		return nothing
	}
	c.key = binary.LittleEndian.AppendUint32(c.key[:0], uint32(e.matched))
	c.key = append(c.key, 0)
	if e.counts {
		c.key[4] = 1
	}
	for _, from := range c.from {
		c.key = binary.LittleEndian.AppendUint32(c.key, uint32(from))
	}
	id, ok := c.byEvent[string(c.key)]
	if !ok {
		id = int32(len(c.events))
		c.events = append(c.events, &event{matched: e.matched, counts: e.counts, from: slices.Clone(c.from)})
		c.byEvent[string(c.key)] = id
		c.bytes += 2*len(c.key) + overheadBytes
	}
	return id
}

// run runs from a state over b[i:hi], and stops before the first byte at which something happens or
// whose transition is not known.
func (c *chain) run(b []byte, i, hi int, cur ref) (int, ref) {
	class := &c.alpha.class
	table := unsafe.Pointer(unsafe.SliceData(c.trans))
	row := cur & rowMask
	text := b[:hi]
	for ; i < len(text); i++ {
		to := load(table, row, class[text[i]])
		if to >= special {
			break
		}
		row = to
	}
	return i, row
}

// leaving returns the finder of the bytes that leave a state, nil if the cache was emptied
// meanwhile.
func (c *chain) leaving(cur ref) *finder {
	if f := c.skips[cur]; f != nil {
		return f
	}
	var leaves [256]bool
	resets := c.resets
	for b := range 256 {
		to, _ := c.follow(cur, symbol(b))
		if c.resets != resets {
			return nil
		}
		leaves[b] = to != cur || b >= utf8.RuneSelf && c.stepper.nfa.canQuit
	}
	f := newPairFinder(0, &leaves, 0, &leaves)
	c.skips[cur] = &f
	return &f
}
