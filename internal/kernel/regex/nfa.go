package regex

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// The expression is compiled by the standard library's regexp/syntax, whose program gives the
// priorities of the threads, and then expanded to bytes: each rune class becomes a small tree of
// byte ranges. Matches do not span a line feed, so the line feed is removed from every class, and ^
// \A and $ \z match at the edges of a line.
//
// In the standard library a byte that is not part of valid UTF-8 reads as U+FFFD. Deciding whether
// a byte is takes up to three bytes of lookahead, which a thread of this program does not have. So
// a class that contains U+FFFD has two ways. The edges for malformed sequences lead to quit: an
// automaton that meets them returns to where it last was between two runes and decodes from there,
// reading each malformed byte as the symbol malformed.

type opcode uint8

const (
	opFail   opcode = iota
	opMatch         // a match ends here
	opSplit         // continues at out, and with lower priority at alt, without reading
	opAssert        // continues at out if the context of the position satisfies it
	opBytes         // reads one byte and goes where its edge leads
	opRune          // reads one rune and continues at out; only in programs over runes
)

// symbol is what a program reads: a byte or malformed; in a program over runes, a rune or
// malformed.
type symbol rune

// malformed is a byte that is not part of valid UTF-8. No byte and no rune has its value.
const malformed symbol = -1

// quit is the target of edges that read malformed UTF-8; none means no target.
const (
	quit int32 = -1
	none int32 = -2
)

type edge struct {
	lo, hi byte
	to     int32
}

type node struct {
	op       opcode
	assert   syntax.EmptyOp
	out, alt int32
	bad      int32        // where a malformed byte leads
	edges    []edge       // disjoint, in ascending order
	inst     *syntax.Inst // of opRune; nil reads any rune
	asserts  bool         // an assertion can be reached without reading
}

// nfa is a program over bytes, or over runes. It is immutable once compiled.
type nfa struct {
	nodes    []node
	runes    bool  // reads runes, not bytes
	start    int32 // of a match that begins here
	scan     int32 // of the first match that begins here or later
	scanFrom int32 // nodes from here on belong to the loop of scan
	match    int32 // the only opMatch node, none if there is none
	asserts  bool  // some node is opAssert
	words    bool  // some assertion tests for word characters
	canQuit  bool  // some edge leads to quit
	nullable bool  // some match may be empty
	neverHit bool  // no match is possible
}

// maxNodes bounds the program of one expression: about 15 MB. Larger ones, such as a thousand
// repetitions of a large Unicode class, become programs over runes.
const maxNodes = 100_000

// builder compiles a program of regexp/syntax into an nfa.
type builder struct {
	n      *nfa
	prog   *syntax.Prog
	ids    []int32          // of each instruction of prog, none until seen
	shared map[string]int32 // opBytes nodes by their edges
}

// newNFA returns the byte program of prog, nil if it would need more than maxNodes.
func newNFA(prog *syntax.Prog) *nfa {
	c := &builder{n: &nfa{match: none}, prog: prog, shared: map[string]int32{}}
	c.ids = slices.Repeat([]int32{none}, len(prog.Inst))
	todo := []uint32{uint32(prog.Start)}
	c.n.start = c.id(uint32(prog.Start), &todo)
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		c.inst(pc, &todo)
		if len(c.n.nodes) > maxNodes {
			return nil
		}
	}
	isMatch := func(nd *node) bool { return nd.op == opMatch }
	c.n.nullable = c.n.reaches(isMatch, false)
	c.n.neverHit = !c.n.reaches(isMatch, true)
	c.addScan()
	c.n.markAsserting()
	return c.n
}

func (c *builder) add(nd node) int32 {
	c.n.nodes = append(c.n.nodes, nd)
	return int32(len(c.n.nodes) - 1)
}

// id returns the node of an instruction. It reserves the node, and adds the instruction to todo,
// the first time.
func (c *builder) id(pc uint32, todo *[]uint32) int32 {
	if c.ids[pc] == none {
		c.ids[pc] = c.add(node{})
		*todo = append(*todo, pc)
	}
	return c.ids[pc]
}

func (c *builder) inst(pc uint32, todo *[]uint32) {
	in := &c.prog.Inst[pc]
	nd := node{out: none, alt: none, bad: none}
	switch in.Op {
	case syntax.InstFail:
	case syntax.InstMatch:
		nd.op = opMatch
		c.n.match = c.ids[pc]
	case syntax.InstAlt, syntax.InstAltMatch:
		nd.op, nd.out, nd.alt = opSplit, c.id(in.Out, todo), c.id(in.Arg, todo)
	case syntax.InstCapture, syntax.InstNop:
		nd.op, nd.out = opSplit, c.id(in.Out, todo)
	case syntax.InstEmptyWidth:
		nd.op, nd.out, nd.assert = opAssert, c.id(in.Out, todo), syntax.EmptyOp(in.Arg)
		c.n.asserts = true
		if nd.assert&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			c.n.words = true
		}
	default:
		out := c.id(in.Out, todo)
		pairs := runesOf(in)
		nd.op, nd.edges = opBytes, c.class(pairs, out)
		if contains(pairs, utf8.RuneError) {
			nd.bad = out
		}
	}
	c.n.nodes[c.ids[pc]] = nd
}

// addScan adds the loop that lets a match begin later: at any byte, or at any rune if it matters
// where runes begin.
func (c *builder) addScan() {
	loop := c.add(node{})
	c.n.scanFrom = loop
	step := node{op: opBytes, out: none, alt: none, bad: none}
	if c.n.canQuit || c.n.nullable {
		c.n.canQuit = true
		t := tree{c: c, out: loop, malformed: quit}
		step.edges, step.bad = t.root([]rune{0, unicode.MaxRune}), loop
	} else {
		step.edges = []edge{{0, 255, loop}}
	}
	c.n.nodes[loop] = node{op: opSplit, out: c.n.start, alt: c.add(step), bad: none}
	c.n.scan = loop
}

// newRuneNFA returns the same program over runes, with one node per instruction.
func newRuneNFA(prog *syntax.Prog) *nfa {
	n := &nfa{runes: true, canQuit: true, match: none, start: int32(prog.Start)}
	for i := range prog.Inst {
		in := &prog.Inst[i]
		nd := node{out: int32(in.Out), alt: none, bad: none}
		switch in.Op {
		case syntax.InstFail:
		case syntax.InstMatch:
			nd.op, n.match = opMatch, int32(i)
		case syntax.InstAlt, syntax.InstAltMatch:
			nd.op, nd.alt = opSplit, int32(in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			nd.op = opSplit
		case syntax.InstEmptyWidth:
			nd.op, nd.assert = opAssert, syntax.EmptyOp(in.Arg)
			n.asserts = true
		default:
			nd.op, nd.inst = opRune, in
		}
		n.nodes = append(n.nodes, nd)
	}
	n.scanFrom = int32(len(n.nodes))
	n.scan = n.scanFrom
	n.nodes = append(n.nodes, node{op: opSplit, out: n.start, alt: n.scan + 1, bad: none},
		node{op: opRune, out: n.scan, alt: none, bad: none})
	n.markAsserting()
	return n
}

// target returns the node after a symbol; none or quit if there is none.
func (n *nfa) target(nd *node, sym symbol) int32 {
	switch {
	case n.runes && nd.op == opRune:
		if nd.inst == nil || reads(nd.inst, sym) {
			return nd.out
		}
		return none
	case sym == malformed:
		return nd.bad
	}
	return target(nd.edges, byte(sym))
}

// symbolAt returns what the program reads at b[i], and its length in bytes. b must contain the
// whole rune that the byte may be part of.
func (n *nfa) symbolAt(b []byte, i int) (symbol, int) {
	switch c := b[i]; {
	case c < utf8.RuneSelf:
		return symbol(c), 1
	case n.runes:
		r, width := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && width == 1 {
			return malformed, 1
		}
		return symbol(r), width
	case n.canQuit && !within(b, i):
		return malformed, 1
	default:
		return symbol(c), 1
	}
}

// within reports whether the byte at b[i] is part of a valid rune.
func within(b []byte, i int) bool {
	for lead := i; lead >= max(0, i-utf8.UTFMax+1); lead-- {
		if utf8.RuneStart(b[lead]) {
			r, width := utf8.DecodeRune(b[lead:])
			return (r != utf8.RuneError || width > 1) && lead+width > i
		}
	}
	return false
}

func reads(in *syntax.Inst, sym symbol) bool {
	if in.Op == syntax.InstRuneAny || in.Op == syntax.InstRuneAnyNotNL {
		return true // a line feed ends the line
	}
	if sym == malformed {
		sym = utf8.RuneError
	}
	return sym != '\n' && in.MatchRune(rune(sym))
}

// markAsserting marks the nodes from which an assertion can be reached without reading.
func (n *nfa) markAsserting() {
	into := make([][]int32, len(n.nodes))
	var todo []int32
	for i := range n.nodes {
		switch nd := &n.nodes[i]; nd.op {
		case opAssert:
			todo = append(todo, int32(i))
		case opSplit:
			for _, to := range []int32{nd.out, nd.alt} {
				if to >= 0 {
					into[to] = append(into[to], int32(i))
				}
			}
		}
	}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if nd := &n.nodes[id]; !nd.asserts {
			nd.asserts = true
			todo = append(todo, into[id]...)
		}
	}
}

// reaches reports whether a node that satisfies fits can be reached from the start: without
// reading, or, with reading, at all.
func (n *nfa) reaches(fits func(*node) bool, reading bool) bool {
	seen := make([]bool, len(n.nodes))
	todo := []int32{n.start}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if id < 0 || seen[id] {
			continue
		}
		seen[id] = true
		nd := &n.nodes[id]
		if fits(nd) {
			return true
		}
		if nd.op == opSplit || nd.op == opAssert {
			todo = append(todo, nd.out, nd.alt)
		}
		if reading {
			for _, e := range nd.edges {
				todo = append(todo, e.to)
			}
		}
	}
	return false
}

// runesOf returns the runes that an instruction reads, except the line feed, as sorted pairs of
// first and last.
func runesOf(in *syntax.Inst) []rune {
	var pairs []rune
	switch {
	case in.Op == syntax.InstRuneAny, in.Op == syntax.InstRuneAnyNotNL:
		pairs = []rune{0, unicode.MaxRune}
	case len(in.Rune) == 1:
		pairs = []rune{in.Rune[0], in.Rune[0]}
		if in.Op == syntax.InstRune && syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
			for r := unicode.SimpleFold(in.Rune[0]); r != in.Rune[0]; r = unicode.SimpleFold(r) {
				pairs = append(pairs, r, r)
			}
		}
	default:
		pairs = slices.Clone(in.Rune)
	}
	return withoutLineFeed(sortPairs(pairs))
}

func sortPairs(pairs []rune) []rune {
	spans := make([][2]rune, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		spans = append(spans, [2]rune{pairs[i], pairs[i+1]})
	}
	slices.SortFunc(spans, func(a, b [2]rune) int { return int(a[0] - b[0]) })
	pairs = pairs[:0]
	for _, s := range spans {
		pairs = append(pairs, s[0], s[1])
	}
	return pairs
}

func withoutLineFeed(pairs []rune) []rune {
	var kept []rune
	for i := 0; i < len(pairs); i += 2 {
		lo, hi := pairs[i], pairs[i+1]
		if lo > '\n' || hi < '\n' {
			kept = append(kept, lo, hi)
			continue
		}
		if lo < '\n' {
			kept = append(kept, lo, '\n'-1)
		}
		if hi > '\n' {
			kept = append(kept, '\n'+1, hi)
		}
	}
	return kept
}

func contains(pairs []rune, r rune) bool {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] <= r && r <= pairs[i+1] {
			return true
		}
	}
	return false
}

// class returns the edges that read one rune of the pairs, in UTF-8, and lead to out. A class that
// contains U+FFFD also gets edges to quit for anything that is not valid UTF-8.
func (c *builder) class(pairs []rune, out int32) []edge {
	t := tree{c: c, out: out, malformed: none}
	if contains(pairs, utf8.RuneError) {
		t.malformed = quit
		c.n.canQuit = true
	}
	return t.root(pairs)
}
