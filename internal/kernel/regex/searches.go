package regex

// All matches of a line are found in one pass, whatever its length.
//
// One search finds the first match from some position on: it runs the threads of the program side
// by side, those with the better match first. When a thread matches, the worse ones are dropped,
// but better ones may continue and replace the match by a longer one. So the match is not sure, and
// yet the next search has to begin where it ends. It begins at once: several searches then run in
// the same pass, each after the match of the one before. If one of them finds a better match, those
// after it were in vain, and a new one begins.
//
// A thread of a later search is dropped if an earlier search has a thread at the same node: it can
// match only if that one does too, and then the later search is in vain. So a node has at most one
// thread, and the time is linear in the text times the program.

// searches is the state at a position: the threads of each search in progress, best first. A thread
// waits at a node from which assertions can be reached until it is known whether they hold; see
// dfa.go.
type searches struct {
	threads []int32
	starts  []int64 // of the match of each thread, -1 if none has begun
	ends    []int32 // of each search, as indexes in threads
	before  context
	// The only search begins right after a match, where an empty match does not count.
	afterMatch bool
}

// of returns where the threads of search k begin and end.
func (q *searches) of(k int) (lo, hi int) {
	if k > 0 {
		lo = int(q.ends[k-1])
	}
	return lo, int(q.ends[k])
}

func (q *searches) reset() {
	q.threads, q.starts, q.ends, q.afterMatch = q.threads[:0], q.starts[:0], q.ends[:0], false
}

// cut ends a search, and reports whether it has any thread.
func (q *searches) cut() bool {
	n, last := int32(len(q.threads)), int32(0)
	if len(q.ends) > 0 {
		last = q.ends[len(q.ends)-1]
	}
	if n == last {
		return false
	}
	q.ends = append(q.ends, n)
	return true
}

// setTo makes q a copy.
func (q *searches) setTo(other *searches) {
	q.threads = append(q.threads[:0], other.threads...)
	q.starts = append(q.starts[:0], other.starts...)
	q.ends = append(q.ends[:0], other.ends...)
	q.before, q.afterMatch = other.before, other.afterMatch
}

// Values of event.from for new searches.
const (
	atMatch   int32 = -1 // begins where the match ended
	runeLater int32 = -2 // begins one rune later: an empty match where the match ended does not count
)

// event is what is known about a position once the symbol after it is known.
type event struct {
	matched int     // the search whose match ends there, -1 if there is none
	start   int64   // of the match
	counts  bool    // the match counts: it is not an empty one right after another
	from    []int32 // for each search that continues: its previous index, or one of the values above
}

// stepper runs searches symbol by symbol.
type stepper struct {
	nfa     *nfa
	visited threadSet // by the current search
	starts  []int64   // of the visited nodes
	reading threadSet // nodes from which some search reads the symbol
	reached threadSet // nodes that the symbol leads to
	stack   []thread
	from    []int32
	steps   int // nodes visited
}

type thread struct {
	id    int32
	start int64
}

func newStepper(n *nfa) *stepper {
	size := len(n.nodes)
	return &stepper{nfa: n, visited: newThreadSet(size), starts: make([]int64, size),
		reading: newThreadSet(size), reached: newThreadSet(size)}
}

// step reads the symbol after a position and stores the searches after it in out.
func (p *stepper) step(in, out *searches, sym symbol, pos int64) event {
	at := around{in.before, contextOfSymbol(sym)}
	out.reset()
	out.before = at.after
	p.reading.dense, p.reached.dense, p.from = p.reading.dense[:0], p.reached.dense[:0], p.from[:0]
	e := event{matched: -1}
	for k := range in.ends {
		lo, hi := in.of(k)
		p.visited.dense = p.visited.dense[:0]
		for i := lo; i < hi; i++ {
			p.close(thread{in.threads[i], in.starts[i]}, at, pos)
		}
		found := p.read(out, sym)
		if out.cut() {
			p.from = append(p.from, int32(k))
		}
		if found {
			e.matched, e.start, e.counts = k, p.starts[p.nfa.match], !in.afterMatch
			p.begin(out, sym, at, pos, e.counts)
			break
		}
	}
	e.from = p.from
	return e
}

// begin adds the search that follows a match.
func (p *stepper) begin(out *searches, sym symbol, at around, pos int64, counts bool) {
	empty := !counts
	if counts {
		p.visited.dense = p.visited.dense[:0]
		p.close(thread{p.nfa.scan, -1}, at, pos)
		empty = p.read(out, sym)
		if out.cut() {
			p.from = append(p.from, atMatch)
		}
	}
	if !empty {
		return
	}
	skip := p.nfa.nodes[p.nfa.scan].alt
	p.visited.dense = p.visited.dense[:0]
	p.visited.add(skip)
	p.starts[skip] = -1
	p.read(out, sym)
	if out.cut() {
		p.from = append(p.from, runeLater)
	}
}

// close visits the nodes that a thread leads to without reading, best first.
func (p *stepper) close(t thread, at around, pos int64) {
	p.stack = append(p.stack[:0], t)
	for len(p.stack) > 0 {
		t := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		for t.id >= 0 && !p.visited.has(t.id) {
			p.visited.add(t.id)
			p.starts[t.id] = t.start
			nd := &p.nfa.nodes[t.id]
			switch {
			case t.id == p.nfa.scan:
				p.stack = append(p.stack, thread{nd.alt, -1})
				t = thread{nd.out, pos}
			case nd.op == opSplit:
				p.stack = append(p.stack, thread{nd.alt, t.start})
				t.id = nd.out
			case nd.op == opAssert && holds(nd.assert, at.before, at.after):
				t.id = nd.out
			default:
				t.id = none
			}
		}
	}
	p.steps += len(p.visited.dense)
}

// read lets the visited threads read, up to one that matches, and reports whether one does.
func (p *stepper) read(out *searches, sym symbol) bool {
	for _, id := range p.visited.dense {
		nd := &p.nfa.nodes[id]
		switch {
		case nd.op == opMatch:
			return true
		case nd.op != opBytes && nd.op != opRune || p.reading.has(id):
			continue
		}
		p.reading.add(id)
		if to := p.nfa.target(nd, sym); to >= 0 && !p.reached.has(to) {
			p.reached.add(to)
			out.threads, out.starts = append(out.threads, to), append(out.starts, p.starts[id])
		}
	}
	return false
}
