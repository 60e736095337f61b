package regex

import (
	"encoding/binary"
	"unicode/utf8"
)

// tree expands a rune class to nodes that read bytes. Equal nodes are shared, so the tails of the
// many ranges of a class like \pL exist only once.
type tree struct {
	c         *builder
	out       int32 // where a rune of the class leads
	malformed int32 // where malformed UTF-8 leads: quit or none

	// Nodes for all and for no runes with this many bytes to come, 0 until they exist: node 0 is
	// the start of the program and never a tail.
	all, nothing [4]int32
}

// A lead byte of UTF-8 covers runes from first to last, with tail more bytes. The last and first
// runes of some are malformed: overlong encodings, surrogates, above the maximum.
var leads = []struct {
	lo, hi byte
	tail   int
	bits   byte // of the rune in the lead byte
}{
	{0xC2, 0xDF, 1, 0x1F},
	{0xE0, 0xEF, 2, 0x0F},
	{0xF0, 0xF4, 3, 0x07},
}

const (
	surrogateFirst = 0xD800
	surrogateLast  = 0xDFFF
)

// firstOf returns the lowest rune whose UTF-8 encoding has tail bytes after the lead byte.
func firstOf(tail int) rune { return [...]rune{0, 0x80, 0x800, 0x10000}[tail] }

// root returns the edges for the first byte.
func (t *tree) root(pairs []rune) []edge {
	var edges []edge
	for r := rune(0); r < utf8.RuneSelf; r++ {
		if contains(pairs, r) {
			edges = appendEdge(edges, byte(r), t.out)
		}
	}
	for b := 0x80; b < 0xC2; b++ {
		edges = appendEdge(edges, byte(b), t.malformed)
	}
	for _, l := range leads {
		for b := int(l.lo); b <= int(l.hi); b++ {
			base := rune(byte(b)&l.bits) << (6 * l.tail)
			edges = appendEdge(edges, byte(b), t.tail(pairs, base, l.tail, firstOf(l.tail)))
		}
	}
	for b := 0xF5; b <= 0xFF; b++ {
		edges = appendEdge(edges, byte(b), t.malformed)
	}
	return edges
}

// tail returns the node that reads the last n bytes of a rune; base is the lowest such rune. Runes
// below least would be overlong.
func (t *tree) tail(pairs []rune, base rune, n int, least rune) int32 {
	last := base + 1<<(6*n) - 1
	pairs = overlapping(pairs, base, last)
	if len(pairs) == 0 && t.malformed == none {
		return none
	}
	if n == 0 {
		switch {
		case base < least, base > utf8.MaxRune, base >= surrogateFirst && base <= surrogateLast:
			return t.malformed
		case len(pairs) == 0:
			return none
		}
		return t.out
	}
	if last < least || base > utf8.MaxRune || base >= surrogateFirst && last <= surrogateLast {
		return t.malformed
	}
	if base < least || last > utf8.MaxRune || base <= surrogateLast && last >= surrogateFirst {
		return t.node(pairs, base, n, least)
	}
	known := &[4]int32{} // of a mixed tail, which is not kept here
	switch {
	case len(pairs) == 0:
		known = &t.nothing
	case pairs[0] <= base && last <= pairs[1]:
		known = &t.all
	}
	if known[n] == 0 {
		known[n] = t.node(pairs, base, n, least)
	}
	return known[n]
}

// node returns the node that reads the first of n bytes.
func (t *tree) node(pairs []rune, base rune, n int, least rune) int32 {
	var edges []edge
	for b := range 0x80 {
		edges = appendEdge(edges, byte(b), t.malformed)
	}
	for b := range rune(0x40) {
		to := t.tail(pairs, base+b<<(6*(n-1)), n-1, least)
		edges = appendEdge(edges, 0x80+byte(b), to)
	}
	for b := 0xC0; b <= 0xFF; b++ {
		edges = appendEdge(edges, byte(b), t.malformed)
	}
	if len(edges) == 0 {
		return none
	}
	return t.share(edges)
}

// overlapping returns the part of sorted pairs that may overlap lo to hi.
func overlapping(pairs []rune, lo, hi rune) []rune {
	for len(pairs) > 0 && pairs[1] < lo {
		pairs = pairs[2:]
	}
	for len(pairs) > 0 && pairs[len(pairs)-2] > hi {
		pairs = pairs[:len(pairs)-2]
	}
	return pairs
}

// appendEdge adds byte b, joined with the last edge if that leads to the same node.
func appendEdge(edges []edge, b byte, to int32) []edge {
	if to == none {
		return edges
	}
	if last := len(edges) - 1; last >= 0 && edges[last].to == to && edges[last].hi+1 == b {
		edges[last].hi = b
		return edges
	}
	return append(edges, edge{b, b, to})
}

// share returns a node with these edges.
func (t *tree) share(edges []edge) int32 {
	key := make([]byte, 0, 6*len(edges))
	for _, e := range edges {
		key = append(key, e.lo, e.hi)
		key = binary.LittleEndian.AppendUint32(key, uint32(e.to))
	}
	if id, ok := t.c.shared[string(key)]; ok {
		return id
	}
	id := t.c.add(node{op: opBytes, out: none, alt: none, bad: none, edges: edges})
	t.c.shared[string(key)] = id
	return id
}
