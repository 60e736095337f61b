package group

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/records"
)

// A lookup goes over some records twice. First all keys are hashed and the slots that they
// fall on are read; then the entries that the slots name are compared. Nothing in these two
// loops depends on what was found, no branch and no record before: so the processor is
// at work on many records at once, and what one waits for from memory costs the others
// nothing. Keys that are not at once where they should be, new ones, and those longer than
// an entry holds are noted and looked for one by one.

// probes is how many records are looked up at once: what is noted about them stays in the
// L1 cache beside slots and entries.
const probes = 64

// probe is a key on its way.
type probe struct {
	key    [2]uint64 // its first 16 bytes, little endian, zeros behind its end
	tagLen uint64    // the upper half of its hash; its length
	slot   uint64    // the slot's word that it was sent to
}

// keyMasks keep the bytes of a key of 0 to 16 bytes and drop those behind.
var keyMasks = func() (m [shortBytes + 1][2]uint64) {
	for n := range m {
		m[n][0] = 1<<(8*min(n, 8)) - 1
		m[n][1] = 1<<(8*max(n-8, 0)) - 1
	}
	return m
}()

// seeds makes the two secrets of the hash of one (the steps of splitmix64, Vigna 2015).
func seeds(seed uint64) (s [2]uint64) {
	for i := range s {
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		s[i] = z ^ z>>31
	}
	return s
}

// fold multiplies and adds up the halves of the product without carries: each bit of the
// result hangs on all bits of both factors (after wyhash, Wang Yi 2019).
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// Lookup puts into ids[j] the group of the key of record sel[j], making groups that are
// new. ids has at least the length of sel. If the table might run full within the batch it
// spills first: ids of earlier calls then mean nothing any more.
func (t *Table) Lookup(text []byte, keys records.Column, sel records.Selection, ids []uint32) error {
	if err := t.makeRoom(keys, sel); err != nil {
		return err
	}
	text = text[:cap(text)] // the slack may lie behind the length
	for len(sel) > 0 {
		n := min(len(sel), probes)
		t.send(text, keys, sel[:n])
		for _, j := range t.compare(ids[:n]) {
			id, err := t.find(text, keys[sel[j]], &t.scratch[j])
			if err != nil {
				return err
			}
			ids[j] = id
		}
		sel, ids = sel[n:], ids[n:]
	}
	return nil
}

// send hashes keys and reads their slots.
func (t *Table) send(text []byte, keys records.Column, sel records.Selection) {
	base := unsafe.Pointer(unsafe.SliceData(text))
	limit := len(text) - shortBytes
	slots, words := t.slots, t.slotWords
	seed0, seed1 := t.seeds[0], t.seeds[1]
	scratch := t.scratch[:len(sel)]
	for j, r := range sel {
		s := keys[r]
		var key0, key1 uint64
		if int(s.Off) <= limit {
			b := (*[shortBytes]byte)(unsafe.Add(base, int(s.Off)))
			key0, key1 = binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])
		} else {
			key0, key1 = firstWords(s.Of(text))
		}
		m := &keyMasks[min(s.Len, shortBytes)]
		key0, key1 = key0&m[0], key1&m[1]
		state := seed1 + uint64(s.Len)
		h := fold(key0^seed0, key1^state)
		if s.Len > shortBytes {
			h = hashLong(s.Of(text), seed0, state)
		}
		tag := h >> 32
		i := tag * slots >> 32
		// The next slot is a second chance: keys that were pushed aside are mostly there.
		slot := words[i]
		if next := words[i+1]; slot>>32 != tag {
			slot = next
		}
		scratch[j] = probe{key: [2]uint64{key0, key1}, tagLen: tag<<32 | uint64(s.Len), slot: slot}
	}
}

// firstWords returns the first 16 bytes of a key that nothing may be read behind.
func firstWords(key []byte) (key0, key1 uint64) {
	var b [shortBytes]byte
	copy(b[:], key)
	return binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])
}

// hashLong hashes a key of more than 16 bytes: 16 at a time, and the last 16.
func hashLong(key []byte, seed0, state uint64) uint64 {
	last := key[len(key)-shortBytes:]
	for ; len(key) > shortBytes; key = key[shortBytes:] {
		state = fold(binary.LittleEndian.Uint64(key)^seed0, binary.LittleEndian.Uint64(key[8:])^state)
	}
	return fold(binary.LittleEndian.Uint64(last)^seed0, binary.LittleEndian.Uint64(last[8:])^state)
}

// compare puts into ids the groups that the slots name, and returns which of them are not
// those of the keys. A long key never equals what is in an entry: it lies elsewhere.
func (t *Table) compare(ids []uint32) []uint16 {
	mem, stride := t.mem, t.stride
	scratch := t.scratch[:len(ids)]
	missed := t.missed[:len(ids)]
	n := 0
	for j := range ids {
		p := &scratch[j]
		e := int(uint32(p.slot))
		entry := mem[e*stride : e*stride+headWords]
		differ := (entry[0] ^ p.key[0]) | (entry[1] ^ p.key[1]) | (entry[2] ^ uint64(uint32(p.tagLen)))
		ids[j] = uint32(e) - 1
		missed[n] = uint16(j)
		if differ != 0 {
			n++
		}
	}
	return missed[:n]
}

// find looks for one key, and makes a group for it if there is none.
func (t *Table) find(text []byte, s records.Span, p *probe) (uint32, error) {
	tag, n := p.tagLen>>32, uint64(s.Len)
	i := tag * t.slots >> 32
	for {
		slot := t.slotWords[i]
		if slot == 0 {
			return t.insert(i, s.Of(text), p)
		}
		if slot>>32 == tag {
			e := int(uint32(slot))
			entry := t.mem[e*t.stride : e*t.stride+headWords]
			if entry[0] == p.key[0] && entry[1] == p.key[1] && entry[2]&(1<<32-1) == n &&
				(n <= shortBytes || bytes.Equal(t.longKey(entry[2])[shortBytes:], s.Of(text)[shortBytes:])) {
				return uint32(e) - 1, nil
			}
		}
		if i++; i == t.slots {
			i = 0
		}
	}
}

// longKey returns a key that lies in the arena, by the third word of its entry.
func (t *Table) longKey(place uint64) []byte {
	at := 8 * int(place>>32)
	return t.memText[at : at+int(uint32(place))]
}

// insert makes a group at an empty slot.
func (t *Table) insert(slot uint64, key []byte, p *probe) (uint32, error) {
	e := t.groups + 1
	place := uint64(len(key))
	if len(key) > shortBytes {
		size := (len(key) + 7) / 8
		if (e+1)*t.stride > t.arena-size {
			return 0, t.tooLong(len(key))
		}
		t.arena -= size
		t.mem[t.arena+size-1] = 0 // behind the end of a key are zeros
		copy(t.memText[8*t.arena:], key)
		place |= uint64(t.arena) << 32
	} else if (e+1)*t.stride > t.arena {
		return 0, t.tooLong(len(key))
	}
	entry := t.mem[e*t.stride : (e+1)*t.stride]
	entry[0], entry[1], entry[2] = p.key[0], p.key[1], place
	copy(entry[headWords:], t.layout.Init)
	t.slotWords[slot] = p.tagLen&^(1<<32-1) | uint64(e)
	t.groups = e
	return uint32(e) - 1, nil
}

func (t *Table) tooLong(n int) error {
	return fmt.Errorf("group by key: a key of %d bytes does not fit into a table of %d bytes; raise --mem", n, t.memBytes)
}

// makeRoom sees to it that the batch fits if all its keys are new and different. What does
// not fit into an empty table is found out key by key.
func (t *Table) makeRoom(keys records.Column, sel records.Selection) error {
	if len(sel) > records.Max {
		panic("thresh: bug: a batch of too many records")
	}
	keyBytes := 0
	for _, r := range sel {
		keyBytes += int(keys[r].Len)
	}
	need := len(sel)*(t.stride+1) + keyBytes/8
	fits := need <= t.arena-(t.groups+1)*t.stride && t.growTo(t.groups+len(sel))
	if fits && t.layout.Store != nil {
		fits = t.layout.Store.Bytes() <= t.memBytes-t.usedBytes()
	}
	if fits || t.groups == 0 {
		return nil
	}
	return t.spill()
}

// growTo makes the slots enough for so many groups, and reports whether it could. The slots
// in use are moved to memory that no entry has yet, and from there to where they belong
// now: as this follows from their tags, and in the same order, no entry is read, and both
// ways go straight through memory.
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
	t.slots = max(2*t.slots, uint64(2*groups))
	if t.slots > slotsMax/4*3 {
		t.slots = slotsMax // a last step that hardly helps would cost as much
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
