package group

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// A lookup makes two passes over some records. The first pass reads the beginnings of all
// keys, hashes them, and reads the slots that the hashes select. The second pass compares the
// keys with the entries that the slots point to. These loops have no branch that depends on
// the data, and no record depends on the one before. So the processor works on many records at
// once, and their cache misses overlap. Keys that were not found, new keys, and keys longer
// than an entry holds are noted and then searched one by one.

// probesMax is how many records are looked up at once. Their probes stay in the L1 cache beside
// slots and entries, and a word has one bit for each.
const probesMax = 64

// probe is a key that is being looked up. Its first three words are laid out like an entry's.
type probe struct {
	key  [2]uint64 // the first 16 bytes, little endian, zeros after the end
	size uint64    // of the key, in bytes
	slot uint64    // content of the slot that the hash selects, of which only the lower half counts
	tag  uint64    // the upper half of the hash
}

// probes are the probes of a lookup, and one more: the loops may step beyond the last one.
type probes [probesMax + 1]probe

const (
	probeBytes = unsafe.Sizeof(probe{})
	spanBytes  = unsafe.Sizeof(records.Span{})
	maskBytes  = 2 * 8
)

// keyMasks keep the bytes of a key of 0 to 16 bytes and clear the bytes after its end. The
// second half is for longer keys, whose beginnings sendLong reads again.
var keyMasks = func() (m [2 * shortBytes][2]uint64) {
	for n := range m {
		m[n][0] = 1<<(8*min(n, 8)) - 1
		m[n][1] = 1<<(8*min(max(n-8, 0), 8)) - 1
	}
	return m
}()

// seeds derives the secrets of the hash from one seed, with splitmix64 (Vigna 2015).
func seeds(seed uint64) (s [8]uint64) {
	for i := range s {
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		s[i] = z ^ z>>31
	}
	return s
}

// fold multiplies and XORs the halves of the 128-bit product: each bit of the result depends on
// all bits of both factors (after wyhash, Wang Yi 2019).
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// Lookup sets ids[j] to the group of the key of record sel[j], and makes new groups as needed.
// ids is at least as long as sel. If the batch might not fit in the table, Lookup spills
// first: ids of earlier calls are then invalid.
// After an error the table can only be closed.
func (t *Table) Lookup(text []byte, keys records.Column, sel records.Selection, ids []uint32) error {
	t.mustLive()
	return t.died(t.lookup(text, keys, sel, ids))
}

func (t *Table) lookup(text []byte, keys records.Column, sel records.Selection, ids []uint32) error {
	// Keys usually do not overlap in the text, so together they are no longer than the text.
	if !t.fits(len(sel), len(text)) || len(keys) < records.Max || cap(text)-len(text) < shortBytes {
		keyBytes, last := 0, uint32(0)
		for _, r := range sel {
			s := keys[r]
			keyBytes += int(s.Len)
			last = max(last, s.Off)
		}
		if err := t.makeRoom(len(sel), keyBytes); err != nil {
			return err
		}
		text = withSlack(text, int(last))
		if len(keys) < records.Max {
			keys = append(make(records.Column, 0, records.Max), keys...)[:records.Max]
		}
	}
	t.earlier = t.groups
	column, p := (*[records.Max]records.Span)(keys), t.probes
	for len(sel) > 0 {
		part := sel[:min(len(sel), probesMax)]
		someLong := t.kernels.send(t, text, column, part) > shortBytes // the OR of all sizes is at least the largest
		if someLong && t.manyLong {
			t.sendLong(text, column, part)
		}
		missed := t.compare(ids[:len(part)])
		if someLong && !t.manyLong {
			t.sendFewLong(text, column, part, missed)
		}
		for missed != 0 {
			bit := bits.Len64(missed) - 1
			missed ^= 1 << bit
			j := len(part) - 1 - bit
			id, err := t.find(column[part[j]%records.Max].Of(text), &p[j])
			if err != nil {
				return err
			}
			ids[j] = id
		}
		sel, ids = sel[len(part):], ids[len(part):]
	}
	return nil
}

// kernels holds the functions of one instruction set that process a batch of keys. Their hashes
// differ, so a table uses the same kernels all its life.
type kernels struct {
	// send makes probes from keys: it reads their beginnings, hashes them and reads their slots.
	// It hashes only the beginning of a long key; sendLong corrects that. It returns the OR of
	// all sizes.
	send func(t *Table, text []byte, keys *[records.Max]records.Span, sel records.Selection) uint64

	// compare sets ids to the groups that the slots point to, and returns a mask of the records
	// for which that group is not the right one. The lowest bit is the last record. A long key
	// always counts as missed, because an entry's third word then has the position too.
	compare func(t *Table, ids []uint32) uint64
}

var plain = kernel.Variant[kernels]{ISA: cpu.Plain, Func: kernels{(*Table).sendPlain, (*Table).comparePlain}}

// variants lists the variants, best first.
var variants = append(vectorVariants(), plain)

// fewKeys is how many keys are too few to pay for the set-up of a vector comparison.
const fewKeys = 4

// compare calls the variant that suits the number of keys.
func (t *Table) compare(ids []uint32) uint64 {
	if len(ids) < fewKeys {
		return t.comparePlain(ids)
	}
	return t.kernels.compare(t, ids)
}

// withSlack returns the text, copied if necessary, so that 16 bytes can be read at every offset
// up to last.
func withSlack(text []byte, last int) []byte {
	text = text[:cap(text)] // the slack may be beyond the length
	if last+shortBytes > len(text) {
		text = append(make([]byte, 0, len(text)+shortBytes), text...)
		text = text[:cap(text)]
	}
	return text
}

// sendLong completes the probes of long keys, of which send only read the beginning.
func (t *Table) sendLong(text []byte, keys *[records.Max]records.Span, sel records.Selection) {
	// They are listed first, without a branch that would be mispredicted where lengths differ.
	var long [probesMax]uint8
	n := 0
	for j := range sel {
		long[n%probesMax] = uint8(j)
		n += int((shortBytes - t.probes[j%probesMax].size) >> 63)
	}
	for _, j := range long[:n] {
		t.complete(&t.probes[j%probesMax], keys[sel[j]%records.Max].Of(text))
	}
	t.manyLong = n > longMany
}

// longMany: if more keys of a lookup are long, they are found by their lengths, and their entries are requested by
// compare. Otherwise that costs more than it saves: compare tells which keys may be long.
const longMany = probesMax / 8

// sendFewLong does the work of sendLong after compare has missed the long keys, and others.
func (t *Table) sendFewLong(text []byte, keys *[records.Max]records.Span, sel records.Selection, missed uint64) {
	n := 0
	for ; missed != 0; missed &= missed - 1 {
		j := len(sel) - 1 - bits.TrailingZeros64(missed)
		if p := &t.probes[j%probesMax]; p.size > shortBytes {
			t.complete(p, keys[sel[j]%records.Max].Of(text))
			n++
		}
	}
	t.manyLong = n > longMany
}

// complete sets what depends on the rest of a long key.
func (t *Table) complete(p *probe, key []byte) {
	p.key = [2]uint64{binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:shortBytes])}
	p.tag = t.hashRest(key, fold(p.key[0]^t.seeds[0], p.key[1]^(t.seeds[1]+p.size))>>32) >> 32
	i := p.tag * t.slots >> 32
	slot := t.slotWords[i]
	if slot>>32 != p.tag {
		slot = t.slotWords[i+1]
	}
	p.slot = slot
}

// After its first 16 bytes, a key of up to 32 bytes is hashed by its last 16. A longer one is hashed
// in steps of 48 bytes, each three parts of 16 bytes. A part that would extend beyond the end is taken
// from the last 16 bytes instead, and overlaps others. So all keys of up to 64 bytes take the same
// branches, which are easy to predict.
const stepBytes = 3 * shortBytes

// hashRest returns the hash of a long key, given the hash h of its first 16 bytes.
func (t *Table) hashRest(key []byte, h uint64) uint64 {
	s, last := &t.seeds, len(key)-shortBytes
	if last <= shortBytes {
		x0, x1 := wordsAt(key, last, last)
		return fold(h^x0^s[2], x1^s[3])
	}
	for at := shortBytes; ; at += stepBytes {
		x0, x1 := wordsAt(key, at, last)
		y0, y1 := wordsAt(key, at+shortBytes, last)
		z0, z1 := wordsAt(key, at+2*shortBytes, last)
		h = fold((h+fold(x0^s[2], x1^s[3]))^s[0], (fold(y0^s[4], y1^s[5])+fold(z0^s[6], z1^s[7]))^s[1])
		if at+stepBytes >= len(key) {
			return h
		}
	}
}

// wordsAt returns 16 bytes of a key from at, or from last if that is less. It is written
// without a branch, which would be mispredicted half the time.
func wordsAt(key []byte, at, last int) (x, y uint64) {
	less := last - at
	b := (*[shortBytes]byte)(key[at+less&(less>>63):])
	return binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])
}

// equalRest reports whether two long keys of the same length are equal after their first 16
// bytes.
func equalRest(a, b []byte) bool {
	last := len(a) - shortBytes
	b = b[:len(a)]
	if last <= shortBytes {
		return differAt(a, b, last, last) == 0
	}
	for at := shortBytes; at < len(a); at += stepBytes {
		differ := differAt(a, b, at, last) | differAt(a, b, at+shortBytes, last) | differAt(a, b, at+2*shortBytes, last)
		if differ != 0 {
			return false
		}
	}
	return true
}

// differAt returns 0 if the 16 bytes from at, or from last if that is less, are equal.
func differAt(a, b []byte, at, last int) uint64 {
	a0, a1 := wordsAt(a, at, last)
	b0, b1 := wordsAt(b, at, last)
	return (a0 ^ b0) | (a1 ^ b1)
}

// find looks for one key, and makes a group for it if there is none.
func (t *Table) find(key []byte, p *probe) (uint32, error) {
	i := p.tag * t.slots >> 32
	for {
		slot := t.slotWords[i]
		if slot == 0 {
			return t.insert(i, key, p)
		}
		if slot>>32 == p.tag {
			id := uint32(slot)
			entry := t.mem[id:][:headWords]
			if entry[0] == p.key[0] && entry[1] == p.key[1] && entry[2]&(1<<32-1) == p.size &&
				(p.size <= shortBytes || equalRest(key, t.longKey(entry[2]))) {
				return id, nil
			}
		}
		if i++; i == t.slots {
			i = 0
		}
	}
}

// longKey returns a key in the arena, given the third word of its entry.
func (t *Table) longKey(place uint64) []byte {
	at := 8 * int(place>>32)
	return t.memText[at : at+int(uint32(place))]
}

// insert makes a new group, with an empty slot.
func (t *Table) insert(slot uint64, key []byte, p *probe) (uint32, error) {
	e := t.groups + 1
	place := uint64(len(key))
	if len(key) > shortBytes {
		size := (len(key) + 7) / 8
		if (e+1)*t.stride > t.arena-size {
			return 0, t.tooLong(len(key))
		}
		t.arena -= size
		t.mem[t.arena+size-1] = 0 // the bytes after the end of a key are zeros
		copy(t.memText[8*t.arena:], key)
		place |= uint64(t.arena) << 32
	} else if (e+1)*t.stride > t.arena {
		return 0, t.tooLong(len(key))
	}
	entry := t.mem[e*t.stride : (e+1)*t.stride]
	entry[0], entry[1], entry[2] = p.key[0], p.key[1], place
	copy(entry[headWords:], t.layout.Init)
	id := uint32(e * t.stride)
	t.slotWords[slot] = p.tag<<32 | uint64(id)
	t.groups = e
	return id, nil
}

func (t *Table) tooLong(n int) error {
	return fmt.Errorf("group by key: a key of %d bytes does not fit into a table of %d bytes; raise Run.MemoryBytes", n,
		t.memBytes)
}

// makeRoom makes sure that n records fit even if all their keys are new and different. It spills
// if necessary. If the records do not fit in an empty table, insert finds that out key by key.
func (t *Table) makeRoom(n, keyBytes int) error {
	if n > records.Max {
		panic("thresh: bug: a batch of too many records")
	}
	if t.fits(n, keyBytes) || t.groups == 0 {
		return nil
	}
	if t.parts == nil || t.gathers {
		return t.spill()
	}
	return t.overflow(n, keyBytes)
}

// fits provides slots for n more groups, and reports whether these groups fit.
func (t *Table) fits(n, keyBytes int) bool {
	need := n*(t.stride+1) + keyBytes/8
	room := t.groups < groupsMax.Get() && (t.most == 0 || t.groups+n <= t.most)
	fits := room && need <= t.arena-(t.groups+1)*t.stride && t.growTo(t.groups+n)
	if fits && t.layout.Store != nil {
		fits = t.layout.Store.Bytes() <= t.memBytes-t.usedBytes()
	}
	return fits
}

// hugeSlots: a table with so many slots gets huge pages. One with fewer, which is most, uses a small part of
// each of the pages with its slots, entries and arena, and would wait until all of them are filled with zeros.
const hugeSlots = 32 << 10

// growTo provides slots for that many groups, and reports whether it could. It copies the used
// slots to memory that has no entries yet, and from there to their new places. A new place
// depends on the tag alone, and the order stays the same. So no entry is read, and both copies
// walk through memory sequentially.
func (t *Table) growTo(groups int) bool {
	if uint64(2*groups) <= t.slots {
		return true
	}
	slotsMax := uint64(len(t.slotWords) - 1)
	free := t.mem[(t.groups+1)*t.stride : t.arena]
	if uint64(2*groups) > slotsMax || t.groups > len(free) {
		return false
	}
	n := 0
	for _, slot := range t.slotWords[:t.slots] {
		if slot != 0 {
			free[n] = slot
			n++
		}
	}
	before := t.slots
	t.slots = max(2*t.slots, uint64(2*groups))
	if t.slots > slotsMax/4*3 {
		t.slots = slotsMax // a small last step later would cost as much as this one
	}
	if before < hugeSlots && t.slots >= hugeSlots {
		anon.Huge(t.region)
	}
	clear(t.slotWords[:t.slots+1])
	for _, slot := range free[:n] {
		i := slot >> 32 * t.slots >> 32
		for t.slotWords[i] != 0 {
			if i++; i == t.slots {
				i = 0
			}
		}
		t.slotWords[i] = slot
	}
	return true
}
