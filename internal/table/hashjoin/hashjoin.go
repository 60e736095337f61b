// Package hashjoin holds the rows of the small side of a join in memory, and finds them by their keys.
//
// A row is bytes: the next row with the same key, its length, its key, and its fields. Rows lie one after the other in
// blocks that never move, so a table takes little more memory than they have text. A row is named by its place, so that
// a key that is looked up costs two places in memory: a slot, and the row. Those of many keys are looked up together,
// and do not wait for each other.
package hashjoin

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// ErrFull is returned when the rows take more memory than they may.
var ErrFull = errors.New("the rows of the smaller side of a join do not fit into their memory")

// blockBytes is how much memory is taken at once for rows, a power of two.
var blockBytes = threshold.New("hashjoin: bytes of a block of rows", 1<<20, 1)

// Row is a row of a table: its place, in units, from 1. 0 is no row.
type Row uint32

const (
	unit      = 8 // rows begin at multiples of it
	nextBytes = 4 // at the beginning of a row: the next one with the same key
)

// Table holds rows. One goroutine fills it; after Index it is safe for concurrent use.
type Table struct {
	blocks    [][]byte // a row that is longer than a block takes the places of several, and lies in the first of them
	blockBits int
	rows      int
	slots     []slot // open addressing: a power of two, at most two thirds of them full
	seed      maphash.Seed
	seeds     [2]uint64 // of short keys
	most      int64     // bytes
	text      int64     // bytes of blocks

	nullKeys bool
	unique   bool
}

// slot is the first row with a key, and some bits of the hash of that.
type slot struct {
	tag   uint32
	first Row
}

// slotsBytes is how much the slots of a row take at most.
const slotsBytes = 3 * 8

// New returns a table that may take so many bytes.
func New(most int64) *Table {
	t := &Table{seed: maphash.MakeSeed(), seeds: [2]uint64{rand.Uint64(), rand.Uint64()}, most: most}
	t.blockBits = bits.Len(uint(max(blockBytes.Get(), unit) - 1))
	return t
}

// AppendRow appends a row as Add takes it. A nil key is null and equals no other. A nil field is null.
func AppendRow(dst, key []byte, fields [][]byte) []byte {
	n := fieldBytes(key)
	for _, f := range fields {
		n += fieldBytes(f)
	}
	dst = appendField(binary.AppendUvarint(dst, uint64(n)), key)
	for _, f := range fields {
		dst = appendField(dst, f)
	}
	return dst
}

// appendField appends the length of a field and one, or 0 for null, and the field. An empty one has a byte of text, so
// that there is room for what tells it from null, see value.IsNull.
func appendField(dst, f []byte) []byte {
	switch {
	case f == nil:
		return append(dst, 0)
	case len(f) == 0:
		return append(dst, 1, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(len(f))+1), f...)
}

// fieldBytes returns how many bytes appendField appends.
func fieldBytes(f []byte) int {
	switch {
	case f == nil:
		return 1
	case len(f) == 0:
		return 2
	}
	return (bits.Len64(uint64(len(f))+1)+6)/7 + len(f)
}

// CutField returns the length of the first field, and where its text begins. null reports whether it is null. The next
// field begins at end.
func CutField(fields []byte) (from, n, end int, null bool) {
	if c := fields[0]; c < 0x80 { // nearly all fields
		from, n = 1, int(c)
	} else {
		length, size := binary.Uvarint(fields)
		from, n = size, int(length)
	}
	switch n {
	case 0:
		return from, 0, from, true
	case 1:
		return from, 0, from + 1, false
	}
	return from, n - 1, from + n - 1, false
}

// Add adds rows that AppendRow appended.
func (t *Table) Add(rows []byte) error {
	for len(rows) > 0 {
		length, size := binary.Uvarint(rows)
		n := size + int(length)
		t.add(rows[:n])
		if t.Bytes() > t.most || len(t.blocks)<<t.blockBits/unit >= math.MaxUint32 {
			return ErrFull
		}
		rows = rows[n:]
	}
	return nil
}

func (t *Table) add(row []byte) {
	last, block := len(t.blocks)-1, 1<<t.blockBits
	need := (nextBytes + len(row) + unit - 1) &^ (unit - 1)
	if last < 0 || len(t.blocks[last])+need > cap(t.blocks[last]) {
		t.blocks = append(t.blocks, make([]byte, 0, max(need, block)))
		t.text += int64(max(need, block))
		last = len(t.blocks) - 1
		for range (need - 1) / block {
			t.blocks = append(t.blocks, nil)
		}
	}
	b := t.blocks[last]
	from := len(b)
	b = b[:from+need]
	copy(b[from+nextBytes:], row)
	t.blocks[last] = b
	t.rows++
}

// All returns the rows in the order in which they were added.
func (t *Table) All() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for i, b := range t.blocks {
			for at := 0; at < len(b); {
				r := Row((i<<t.blockBits+at)/unit + 1)
				if !yield(r) {
					return
				}
				length, size := binary.Uvarint(b[at+nextBytes:])
				at = (at + nextBytes + size + int(length) + unit - 1) &^ (unit - 1)
			}
		}
	}
}

// Index prepares the table for Find.
func (t *Table) Index() {
	t.unique = true
	t.slots = make([]slot, 1<<bits.Len(uint(t.rows+t.rows/2)))
	for r := range t.All() { // each before those with the same key
		key := t.key(r)
		if key == nil {
			t.nullKeys = true
			continue
		}
		hash := t.hash(key)
		at := t.find(key, hash)
		if before := t.slots[at].first; before != 0 {
			t.setNext(r, before)
			t.unique = false
		}
		t.slots[at] = slot{uint32(hash >> 32), r}
	}
	if t.unique {
		return
	}
	for i := range t.slots { // now the first row is the last one
		var after Row
		for r := t.slots[i].first; r != 0; {
			next := t.Next(r)
			t.setNext(r, after)
			after, r = r, next
		}
		t.slots[i].first = after
	}
}

// hash returns the hash of a key. Most keys are short.
func (t *Table) hash(key []byte) uint64 {
	var a, b uint64
	switch n := len(key); {
	case n > 16:
		return maphash.Bytes(t.seed, key)
	case n >= 8:
		a, b = binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[n-8:])
	case n >= 4:
		a, b = uint64(binary.LittleEndian.Uint32(key)), uint64(binary.LittleEndian.Uint32(key[n-4:]))
	case n > 0:
		a, b = uint64(key[0])|uint64(key[n/2])<<8, uint64(key[n-1])
	}
	a, b = bits.Mul64(a^t.seeds[0], b^t.seeds[1]^uint64(len(key))<<56)
	a, b = bits.Mul64(a^t.seeds[1], b^t.seeds[0])
	return a ^ b
}

// find returns the slot of a key, or the empty one that it would have.
func (t *Table) find(key []byte, hash uint64) (at int) {
	mask := len(t.slots) - 1
	for at = int(hash) & mask; ; at = (at + 1) & mask {
		s := t.slots[at]
		if s.first == 0 || s.tag == uint32(hash>>32) && string(t.key(s.first)) == string(key) {
			return at
		}
	}
}

// at returns the bytes from a row on.
func (t *Table) at(r Row) []byte {
	place := (int(r) - 1) * unit
	return t.blocks[place>>t.blockBits][place&(1<<t.blockBits-1):]
}

// row returns the key and the fields of a row.
func (t *Table) row(r Row) []byte {
	b := t.at(r)[nextBytes:]
	if c := b[0]; c < 0x80 {
		return b[1 : 1+int(c)]
	}
	n, size := binary.Uvarint(b)
	return b[size : size+int(n)]
}

// key returns the key of a row, nil if it is null.
func (t *Table) key(r Row) []byte {
	row := t.row(r)
	from, n, _, null := CutField(row)
	if null {
		return nil
	}
	return row[from : from+n]
}

// Fields returns the fields of a row, which CutField cuts.
func (t *Table) Fields(r Row) []byte {
	row := t.row(r)
	_, _, end, _ := CutField(row)
	return row[end:]
}

// Find finds the first row with the key of each selected record: keys[i] is where in text that of record i is. It
// stores the row in rows[i], 0 if there is none. It returns a number that means nothing.
func (t *Table) Find(text []byte, keys records.Column, sel records.Selection, rows *[records.Max]Row) (touched byte) {
	var hashes [records.Max]uint64
	for k, i := range sel {
		hashes[k%records.Max] = t.hash(keys[i].Of(text))
	}
	mask := len(t.slots) - 1
	for k, i := range sel {
		hash := hashes[k%records.Max]
		at := int(hash) & mask
		for t.slots[at].first != 0 && t.slots[at].tag != uint32(hash>>32) {
			at = (at + 1) & mask
		}
		rows[i%records.Max] = t.slots[at].first
	}
	if t.rows == 0 {
		return 0
	}
	for _, i := range sel { // all rows are requested before the first one is needed
		touched += t.at(max(rows[i%records.Max], 1))[0]
	}
	for k, i := range sel {
		if r := &rows[i%records.Max]; *r != 0 {
			if key := keys[i].Of(text); string(t.key(*r)) != string(key) { // hardly ever: two hashes are alike
				*r = t.slots[t.find(key, hashes[k%records.Max])].first
			}
		}
	}
	return touched
}

// Next returns the next row with the same key, 0 if there is none.
func (t *Table) Next(r Row) Row { return Row(binary.LittleEndian.Uint32(t.at(r))) }

func (t *Table) setNext(r, next Row) { binary.LittleEndian.PutUint32(t.at(r), uint32(next)) }

// Unique reports whether no two rows have the same key.
func (t *Table) Unique() bool { return t.unique }

// NullKeys reports whether the key of some row is null.
func (t *Table) NullKeys() bool { return t.nullKeys }

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.rows }

// Places returns the number of places: no row is greater.
func (t *Table) Places() int { return len(t.blocks) << t.blockBits / unit }

// Bytes returns how much memory the table takes.
func (t *Table) Bytes() int64 { return t.text + int64(t.rows)*slotsBytes }
