// Package quantiles keeps all numbers of many groups, and selects the number at a rank in
// ascending order. Here a number is a word: a 64-bit integer whose order as an unsigned integer
// is the order of the number that it encodes.
//
// The values of a group are in a chain of chunks, in one arena for all groups of a worker: to
// add a value is to store it. When memory is short, the values are sorted, compressed into
// blocks, and written to a temporary file. Only the smallest and the largest value of a block,
// their number and the block's offset stay in memory. Blocks are never merged. To find a
// rank, the Selector counts how many values fall into each of some thousand ranges, and then
// looks closer at the range that holds the rank. So most blocks are read once or twice, and
// some not at all.
package quantiles

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/table/encoded"
	"github.com/thresh-dev/thresh/internal/table/spill"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// A handle identifies the values of a group in its store: 0 for no values; the position of the
// last chunk; or, with setBit, the index of a Set.
const setBit = 1 << 63

// Store keeps the values of the groups of one worker. It belongs to one goroutine at a time. The
// caller must close it.
type Store struct {
	arena   arena
	sets    []Set // values that were read back or merged
	file    *spill.File
	tempDir spill.Dir
	written int64 // values written to the file
	sorter  sorter
	scratch Set
	encoded []byte
}

// Set holds the values of a group: chains in the memory of one or several stores, values that
// were read back, and blocks in files.
type Set struct {
	chains []chain
	few    []uint64
	blocks []block
}

// chain is the values of a group in a store's memory, from the last chunk backwards.
type chain struct {
	arena *arena
	last  uint32
}

// New returns an empty store that spills to a folder.
func New(tempDir spill.Dir) *Store { return &Store{tempDir: tempDir} }

// Add adds a value to the values of a handle, and updates the handle.
func (s *Store) Add(handle *uint64, v uint64) { s.arena.add(handle, v) }

// signBit turns the order of signed integers into that of unsigned ones.
const signBit = 1 << 63

// FromInt returns the word that encodes an integer.
func FromInt(v int64) uint64 { return uint64(v) ^ signBit }

// ToInt returns the integer that a word encodes.
func ToInt(w uint64) int64 { return int64(w ^ signBit) }

// FromFloat returns the word that encodes a float64. f must not be NaN.
func FromFloat(f float64) uint64 {
	b := math.Float64bits(f + 0) // -0 is 0
	return b ^ (uint64(int64(b)>>63) | signBit)
}

// ToFloat returns the float64 that a word encodes.
func ToFloat(w uint64) float64 {
	return math.Float64frombits(w ^ (uint64(int64(^w)>>63) | signBit))
}

// AddInts adds the integer of each selected record to the values of its group. The handle for
// record sel[j] is words[ids[j]+word].
func (s *Store) AddInts(words []uint64, word int, ids []uint32, sel records.Selection,
	ints *[records.Max]int64) {
	for j, i := range sel {
		s.arena.add(&words[int(ids[j])+word], FromInt(ints[i%records.Max]))
	}
}

// setOf returns the set of a handle of this store. If the handle has none yet, setOf makes one
// and updates the handle.
func (s *Store) setOf(handle *uint64) *Set {
	if *handle&setBit != 0 {
		return &s.sets[*handle&^setBit]
	}
	if len(s.sets) < cap(s.sets) {
		s.sets = s.sets[:len(s.sets)+1] // reuse an old set and its memory
	} else {
		s.sets = append(s.sets, Set{})
	}
	set := &s.sets[len(s.sets)-1]
	set.Reset()
	if *handle != 0 {
		set.chains = append(set.chains, chain{&s.arena, uint32(*handle)})
	}
	*handle = setBit | uint64(len(s.sets)-1)
	return set
}

// AppendTo appends the values of a handle to a set. The set then refers to the store's memory,
// and is valid until the store is reset.
func (s *Store) AppendTo(set *Set, handle uint64) {
	switch {
	case handle&setBit != 0:
		from := &s.sets[handle&^setBit]
		set.chains = append(set.chains, from.chains...)
		set.few = append(set.few, from.few...)
		set.blocks = append(set.blocks, from.blocks...)
	case handle != 0:
		set.chains = append(set.chains, chain{&s.arena, uint32(handle)})
	}
}

// Reset empties a set.
func (set *Set) Reset() {
	set.chains, set.few, set.blocks = set.chains[:0], set.few[:0], set.blocks[:0]
}

// Merge adds the values of a handle of another store to those of the handle into of this store,
// and returns the handle of all of them. The other store must not be reset while that handle
// is in use.
func (s *Store) Merge(into uint64, from *Store, handle uint64) uint64 {
	set := s.setOf(&into)
	from.AppendTo(set, handle)
	return into
}

// Release drops the sets that Merge and Decode made. Their handles become invalid.
func (s *Store) Release() { s.sets = s.sets[:0] }

// Reset drops all values in memory. Blocks in the file stay valid.
func (s *Store) Reset() {
	s.sets = nil
	s.arena.reset()
}

// Bytes returns how much memory the values use.
func (s *Store) Bytes() int64 {
	n := s.arena.bytes()
	for i := range s.sets {
		n += s.sets[i].bytes()
	}
	return n
}

const wordBytes = 8

func (set *Set) bytes() int64 {
	return int64(unsafe.Sizeof(*set)) + int64(cap(set.chains))*int64(unsafe.Sizeof(chain{})) +
		int64(cap(set.few))*wordBytes + int64(cap(set.blocks))*int64(unsafe.Sizeof(block{}))
}

// Close frees the memory and removes the file.
func (s *Store) Close() error {
	s.sets, s.sorter = nil, sorter{}
	err := s.arena.close()
	if s.file == nil {
		return err
	}
	f := s.file
	s.file = nil
	return errors.Join(err, f.Close())
}

// fewMax is up to how many values are spilled together with their group, instead of in a block.
var fewMax = threshold.New("values: spilled with their group", 64, 1)

// AppendBinary appends an encoding that Decode reads. If the values are more than fewMax, it
// writes them to the file and appends where they are.
func (s *Store) AppendBinary(handle uint64, b []byte) ([]byte, error) {
	set := &s.scratch
	set.Reset()
	s.AppendTo(set, handle)
	n := int64(len(set.few))
	for _, c := range set.chains {
		n += c.len()
	}
	var few []uint64
	if n <= int64(fewMax.Get()) {
		few = append(s.sorter.values[:0], set.few...)
		for _, c := range set.chains {
			for values := range c.chunks() {
				few = append(few, values...)
			}
		}
		slices.Sort(few)
		s.sorter.values = few
	} else if err := s.write(set); err != nil {
		return nil, err
	}
	b = binary.AppendUvarint(b, uint64(len(few)))
	if len(few) > 0 {
		b = binary.LittleEndian.AppendUint64(b, few[0])
		b = appendSorted(b, few)
	}
	b = binary.AppendUvarint(b, uint64(len(set.blocks)))
	for i := range set.blocks {
		b = set.blocks[i].appendBinary(b)
	}
	return b, nil
}

// Decode restores a set from the encoding that AppendBinary of this store appended.
func (s *Store) Decode(b []byte) (handle uint64, err error) {
	set := s.setOf(&handle)
	r := encoded.Reader{Rest: b}
	if n := r.Uvarint(); n > 0 && !r.Bad {
		set.few = sorted(&r, set.few, r.Word(), n)
	}
	for range r.Uvarint() {
		set.blocks = append(set.blocks, readBlock(&r, s.file))
		if r.Bad {
			break
		}
	}
	if r.Bad || len(r.Rest) > 0 {
		return 0, fmt.Errorf("decode values: %w", encoded.ErrCorrupt)
	}
	return handle, nil
}
