//go:build goexperiment.simd && arm64

package group

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// sendNEON is sendPlain with a key in one vector up to the hash. The hash is the plain one:
// archsimd has no AES on arm64, and a 128-bit product takes two instructions there.
func sendNEON(t *Table, text []byte, keys *[records.Max]records.Span, sel records.Selection) (sizes uint64) {
	base, words := unsafe.Pointer(unsafe.SliceData(text)), unsafe.Pointer(unsafe.SliceData(t.slotWords))
	spans, masks, slots := unsafe.Pointer(keys), unsafe.Pointer(&keyMasks), t.slots
	seed := archsimd.LoadUint64x2Array((*[2]uint64)(t.seeds[0:]))
	at := unsafe.Pointer(t.probes)
	for _, r := range sel {
		s := *(*records.Span)(unsafe.Add(spans, uintptr(r%records.Max)*spanBytes))
		size, p := uint64(s.Len), (*probe)(at)
		mask := (*[2]uint64)(unsafe.Add(masks, size%uint64(len(keyMasks))*maskBytes))
		key := archsimd.LoadUint8x16Array((*[shortBytes]byte)(unsafe.Add(base, int(s.Off)))).
			ReshapeToUint64s().And(archsimd.LoadUint64x2Array(mask))
		key.StoreArray(&p.key)
		p.size = size
		sizes |= size
		h := key.Xor(seed.Add(archsimd.Uint64x2{}.SetElem(1, size)))
		tag := fold(h.GetElem(0), h.GetElem(1)) >> 32
		p.tag = tag
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

// compareNEON is comparePlain with a key in one vector.
func compareNEON(t *Table, ids []uint32) (missed uint64) {
	mem := unsafe.Pointer(unsafe.SliceData(t.mem))
	at := unsafe.Pointer(t.probes)
	for j := range ids {
		p := (*probe)(at)
		id := uint32(p.slot)
		ids[j] = id
		entry := (*[headWords]uint64)(unsafe.Add(mem, uintptr(id)*8))
		key := archsimd.LoadUint64x2Array((*[2]uint64)(entry[:])).Xor(archsimd.LoadUint64x2Array(&p.key))
		differ := uint64(0)
		if key.ReshapeToUint32s().ReduceMax() != 0 || entry[2] != p.size {
			differ = 1
		}
		missed = 2*missed + differ
		at = unsafe.Add(at, probeBytes)
	}
	return missed
}
