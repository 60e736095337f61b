package quantiles

import (
	"errors"
	"iter"
	"math"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// arena holds chunks: a head word and values. The head holds the position of the previous
// chunk, the capacity in values, and the number of values. A position is the index of a word;
// no chunk is at position 0.
type arena struct {
	slabs  [][]uint64
	mapped [][]byte // the memory of some slabs, which are not Go memory
	next   uint32   // the first free word
}

const (
	slabBits  = 18 // 2 MiB: a huge page
	slabWords = 1 << slabBits

	usedBits = 16
	roomBits = 16
	usedMask = 1<<usedBits - 1
)

// chunkMax is the largest capacity of a chunk. The first chunk of a group has a capacity of 1,
// each further chunk one of 2n+1, where n is the capacity of the chunk before.
var chunkMax = threshold.New("values: chunk", 255, 1)

func (a *arena) add(handle *uint64, v uint64) {
	at := uint32(*handle)
	if at != 0 {
		slab := a.slabs[at>>slabBits]
		off := at % slabWords
		head := slab[off]
		used := uint32(head & usedMask)
		if used < uint32(head>>usedBits&usedMask) {
			slab[off+1+used] = v
			slab[off] = head + 1
			return
		}
	}
	at = a.grow(at)
	chunk := a.slabs[at>>slabBits][at%slabWords:]
	chunk[1] = v
	chunk[0]++
	*handle = uint64(at)
}

// grow makes a chunk after the chunk before, or the first chunk of a group if that is 0.
func (a *arena) grow(before uint32) uint32 {
	room := uint32(1)
	if before != 0 {
		room = min(2*uint32(a.slabs[before>>slabBits][before%slabWords]>>usedBits&usedMask)+1, uint32(chunkMax.Get()))
	}
	if left := slabWords - a.next%slabWords; a.next == 0 || left < room+1 || a.next>>slabBits == uint32(len(a.slabs)) {
		a.next = a.slab()
	}
	at := a.next
	a.next += room + 1
	a.slabs[at>>slabBits][at%slabWords] = uint64(before)<<(usedBits+roomBits) | uint64(room)<<usedBits
	return at
}

// slab moves on to the next slab, and returns the position of its first usable word.
func (a *arena) slab() uint32 {
	next := (a.next + slabWords - 1) >> slabBits
	if next == uint32(len(a.slabs)) {
		if next == 1<<(32-slabBits) {
			panic("thresh: bug: more values in memory than places have bits for")
		}
		a.slabs = append(a.slabs, a.newSlab())
	}
	if next == 0 {
		return 1
	}
	return next << slabBits
}

// smallSlabs is how many slabs lie in small pages: few values use little of them. Later ones get huge pages,
// as values of many groups go to as many places at once.
const smallSlabs = 2

func (a *arena) newSlab() []uint64 {
	if len(a.slabs) >= smallSlabs {
		if m, err := anon.Map(slabWords * wordBytes); err == nil { // otherwise Go's memory is as good, but slower
			a.mapped = append(a.mapped, m)
			return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(m))), slabWords)
		}
	}
	return make([]uint64, slabWords)
}

// close frees the memory. The arena is then empty.
func (a *arena) close() (err error) {
	for _, m := range a.mapped {
		err = errors.Join(err, anon.Unmap(m))
	}
	*a = arena{}
	return err
}

// reset drops all chunks. It frees their memory at once instead of waiting for the garbage
// collector: the groups themselves may need the memory now.
func (a *arena) reset() {
	for _, slab := range a.slabs[:min(len(a.slabs), int((uint64(a.next)+slabWords-1)>>slabBits))] {
		anon.Discard(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(slab))), slabWords*wordBytes))
	}
	a.next = 0
}

// full is when an arena counts as full: one more batch of records might exhaust the positions.
const full = 1<<32 - 4*records.Max*records.Max

func (a *arena) bytes() int64 {
	if a.next >= full {
		return math.MaxInt64 / 2
	}
	return int64(a.next) * wordBytes
}

// chunks yields the values of a chain chunk by chunk, from the last chunk backwards.
func (c chain) chunks() iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		for at := c.last; at != 0; {
			chunk := c.arena.slabs[at>>slabBits][at%slabWords:]
			head := chunk[0]
			if !yield(chunk[1 : 1+head&usedMask]) {
				return
			}
			at = uint32(head >> (usedBits + roomBits))
		}
	}
}

func (c chain) len() (n int64) {
	for at := c.last; at != 0; {
		head := c.arena.slabs[at>>slabBits][at%slabWords]
		n += int64(head & usedMask)
		at = uint32(head >> (usedBits + roomBits))
	}
	return n
}
