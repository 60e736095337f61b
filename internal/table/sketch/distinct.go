package sketch

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/axiomhq/hyperloglog"
	"github.com/cespare/xxhash/v2"

	"github.com/thresh-dev/thresh/internal/table/encoded"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// DistinctError is the relative error of an estimated count. About one answer in two thousand
// exceeds it: it is 3.5 standard errors of HyperLogLog with 2^14 registers.
const DistinctError = 0.03

// exactMax is up to how many texts a count is exact.
var exactMax = threshold.New("sketch: distinct texts that are kept", 1024, 1)

const (
	// precision: 1.04 / sqrt(2^14) is a standard error of 0.81 %.
	precision = 14

	// A text longer than textMax bytes is kept as its SHA-256, so the kept texts take at most
	// 66 KiB. No two texts with the same SHA-256 are known.
	textMax    = 64
	digestMark = 0xff

	fewMax = 8 // up to this many texts are searched linearly
)

// Distinct counts distinct texts: exactly while they are few, and with HyperLogLog after that.
// The zero Distinct is empty and uses no memory of its own.
//
// The count depends only on the set of texts, never on their order or on how they were split.
type Distinct struct {
	n       int
	entries []byte   // entries one after the other: a length byte, and the text or its digest
	table   []uint64 // open addressing, for more than fewMax entries: 0, or hash and offset + 1
	sketch  *hyperloglog.Sketch
}

// Add adds a text. It does not keep text itself.
func (d *Distinct) Add(text []byte) {
	if len(text) > textMax {
		digest := sha256.Sum256(text)
		d.add(digestMark, digest[:])
		return
	}
	d.add(byte(len(text)), text)
}

// add adds an entry.
func (d *Distinct) add(mark byte, text []byte) {
	switch {
	case d.sketch != nil:
		d.sketch.InsertHash(hashOf(text))
	case d.table == nil:
		if !d.among(mark, text) {
			d.insert(mark, text)
		}
	default:
		d.addToTable(mark, text)
	}
}

// hashOf has no seed: it is the same in every run, on every machine. It does not distinguish a
// short text from a digest; that a text equals another's digest has a chance of 2^-256.
func hashOf(text []byte) uint64 { return xxhash.Sum64(text) }

// among reports whether an entry exists, by linear search.
func (d *Distinct) among(mark byte, text []byte) bool {
	for rest := d.entries; len(rest) > 0; {
		size := entryBytes(rest[0])
		if rest[0] == mark && bytes.Equal(rest[1:size], text) {
			return true
		}
		rest = rest[size:]
	}
	return false
}

// entryBytes returns the length of an entry, given its first byte.
func entryBytes(mark byte) int {
	if mark == digestMark {
		return 1 + sha256.Size
	}
	return 1 + int(mark)
}

// insert adds a new entry, and moves on to a larger table or to a sketch when needed.
func (d *Distinct) insert(mark byte, text []byte) {
	d.entries = append(append(d.entries, mark), text...)
	d.n++
	switch {
	case d.n > exactMax.Get():
		d.toSketch()
	case d.n > fewMax && 2*d.n > len(d.table):
		d.grow()
	}
}

func (d *Distinct) toSketch() {
	d.sketch, _ = hyperloglog.NewSketch(precision, false) // an error only for other precisions
	d.each(func(mark byte, text []byte) { d.sketch.InsertHash(hashOf(text)) })
	d.n, d.entries, d.table = 0, nil, nil
}

// each visits all kept entries.
func (d *Distinct) each(visit func(mark byte, text []byte)) {
	for rest := d.entries; len(rest) > 0; {
		size := entryBytes(rest[0])
		visit(rest[0], rest[1:size])
		rest = rest[size:]
	}
}

// A slot of the table holds the upper half of the hash, and below it the entry's offset plus 1.
const slotOffset = 1<<32 - 1

// slotOf returns the slot for a hash and an offset.
func slotOf(hash uint64, off int) uint64 { return hash&^slotOffset | uint64(off+1) }

// grow doubles the table: it is then about four times as long as there are entries.
func (d *Distinct) grow() {
	d.table = make([]uint64, max(2*len(d.table), 4*fewMax))
	off := 0
	d.each(func(mark byte, text []byte) {
		hash := hashOf(text)
		at := hash & uint64(len(d.table)-1)
		for d.table[at] != 0 {
			at = (at + 1) & uint64(len(d.table)-1)
		}
		d.table[at] = slotOf(hash, off)
		off += 1 + len(text)
	})
}

func (d *Distinct) addToTable(mark byte, text []byte) {
	hash := hashOf(text)
	at := hash & uint64(len(d.table)-1)
	for d.table[at] != 0 {
		if slot := d.table[at]; (slot^hash)&^slotOffset == 0 {
			off := int(slot&slotOffset) - 1
			end := off + entryBytes(d.entries[off])
			if d.entries[off] == mark && bytes.Equal(d.entries[off+1:end], text) {
				return
			}
		}
		at = (at + 1) & uint64(len(d.table)-1)
	}
	d.table[at] = slotOf(hash, len(d.entries))
	d.insert(mark, text)
}

// Merge adds the texts of o, and does not change o.
func (d *Distinct) Merge(o *Distinct) {
	if o.sketch == nil {
		o.each(d.add)
		return
	}
	if d.sketch == nil {
		d.toSketch()
	}
	// Sketches of the same precision always merge.
	if err := d.sketch.Merge(o.sketch); err != nil {
		panic("thresh: bug: " + err.Error())
	}
}

// Count returns the number of distinct texts, and whether it is exact.
func (d *Distinct) Count() (n int64, exact bool) {
	if d.sketch == nil {
		return int64(d.n), true
	}
	return int64(d.sketch.Estimate()), false
}

// Bytes returns approximately how much memory is used, without the Distinct itself.
func (d *Distinct) Bytes() int {
	if d.sketch != nil {
		return 1<<precision + int(unsafe.Sizeof(*d.sketch))
	}
	return cap(d.entries) + 8*cap(d.table)
}

// AppendBinary appends an encoding of the texts, for Decode.
func (d *Distinct) AppendBinary(b []byte) []byte {
	if d.sketch == nil {
		return append(binary.AppendUvarint(append(b, 0), uint64(len(d.entries))), d.entries...)
	}
	data, err := d.sketch.AppendBinary(nil)
	if err != nil {
		panic("thresh: bug: " + err.Error()) // only a nil sketch has no encoding
	}
	return append(binary.AppendUvarint(append(b, 1), uint64(len(data))), data...)
}

// Decode sets d to what AppendBinary encoded, and returns the bytes after it.
func (d *Distinct) Decode(b []byte) (rest []byte, err error) {
	*d = Distinct{}
	r := encoded.Reader{Rest: b}
	sketched := r.UvarintTo(1) == 1
	data := r.Take(r.UvarintTo(1 << 32))
	switch {
	case r.Bad:
	case sketched:
		d.sketch = new(hyperloglog.Sketch)
		err = d.sketch.UnmarshalBinary(data)
		other, _ := hyperloglog.NewSketch(precision, false)
		if err != nil || d.sketch.Merge(other) != nil {
			r.Bad = true
		}
	default:
		r.Bad = !d.decodeEntries(data)
	}
	if r.Bad {
		*d = Distinct{}
		return nil, fmt.Errorf("decode distinct texts: %w", encoded.ErrCorrupt)
	}
	return r.Rest, nil
}

func (d *Distinct) decodeEntries(data []byte) bool {
	for len(data) > 0 {
		size := entryBytes(data[0])
		if data[0] > textMax && data[0] != digestMark || size > len(data) || d.sketch != nil {
			return false
		}
		d.add(data[0], data[1:size])
		data = data[size:]
	}
	return d.sketch == nil
}
