package regex

import "regexp/syntax"

// The forward automaton finds where the leftmost match ends. To find where it starts, the program
// runs backwards from there: the set of nodes from which the end can be reached is carried over
// each byte, and the match starts at the lowest position whose set contains the program's start. A
// match with a lower start would have been the leftmost one.

// pred is a way into a node: from another one, by reading a byte or by an assertion (0 if none
// needs to hold).
type pred struct {
	from      int32
	reading   bool
	malformed bool // reads a malformed byte, not one from lo to hi
	lo, hi    byte
	assert    syntax.EmptyOp
}

// preds returns the ways into each node of a match, without the loop that precedes it.
func (n *nfa) preds() [][]pred {
	all := make([][]pred, len(n.nodes))
	add := func(to int32, p pred) {
		if to >= 0 {
			all[to] = append(all[to], p)
		}
	}
	for i := range n.nodes[:n.scanFrom] {
		nd := &n.nodes[i]
		switch from := int32(i); nd.op {
		case opSplit, opAssert:
			add(nd.out, pred{from: from, assert: nd.assert})
			add(nd.alt, pred{from: from})
		case opBytes:
			for _, e := range nd.edges {
				add(e.to, pred{from: from, reading: true, lo: e.lo, hi: e.hi})
			}
			add(nd.bad, pred{from: from, reading: true, malformed: true})
		}
	}
	return all
}

// closeReversed sets d.list2 to the nodes of a state and those that lead to them without reading.
func (d *dfa) closeReversed(threads []int32, at around) *threadSet {
	set := &d.list2
	set.dense = append(set.dense[:0], threads...)
	for i, id := range set.dense {
		set.sparse[id] = int32(i)
	}
	for i := 0; i < len(set.dense); i++ { // the set grows during the loop
		for _, p := range d.preds[set.dense[i]] {
			if !p.reading && !set.has(p.from) && holds(p.assert, at.before, at.after) {
				set.add(p.from)
			}
		}
	}
	return set
}

// buildReversed returns the state one symbol before st, marked as a match if one can start at the
// position of st.
func (d *dfa) buildReversed(st *state, sym symbol) ref {
	before := contextOfSymbol(sym)
	set := d.closeReversed(st.threads, around{before, st.before})
	d.list.dense = d.list.dense[:0]
	for _, id := range set.dense {
		for _, p := range d.preds[id] {
			if p.reading && p.reads(sym) && !d.list.has(p.from) {
				d.list.add(p.from)
			}
		}
	}
	return d.state(&d.list, set.has(d.nfa.start), before)
}

func (p *pred) reads(sym symbol) bool {
	if sym == malformed {
		return p.malformed
	}
	return !p.malformed && p.lo <= byte(sym) && byte(sym) <= p.hi
}
