package group

import (
	"encoding/binary"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// sendPlain is send for every processor. It accesses fields, slots and probes without bounds
// checks: their offsets come from the batch and the table themselves.
func (t *Table) sendPlain(text []byte, keys *[records.Max]records.Span, sel records.Selection) (sizes uint64) {
	base, words := unsafe.Pointer(unsafe.SliceData(text)), unsafe.Pointer(unsafe.SliceData(t.slotWords))
	seed0, seed1, slots := t.seeds[0], t.seeds[1], t.slots
	at := unsafe.Pointer(t.probes)
	for _, r := range sel {
		s := keys[r%records.Max]
		b, size, p := (*[shortBytes]byte)(unsafe.Add(base, int(s.Off))), uint64(s.Len), (*probe)(at)
		m := &keyMasks[size%uint64(len(keyMasks))]
		key0, key1 := binary.LittleEndian.Uint64(b[:8])&m[0], binary.LittleEndian.Uint64(b[8:])&m[1]
		p.key[0], p.key[1], p.size = key0, key1, size
		sizes |= size
		tag := fold(key0^seed0, key1^(seed1+size)) >> 32
		p.tag = tag
		// A key whose own slot was taken is usually in the next slot, so try that too. There is
		// a spare slot after the last one in use.
		slots := (*[2]uint64)(unsafe.Add(words, tag*slots>>32*8))
		slot, next := slots[0], slots[1]
		if slot>>32 != tag {
			slot = next
		}
		p.slot = slot
		at = unsafe.Add(at, probeBytes)
	}
	return sizes
}

// comparePlain is compare for every processor.
func (t *Table) comparePlain(ids []uint32) (missed uint64) {
	mem := unsafe.Pointer(unsafe.SliceData(t.mem))
	at := unsafe.Pointer(t.probes)
	for j := range ids {
		p := (*probe)(at)
		id := uint32(p.slot)
		ids[j] = id
		entry := (*[headWords]uint64)(unsafe.Add(mem, uintptr(id)*8))
		differ := uint64(0)
		if (entry[0]^p.key[0])|(entry[1]^p.key[1])|(entry[2]^p.size) != 0 {
			differ = 1
		}
		missed = 2*missed + differ
		at = unsafe.Add(at, probeBytes)
	}
	return missed
}
