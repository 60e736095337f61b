package flow

import "golang.org/x/tools/go/ssa"

// Pair is what arrives at a copy by one call of the function that has it. Values has what arrives by all of
// them: of a helper that is called with (conn, file) and (stdout, pipe), it does not say that conn never
// meets pipe.
type Pair struct {
	Call     ssa.CallInstruction // nil if it is any call from elsewhere, or does not matter
	Dst, Src []Value
}

// Pairs returns what arrives together at a copy. It is safe for concurrent use.
func (p *Program) Pairs(c Copy) []Pair {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn := c.Call.Parent()
	calls := p.index.callsOf(fn)
	if len(calls) == 0 || len(fn.Params) == 0 {
		return []Pair{{nil, p.values(c.Dst), p.values(c.Src)}}
	}
	t := p.newTrace()
	var pairs []Pair
	for _, call := range calls {
		f := t.enter(call, fn, nil)
		pairs = append(pairs, Pair{call, p.newTrace().follow(c.Dst, f), p.newTrace().follow(c.Src, f)})
	}
	if p.index.hasUnknownCallers(fn) {
		f := t.enter(nil, fn, nil)
		pairs = append(pairs, Pair{nil, p.newTrace().follow(c.Dst, f), p.newTrace().follow(c.Src, f)})
	}
	return pairs
}
