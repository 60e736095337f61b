package literals

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// trie holds literals by their first bytes. A byte without a choice has no node of its own; it is
// part of the label of the next node.
type trie struct {
	nodes []node // the first one is the root
	root  [256]int32
}

type node struct {
	label  []byte // the bytes from the node above to this one
	keys   string // the first bytes of the labels of the nodes below
	below  []int32
	id     int32 // of the literal that ends here
	lowest int32 // of the literals that end here or below
}

func newTrie() *trie { return &trie{nodes: []node{{id: none, lowest: none}}} }

// insert adds a literal, whose id is higher than all before. It returns false, and adds nothing, if
// a literal added before matches wherever this one would.
func (t *trie) insert(value []byte, id int32) bool {
	text, at := value, int32(0)
	for {
		n := &t.nodes[at]
		if n.id != none {
			return false
		}
		next := t.child(at, text[0])
		if next == 0 {
			t.add(at, node{label: text, id: id, lowest: id})
			return true
		}
		same := commonPrefix(text, t.nodes[next].label)
		if same < len(t.nodes[next].label) {
			t.split(next, same)
		}
		at, text = next, text[same:]
		if len(text) == 0 {
			if n := &t.nodes[at]; n.id == none {
				n.id = id // lowest remains that of an earlier literal below
				return true
			}
			return false
		}
	}
}

// split inserts a node above one and gives it the first bytes of its label.
func (t *trie) split(at int32, bytes int) {
	lower := t.nodes[at]
	t.nodes[at] = node{label: lower.label[:bytes], id: none, lowest: lower.lowest}
	lower.label = lower.label[bytes:]
	t.add(at, lower)
}

func (t *trie) add(above int32, n node) {
	t.nodes = append(t.nodes, n)
	at := int32(len(t.nodes) - 1)
	if above == 0 {
		t.root[n.label[0]] = at
		return
	}
	up := &t.nodes[above]
	up.keys += string(n.label[:1])
	up.below = append(up.below, at)
}

// child returns the node below whose label begins with b, 0 if there is none.
func (t *trie) child(at int32, b byte) int32 {
	if at == 0 {
		return t.root[b]
	}
	n := &t.nodes[at]
	if i := strings.IndexByte(n.keys, b); i >= 0 {
		return n.below[i]
	}
	return 0
}

// match returns the literal at the start of b, the first given one if there are several, its
// length, and how many bytes were examined.
func (t *trie) match(b []byte) (id int32, n, examined int) {
	id = none
	for next := t.root[b[0]]; next != 0; next = t.child(next, b[examined]) {
		at := &t.nodes[next]
		if at.lowest >= id {
			break
		}
		same := commonPrefix(at.label, b[examined:])
		examined += same
		if same < len(at.label) {
			break
		}
		if at.id < id {
			id, n = at.id, examined
		}
		if examined == len(b) {
			break
		}
	}
	return id, n, examined
}

// matchFold is match for a trie of canonical text and any text b.
func (t *trie) matchFold(b []byte) (id int32, n, examined int) {
	id = none
	var buf [utf8.UTFMax]byte
	at, label := int32(0), []byte(nil)
	for examined < len(b) {
		bytes, size := canonicalRune(b[examined:], &buf)
		if bytes == 0 {
			return id, n, examined
		}
		for _, c := range buf[:bytes] {
			if len(label) == 0 {
				if at = t.child(at, c); at == 0 || t.nodes[at].lowest >= id {
					return id, n, examined + 1
				}
				label = t.nodes[at].label
			}
			if label[0] != c {
				return id, n, examined + 1
			}
			label = label[1:]
		}
		examined += size
		if len(label) == 0 && t.nodes[at].id < id {
			id, n = t.nodes[at].id, examined
		}
	}
	return id, n, examined
}

// commonPrefix returns the length of the common prefix.
func commonPrefix(a, b []byte) int {
	n, i := min(len(a), len(b)), 0
	for ; i+8 <= n; i += 8 {
		if d := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); d != 0 {
			return i + bits.TrailingZeros64(d)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
