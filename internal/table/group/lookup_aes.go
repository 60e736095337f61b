//go:build goexperiment.simd && amd64

package group

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
)

// sendAES is sendPlain with a key in one vector and another hash: three rounds of AES, after
// which each bit of the result depends on all bits of the key and, through the secret seeds,
// in a way that an attacker cannot predict.
func sendAES(t *Table, text []byte, keys *[records.Max]records.Span, sel records.Selection) (sizes uint64) {
	base, words := unsafe.Pointer(unsafe.SliceData(text)), unsafe.Pointer(unsafe.SliceData(t.slotWords))
	spans, masks, slots := unsafe.Pointer(keys), unsafe.Pointer(&keyMasks), t.slots
	seed0 := archsimd.LoadUint64x2Array((*[2]uint64)(t.seeds[0:])).ReshapeToUint8s()
	seed1 := archsimd.LoadUint64x2Array((*[2]uint64)(t.seeds[2:])).ReshapeToUint32s()
	seed2 := archsimd.LoadUint64x2Array((*[2]uint64)(t.seeds[4:])).ReshapeToUint32s()
	seed3 := archsimd.LoadUint64x2Array((*[2]uint64)(t.seeds[6:])).ReshapeToUint32s()
	at := unsafe.Pointer(t.probes)
	for _, r := range sel {
		s := *(*uint64)(unsafe.Add(spans, uintptr(r%records.Max)*spanBytes)) // a records.Span in one load
		size, p := s>>32, (*probe)(at)
		mask := (*[shortBytes]byte)(unsafe.Add(masks, size%uint64(len(keyMasks))*maskBytes))
		key := archsimd.LoadUint8x16Array((*[shortBytes]byte)(unsafe.Add(base, uintptr(uint32(s))))).
			And(archsimd.LoadUint8x16Array(mask))
		key.ReshapeToUint64s().StoreArray(&p.key)
		p.size = size
		sizes |= size
		h := key.Xor(seed0).AESEncryptOneRound(seed1).AESEncryptOneRound(seed2).AESEncryptOneRound(seed3)
		tag := h.ReshapeToUint32s().GetElem(0)
		p.tag = uint64(tag)
		slots := (*[4]uint32)(unsafe.Add(words, uint64(tag)*slots>>32*8)) // two slots: a position and a tag each
		id, next := slots[0], slots[2]
		if slots[1] != tag {
			id = next
		}
		p.slot = uint64(id)
		at = unsafe.Add(at, probeBytes)
	}
	archsimd.ClearAVXUpperBits()
	return sizes
}

// compareAES is comparePlain with a key and its length in one vector.
func compareAES(t *Table, ids []uint32) (missed uint64) {
	mem := unsafe.Pointer(unsafe.SliceData(t.mem))
	head := archsimd.LoadUint64x4Array(&entryHead)
	at := unsafe.Pointer(t.probes)
	for j := range ids {
		id := uint32((*probe)(at).slot)
		ids[j] = id
		entry := archsimd.LoadUint64x4Array((*[4]uint64)(unsafe.Add(mem, uintptr(id)*8)))
		differ := uint64(0)
		if !archsimd.LoadUint64x4Array((*[4]uint64)(at)).Xor(entry).And(head).IsZero() {
			differ = 1
		}
		missed = 2*missed + differ
		at = unsafe.Add(at, probeBytes)
	}
	archsimd.ClearAVXUpperBits()
	return missed
}
