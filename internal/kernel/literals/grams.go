package literals

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// grams is the filter for any number of literals. A gram is a few consecutive bytes of a literal.
// For each literal it knows as many consecutive grams as the stride is long. So wherever the
// literal occurs, one of them begins at a multiple of the stride, and the text needs to be examined
// only there:
//
//	for each place i that is a multiple of the stride:
//	    does the gram at i look like one that is known?      two bits of a table
//	    which literals may it belong to, and how far in?     a larger table
//	    mark i less those distances
//
// So the time per byte falls as the stride grows; the shortest literal limits the stride. It hardly
// depends on the number of literals.
type grams struct {
	width  int    // bytes of a gram
	stride int    // from one examined place to the next
	factor uint64 // multiplies a word to its hash, to which only the bytes of the gram contribute
	spell  uint64 // ored to a word first: the case bit, if case is ignored

	unknown []uint8 // a byte with zero bits for each gram: a Bloom filter
	shift   uint    // from a hash to the index of its byte

	slots     []slot // a hash table with linear probing; slot 0 follows the last
	slotShift uint   // from a hash to the index of the slot to try first

	// The last eight bytes that all texts have, counted from the start, distinguish texts that
	// share grams. A bit is set for each hash of these bytes in some text.
	tail      int // where these eight bytes begin; negative if the shortest text is shorter
	tails     []uint64
	tailShift uint
}

// slot is part of the hash of a gram, and how far it is from the start of the literals that contain
// it: bit d is set for d bytes. An empty slot has no bit set.
type slot struct{ tag, starts uint32 }

const (
	gramMost   = 8       // bytes of a gram
	strideMost = 16      // more would gain little
	reachMost  = 32      // bytes from the start of a literal within which its grams begin
	gramsMost  = 1 << 16 // more would make the tables too large for the caches; longer grams help more
)

// gramStride returns a stride for n literals, given the length of the shortest and the number of
// different bytes in all of them. It is as long as possible with few grams occurring in texts by
// chance.
func gramStride(n, shortest, alphabet int) int {
	texts := 1.0
	for width := 1; ; width++ {
		texts *= float64(max(alphabet, 2))
		stride := min(shortest-width+1, strideMost, max(gramsMost/n, 1))
		if rare := texts >= 16*float64(n*stride); rare && width >= 3 || width >= min(shortest, gramMost) {
			return stride
		}
	}
}

// newGrams returns the filter for these texts, none of which is shorter than shortest. With fold,
// letters match in either case.
func newGrams(texts [][]byte, shortest int, fold bool) *grams {
	f := &grams{}
	if fold {
		f.spell = 0x2020202020202020
	}
	var seen [256]bool
	alphabet := 0
	for _, text := range texts {
		for _, c := range text {
			if c |= byte(f.spell); !seen[c] {
				seen[c] = true
				alphabet++
			}
		}
	}
	f.stride = gramStride(len(texts), shortest, alphabet)
	f.width = min(shortest-f.stride+1, gramMost)
	f.factor = spread << (64 - 8*f.width)
	f.size(len(texts) * f.stride)
	log := min(max(bits.Len(uint(16*len(texts))), 9), bytesMostLog+3)
	f.tails, f.tailShift = make([]uint64, 1<<log/64), uint(64-log)
	f.tail = shortest - 8
	crowd := f.crowds(texts)
	for _, text := range texts {
		if f.tail >= 0 {
			h := f.hashTail(text)
			f.tails[h/64] |= 1 << (h % 64)
		}
		first := f.best(text, crowd)
		for d := first; d < first+f.stride; d++ {
			f.add(f.hash(text[d:]), d)
		}
	}
	return f
}

// size allocates tables for n grams.
func (f *grams) size(n int) {
	log := min(max(bits.Len(uint(2*n)), 9), bytesMostLog)
	f.unknown, f.shift = slices.Repeat([]uint8{0xff}, pairs+1<<log), uint(64-log)
	for i := range pairs {
		f.unknown[i] = 1<<(i%8) | 1<<((i+1+i/8%7)%8)
	}
	log = bits.Len(uint(2 * n))
	f.slots, f.slotShift = make([]slot, 1<<log), uint(64-log)
}

// hash returns the hash of the first gram of b. Its upper bits depend on all bytes of the gram; the
// multiplication shifts the bytes after it out of the word. b must hold the gram.
func (f *grams) hash(b []byte) uint64 {
	if len(b) >= 8 {
		return (binary.LittleEndian.Uint64(b) | f.spell) * f.factor
	}
	var word [8]byte
	copy(word[:], b)
	return (binary.LittleEndian.Uint64(word[:]) | f.spell) * f.factor
}

const spread = 0x9e3779b97f4a7c15

// The bits of a hash below the byte's index, for the largest filter, select which two bits of the
// byte count.
const (
	pairShift = 64 - bytesMostLog - 6
	pairs     = 1 << 6 // the first entries of the table are pairs of bits

	bytesMostLog = 17 // half of what one thread has of a usual second-level cache
)

// add adds a gram to the filter, by its hash; start is how far into the literal it begins.
func (f *grams) add(h uint64, start int) {
	f.unknown[h>>f.shift+pairs] &^= f.unknown[h>>pairShift%pairs]
	at := f.find(h)
	f.slots[at].tag = tag(h)
	f.slots[at].starts |= 1 << start
}

// tag is the part of a hash that a slot holds.
func tag(h uint64) uint32 { return uint32(h >> 32) }

// find returns the slot of a hash, or the empty one where it would go.
func (f *grams) find(h uint64) int {
	at := int(h >> f.slotShift)
	for f.slots[at].starts != 0 && f.slots[at].tag != tag(h) {
		at = (at + 1) & (len(f.slots) - 1)
	}
	return at
}

// hashTail returns the hash of the tail, if a text begins at b.
func (f *grams) hashTail(b []byte) uint64 {
	return (binary.LittleEndian.Uint64(b[f.tail:]) | f.spell) * spread >> f.tailShift
}

// ends reports whether, by its tail, b may begin with a text.
func (f *grams) ends(b []byte) bool {
	if f.tail < 0 || len(b) < f.tail+8 {
		return f.tail < 0
	}
	h := f.hashTail(b)
	return f.tails[h/64]>>(h%64)&1 != 0
}

// crowds counts, per bucket of hashes, the grams of all texts.
type crowds [1 << 14]uint32

func (c *crowds) at(hash uint64) *uint32 { return &c[hash>>(64-14)] }

func (f *grams) crowds(texts [][]byte) *crowds {
	c := new(crowds)
	for _, text := range texts {
		for d := range f.places(text) {
			*c.at(f.hash(text[d:]))++
		}
	}
	return c
}

// places returns how many grams of a text can be used.
func (f *grams) places(text []byte) int { return min(len(text), reachMost) - f.width + 1 }

// best returns where to take the grams of a text: where they are least shared with other texts, and
// so not in a date that all of them begin with.
func (f *grams) best(text []byte, c *crowds) (first int) {
	var sum, least uint64
	for d := range f.places(text) {
		sum += uint64(*c.at(f.hash(text[d:])))
		begin := d - f.stride + 1
		if begin > 0 {
			sum -= uint64(*c.at(f.hash(text[begin-1:])))
		}
		if begin == 0 || begin > 0 && sum < least {
			first, least = begin, sum
		}
	}
	return first
}

// mark marks the places in b[:starts] where one of the texts may begin.
func (f *grams) mark(b []byte, starts int, marks *[blockWords]uint64) {
	end := min(len(b)-f.width+1, starts+reachMost) // of the places to examine
	at, whole := 0, min(end, len(b)-7)             // whole: where a word can be read
	var list [listMost]int32
	for at < whole {
		stop := min(whole, at+listMost*f.stride)
		for _, i := range list[:f.list(b, at, stop, &list)] {
			f.look(b, f.hash(b[i:]), int(i), starts, marks)
		}
		at += (stop - at + f.stride - 1) / f.stride * f.stride
	}
	for ; at < end; at += f.stride {
		f.look(b, f.hash(b[at:]), at, starts, marks)
	}
}

// listMost is how many places are examined before the candidates among them are followed up.
const listMost = 256

// list lists the places from at to below stop whose grams seem to be known, and returns how many
// there are. No branch in it depends on the text.
func (f *grams) list(b []byte, at, stop int, list *[listMost]int32) int {
	base, to := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(list)
	table := unsafe.Pointer(unsafe.SliceData(f.unknown))
	factor, spell, shift, stride, n := f.factor, f.spell, f.shift&63, f.stride, uintptr(0)
	for ; at < stop; at += stride {
		h := (binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(base, at))[:]) | spell) * factor
		*(*int32)(unsafe.Add(to, n)) = int32(at)
		zeros := *(*uint8)(unsafe.Add(table, h>>shift+pairs)) & *(*uint8)(unsafe.Add(table, h>>pairShift%pairs))
		n += uintptr((uint32(zeros)-1)>>31) * 4 // advance only if both bits are zero
	}
	return int(n / 4)
}

// look marks the places where texts begin that have the gram with hash h at place at.
func (f *grams) look(b []byte, h uint64, at, starts int, marks *[blockWords]uint64) {
	for d := f.slots[f.find(h)].starts; d != 0; d &= d - 1 {
		if start := at - bits.TrailingZeros32(d); uint(start) < uint(starts) && f.ends(b[start:]) {
			marks[start/64%blockWords] |= 1 << (start % 64)
		}
	}
}
