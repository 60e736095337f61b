package regex

// The automaton of searches does not know where a match begins. To find out, the program runs
// backwards from the match's end, through the part of the line that is in memory. If that leads to
// the first byte of the part, the match began before it. Then the answer is in the threads that
// were in progress there, whose starts were found in the same way when the part before ended.

// locate finds where a match starts.
func (w *window) locate(m *match) {
	if m.start >= 0 {
		return
	}
	at := int(m.end - w.base)
	after := afterLineFeed
	if at < len(w.b) {
		after = contextOf(w.b[at])
	}
	m.start = w.startOf(w.re.nfa.match, after, at, search{lo: m.lo, origin: m.origin})
}

// leave records the searches in progress at b[i], with the starts of their matches.
func (w *window) leave(cur ref, i int) {
	for k := range w.waiting {
		w.locate(&w.waiting[k])
	}
	q := &w.then
	q.setTo(w.chain.at(cur))
	if i > 0 {
		q.before = contextOf(w.b[i-1])
	} else {
		q.before = w.now.before
	}
	if !w.counting {
		for k := range q.ends {
			lo, hi := q.of(k)
			for t := lo; t < hi; t++ {
				q.starts[t] = w.startOf(q.threads[t], unknownContext, i, w.live[k])
			}
		}
	}
	w.now, w.then = w.then, w.now
	w.Off = w.base + int64(i)
}

// startOf returns where the match of a thread starts that is at node id and at b[at:], -1 if it has
// not begun.
func (w *window) startOf(id int32, after context, at int, g search) int64 {
	if id >= w.re.nfa.scanFrom {
		return -1
	}
	d := w.rev
	if d == nil {
		panic("thresh: bug: no way back")
	}
	cur := d.startAt(id, after)
	low := max(0, int(g.lo-w.base))
	start, i := int64(-1), at
	for ; i > low; i-- {
		sym, _ := d.nfa.symbolAt(w.b, i-1)
		next := d.follow(cur, sym)
		w.work++
		if next == dead {
			return start
		}
		if next&matched == matched {
			start = w.base + int64(i)
		}
		cur = next
	}
	before := w.now.before
	if i > 0 {
		before = contextOf(w.b[i-1])
	}
	st := &d.states[int(cur&rowMask)/d.stride]
	set := d.closeReversed(st.threads, around{before, st.before})
	if i == 0 && g.origin >= 0 {
		lo, hi := w.now.of(g.origin)
		for t := lo; t < hi; t++ {
			if set.has(w.now.threads[t]) && w.now.starts[t] >= 0 {
				return w.now.starts[t]
			}
		}
	}
	if i >= low && i <= at && set.has(d.nfa.start) {
		start = w.base + int64(i)
	}
	return start
}

// startAt returns the state of the reversed automaton at a single node.
func (d *dfa) startAt(id int32, after context) ref {
	d.list.dense = append(d.list.dense[:0], id)
	return d.state(&d.list, false, after)
}
