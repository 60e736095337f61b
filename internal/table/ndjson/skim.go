package ndjson

import (
	"bytes"
	"encoding/binary"

	"github.com/thresh-dev/thresh/internal/kernel/jsonscan"
	"github.com/thresh-dev/thresh/internal/kernel/utf8"
)

// Lines of which all is valid are skimmed: a grammar checks them by bit masks, 64 bytes at once, and lists the
// keys that are no deeper than the wanted ones. Then only those, and the wanted values, are looked at one by one. Lines
// near a place that the grammar does not accept are read by walking over all their tokens.

// span is a part of the text.
type span struct{ from, to int }

// skimmer is the part of a Locator that skims a text.
type skimmer struct {
	scan    jsonscan.LinesFunc
	grammar grammar
	lines   [jsonscan.TileBytes / jsonscan.BlockBytes]jsonscan.Line
	last    [jsonscan.BlockBytes]byte

	proven   int    // the lines before this place are valid, but
	declined []span // not those that touch these
	nth      int    // the next one of them
	key      int    // the next key
	at       jsonscan.State
	wide     bool // some bytes are not ASCII
	seen     bool // all places were seen
}

// skimMax is the length from which on a text is not skimmed: the places of keys need bits for their depth.
const skimMax = 1 << 32 / maxNesting

// skim checks the lines that end in the text.
func (l *Locator) skim() {
	s, text := &l.skimmer, l.text
	s.declined, s.nth, s.key, s.wide = s.declined[:0], 0, 0, false
	s.proven = bytes.LastIndexByte(text, '\n') + 1
	if len(text) >= skimMax {
		s.proven = 0
	}
	s.grammar.found = 0
	s.grammar.begin()
	s.at = jsonscan.State{}
	for at, skip := 0, 0; at < s.proven; {
		end := min(at+jsonscan.TileBytes, s.proven)
		before := s.grammar.found
		if l.skimTile(at, end, skip) {
			at, skip = end, 0
			continue
		}
		feed := end - 1 + bytes.IndexByte(text[end-1:s.proven], '\n')
		s.declined = append(s.declined, span{at + skip, feed + 1})
		s.grammar.found = before
		s.grammar.begin()
		s.at = jsonscan.State{}
		at, skip = (feed+1)&^(jsonscan.BlockBytes-1), (feed+1)&(jsonscan.BlockBytes-1)
	}
	clear(l.ends[(s.proven+jsonscan.BlockBytes-1)/jsonscan.BlockBytes:])
	s.reserve(1)
	s.grammar.keys[s.grammar.found] = ^uint32(0) // behind all lines
	l.wide = s.wide && !l.valid.Valid(text[:utf8.Whole(text)])
}

// reserve makes room for n more keys.
func (s *skimmer) reserve(n int) {
	if need := s.grammar.found + n; need > len(s.grammar.keys) {
		keys := make([]uint32, 2*need)
		copy(keys, s.grammar.keys[:s.grammar.found])
		s.grammar.keys = keys
	}
}

// skimTile checks the tile [from, end) of the text but its first bytes. A tile begins with a block, and only the last
// one ends within one.
func (l *Locator) skimTile(from, end, skip int) (ok bool) {
	s := &l.skimmer
	s.reserve(len(s.lines) * keysOfBlock)
	var found jsonscan.Found
	scan := func(b []byte, block int) {
		var more jsonscan.Found
		s.at, more = s.scan(b, s.lines[block:], s.at)
		found.Invalid = found.Invalid || more.Invalid
		found.NonASCII = found.NonASCII || more.NonASCII
		found.Escapes = found.Escapes || more.Escapes
	}
	blocks := (end - from + jsonscan.BlockBytes - 1) / jsonscan.BlockBytes
	tile := l.text[from:end]
	done := 0
	if skip > 0 {
		scan(s.padded(tile[skip:min(len(tile), jsonscan.BlockBytes)], skip), 0)
		done = 1
	}
	if whole := len(tile) / jsonscan.BlockBytes; whole > done {
		scan(tile[done*jsonscan.BlockBytes:whole*jsonscan.BlockBytes], done)
		done = whole
	}
	if done < blocks {
		scan(s.padded(tile[done*jsonscan.BlockBytes:], 0), done)
	}
	s.wide = s.wide || found.NonASCII
	ends := l.ends[from/jsonscan.BlockBytes:][:blocks]
	for i := range ends {
		m := &s.lines[i]
		ends[i] = jsonscan.End{Quotes: m.Quotes, Escaped: m.Escaped, Feeds: m.Feeds, Digits: m.Digits}
	}
	return !found.Invalid && s.grammar.check(l.text, from, s.lines[:blocks]) &&
		(!found.Escapes || escapesAreValid(l.text, from, s.lines[:blocks]))
}

// padded returns a block with some bytes at a place, and white space around.
func (s *skimmer) padded(b []byte, at int) []byte {
	for i := range s.last {
		s.last[i] = ' '
	}
	copy(s.last[at:], b)
	return s.last[:]
}

// isProven reports whether the line [from, to) is known to be valid.
func (s *skimmer) isProven(from, to int) bool {
	if to >= s.proven {
		return false
	}
	if len(s.declined) > 0 {
		if s.nth > 0 && s.declined[s.nth-1].to > from { // an earlier line than before
			s.nth = 0
		}
		for s.nth < len(s.declined) && s.declined[s.nth].to <= from {
			s.nth++
		}
		return s.nth == len(s.declined) || to < s.declined[s.nth].from
	}
	return true
}

// pick finds the wanted values in a valid line.
func (l *Locator) pick(text []byte, from int) {
	s := &l.skimmer
	least := uint32(from * maxNesting)
	if s.key > 0 && s.grammar.keys[s.key-1] >= least { // an earlier line than before
		s.key = 0
	}
	for s.grammar.keys[s.key] < least {
		s.key++
	}
	s.key = l.members(text, s.key, uint32(len(text)*maxNesting), l.root, 1)
}

// members finds the wanted values in an object at a depth whose keys are listed from number key on. It returns the
// number of the first key that is in none of its values.
func (l *Locator) members(text []byte, key int, end uint32, n *node, depth uint32) (behind int) {
	for keys := l.skimmer.grammar.keys; ; key++ {
		place := keys[key]
		if place >= end {
			return key
		}
		if deep := place % maxNesting; deep != depth {
			if deep < depth {
				return key
			}
			continue // in a value that is not wanted
		}
		at := int(place/maxNesting) + 1
		to := n.at(text[at:])
		if to == nil {
			continue
		}
		if to.line == l.line { // the key occurs again
			l.forget(to)
		}
		to.line = l.line
		at = spaces(text, at+to.keyBytes+1) + 1
		at = spaces(text, at)
		switch c := text[at]; {
		case c == '[' || len(to.slots) > 0:
			l.value(text, at, to, &to.inside, int(depth))
		case c == '{':
			key = l.members(text, key+1, end, to, depth+1) - 1
		}
	}
}

// at returns the node behind the key, without escapes, that begins a text, nil if no path leads there.
func (n *node) at(text []byte) *node {
	if len(text) < 8 {
		return n.byKey(text[:max(0, bytes.IndexByte(text, '"'))])
	}
	begin := binary.LittleEndian.Uint64(text)
	for i := range n.steps {
		if s := &n.steps[i]; (begin^s.begin)&s.mask == 0 &&
			(len(s.key) < 8 || len(text) > len(s.key) && string(text[:len(s.key)]) == s.key && text[len(s.key)] == '"') {
			return s.to
		}
	}
	return nil
}
