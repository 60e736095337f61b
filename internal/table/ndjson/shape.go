package ndjson

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Most lines have the same keys in the same order, with the same white space around them. So what stood before each
// value of an object, when one was last read at its place, is remembered, and what stands there now is first compared
// with it: sixteen bytes at once instead of byte by byte.

// shape is the keys of the objects at a place of the lines. A nil shape remembers nothing.
type shape struct {
	pairs    []pair
	elements *shape // of the arrays at this place, whose elements are all at one place
}

// pair is what stands before a value: a comma, unless it is the first, the key with its quotes, and the colon.
type pair struct {
	begin, mask [2]uint64 // the first bytes of text
	bytes       int       // of text
	parent      *node     // the place of its object in the tree
	to          *node     // the place of its value
	inside      *shape
	first       bool // before the first value of an object
	text        []byte
}

// At most pairsMax keys of an object are remembered, none that is longer than pairBytesMax, and at most shapesMax
// shapes of values: with hostile lines a megabyte a worker. The next aheadMax keys are compared.
const pairsMax, pairBytesMax, shapesMax, aheadMax = 64, 256, 64, 4

// stands reports whether the pair, or its first 16 bytes, stand in b.
func (p *pair) stands(b []byte) bool {
	x, y := binary.LittleEndian.Uint64(b)^p.begin[0], binary.LittleEndian.Uint64(b[8:])^p.begin[1]
	return x&p.mask[0]|y&p.mask[1] == 0
}

// find returns the pair that stands at a place of the text, and its number, which is nth or a little more: some objects
// lack keys. It returns nil and nth if none of them does.
func (s *shape) find(text []byte, at int, n *node, nth int, first bool) (p *pair, found int) {
	if s == nil {
		return nil, nth
	}
	if at+16 > len(text) {
		return s.findAtEnd(text, at, n, nth, first)
	}
	a, b := binary.LittleEndian.Uint64(text[at:]), binary.LittleEndian.Uint64(text[at+8:])
	for i := nth; i < len(s.pairs) && i < nth+aheadMax; i++ {
		p := &s.pairs[i]
		if (a^p.begin[0])&p.mask[0]|(b^p.begin[1])&p.mask[1] == 0 && p.parent == n && p.first == first &&
			(p.bytes <= 16 || bytes.HasPrefix(text[at+16:], p.text[16:])) {
			return p, i
		}
	}
	return nil, nth
}

// findAtEnd is find at the end of the line.
func (s *shape) findAtEnd(text []byte, at int, n *node, nth int, first bool) (p *pair, found int) {
	for i := nth; i < len(s.pairs) && i < nth+aheadMax; i++ {
		if p := &s.pairs[i]; p.parent == n && p.first == first && bytes.HasPrefix(text[at:], p.text) {
			return p, i
		}
	}
	return nil, nth
}

// remember keeps a pair whose text is that of a line as number nth. It returns nil if there is no room.
func (s *shape) remember(nth int, p pair) *pair {
	if s == nil || nth >= pairsMax || len(p.text) > pairBytesMax {
		return nil
	}
	if len(s.pairs) < pairsMax { // other lines may have the key that stood there
		s.pairs = append(s.pairs, pair{})
		copy(s.pairs[nth+1:], s.pairs[nth:])
	} else {
		p.inside = s.pairs[nth].inside
	}
	var begin, mask [16]byte
	for i := range begin[:copy(begin[:], p.text)] {
		mask[i] = 0xff
	}
	for i := range p.begin {
		p.begin[i], p.mask[i] = binary.LittleEndian.Uint64(begin[8*i:]), binary.LittleEndian.Uint64(mask[8*i:])
	}
	p.text, p.bytes = bytes.Clone(p.text), len(p.text)
	s.pairs[nth] = p
	return &s.pairs[nth]
}

// shape returns the shape that s leads to. It is made when the first object is at its place; nil if there are too many.
func (l *Locator) shape(s **shape) *shape {
	if s == nil {
		return nil
	}
	if *s == nil && l.shapes < shapesMax {
		l.shapes++
		*s = new(shape)
	}
	return *s
}

// Known returns the paths of the keys that are remembered, as they are typed, but those below arrays. Plain says which
// keys need no backquotes.
func (l *Locator) Known(plain func(key string) bool) []string { return l.top.paths(nil, "", plain) }

func (s *shape) paths(known []string, above string, plain func(string) bool) []string {
	if s == nil {
		return known
	}
	for i := range s.pairs {
		_, text, _ := bytes.Cut(s.pairs[i].text, []byte{'"'})
		key := Unescape(nil, text[:bytes.LastIndexByte(text, '"')])
		if path := Join(above, string(key), plain); !slices.Contains(known, path) {
			known = s.pairs[i].inside.paths(append(known, path), path, plain)
		}
	}
	return known
}
