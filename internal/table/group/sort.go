package group

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Sorting works on pairs of eight bytes of the key and the number of the entry. The pairs use
// the memory of the slots, which are no longer needed. An in-place radix sort, most
// significant byte first, orders the pairs by their eight bytes (American flag sort: McIlroy,
// Bostic and McIlroy, Engineering Radix Sort, 1993). Pairs with equal bytes get the next eight
// bytes and are sorted again. So a key is read once for every eight bytes that it shares with
// another key.

// pair is an entry to be sorted.
type pair struct {
	prefix uint64 // eight bytes of the key, big endian, zeros after the end of the key
	entry  uint64
}

var (
	fewPairs = threshold.New("group: pairs sorted by insertion", 32, 1) // saves a counting pass
	fewTies  = threshold.New("group: ties sorted by whole keys", 12, 1)
)

// sort sorts the table's entries by key. It overwrites the slots.
func (t *Table) sort() []pair {
	if t.pairs != nil || t.groups == 0 {
		return t.pairs
	}
	pairs := unsafe.Slice((*pair)(unsafe.Pointer(unsafe.SliceData(t.slotWords))), t.groups)
	for i := range pairs {
		pairs[i] = pair{t.keyWord(uint64(i+1), 0), uint64(i + 1)}
	}
	t.sortFrom(pairs, 0)
	t.pairs = pairs
	return pairs
}

// key returns the key of an entry. It copies a short key to b.
func (t *Table) key(e uint64, b *[shortBytes]byte) []byte {
	entry := t.mem[int(e)*t.stride : int(e)*t.stride+headWords]
	if n := uint32(entry[2]); n > shortBytes {
		return t.longKey(entry[2])
	}
	binary.LittleEndian.PutUint64(b[:8], entry[0])
	binary.LittleEndian.PutUint64(b[8:], entry[1])
	return b[:entry[2]]
}

// keyWord returns eight bytes of the key of an entry, from byte 8*depth on. The key must not end
// before that byte.
func (t *Table) keyWord(e uint64, depth int) uint64 {
	at := int(e) * t.stride
	if depth < shortBytes/8 {
		return bits.ReverseBytes64(t.mem[at+depth])
	}
	return binary.BigEndian.Uint64(t.memText[8*(int(t.mem[at+2]>>32)+depth):])
}

// sortFrom sorts pairs whose keys are equal before byte 8*depth, and whose prefixes begin there.
func (t *Table) sortFrom(pairs []pair, depth int) {
	for len(pairs) > 1 {
		sortPrefixes(pairs, 56)
		if pairs[0].prefix != pairs[len(pairs)-1].prefix {
			break
		}
		pairs = t.sortEnded(pairs, depth)
		depth++
	}
	for len(pairs) > 1 {
		n := 1
		for n < len(pairs) && pairs[n].prefix == pairs[0].prefix {
			n++
		}
		if n > 1 {
			t.sortFrom(t.sortEnded(pairs[:n], depth), depth+1)
		}
		pairs = pairs[n:]
	}
}

// sortEnded takes pairs with equal prefixes at depth. It moves the keys that end within these
// bytes to the front: they differ only in zero bytes at their ends, so the shorter key comes
// first. It returns the other pairs, with their next prefixes. If the pairs are few, it sorts
// them by whole keys and returns none.
func (t *Table) sortEnded(pairs []pair, depth int) []pair {
	if len(pairs) <= fewTies.Get() {
		slices.SortFunc(pairs, func(a, b pair) int {
			var x, y [shortBytes]byte
			return bytes.Compare(t.key(a.entry, &x), t.key(b.entry, &y))
		})
		return nil
	}
	ended := 0
	for i, p := range pairs {
		if t.keyLen(p) <= 8*(depth+1) {
			pairs[i], pairs[ended] = pairs[ended], p
			ended++
		}
	}
	slices.SortFunc(pairs[:ended], func(a, b pair) int { return cmp.Compare(t.keyLen(a), t.keyLen(b)) })
	pairs = pairs[ended:]
	for i := range pairs {
		pairs[i].prefix = t.keyWord(pairs[i].entry, depth+1)
	}
	return pairs
}

func (t *Table) keyLen(p pair) int { return int(uint32(t.mem[int(p.entry)*t.stride+2])) }

// sortPrefixes sorts pairs by the low shift+8 bits of their prefixes. The higher bits are equal.
func sortPrefixes(pairs []pair, shift int) {
	if len(pairs) <= fewPairs.Get() {
		insertPrefixes(pairs)
		return
	}
	var ends [256]int
	for i := range pairs {
		ends[byte(pairs[i].prefix>>shift)]++
	}
	if ends[byte(pairs[0].prefix>>shift)] == len(pairs) {
		if shift > 0 {
			sortPrefixes(pairs, shift-8)
		}
		return
	}
	var next [256]int
	at := 0
	for b, n := range ends {
		next[b] = at
		at += n
		ends[b] = at
	}
	for b := range next {
		for next[b] < ends[b] {
			p := pairs[next[b]]
			for to := byte(p.prefix >> shift); int(to) != b; to = byte(p.prefix >> shift) {
				pairs[next[to]], p = p, pairs[next[to]]
				next[to]++
			}
			pairs[next[b]] = p
			next[b]++
		}
	}
	if shift == 0 {
		return
	}
	at = 0
	for _, end := range ends {
		if end-at > 1 {
			sortPrefixes(pairs[at:end], shift-8)
		}
		at = end
	}
}

func insertPrefixes(pairs []pair) {
	for i := 1; i < len(pairs); i++ {
		p := pairs[i]
		j := i
		for ; j > 0 && pairs[j-1].prefix > p.prefix; j-- {
			pairs[j] = pairs[j-1]
		}
		pairs[j] = p
	}
}
