//go:build goexperiment.simd && amd64

package fields

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// endsAVX512 writes the place of one line feed for each word, whether there is one or not: in long records
// most words have at most one, and which have it cannot be predicted.
func endsAVX512(h *Heads, text *byte, words int, delimiter byte) (n int) {
	delim, feed := archsimd.BroadcastUint8x64(delimiter), archsimd.BroadcastUint8x64('\n')
	base, ends, counts := unsafe.Pointer(text), unsafe.Pointer(&h.ends[1]), unsafe.Pointer(&h.delims[1])
	before, at := uint32(0), uint32(0)
	for range words {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(base, uintptr(at))))
		delims, feeds := v.Equal(delim).ToBits(), v.Equal(feed).ToBits()
		found := bits.OnesCount64(feeds)
		*(*uint32)(unsafe.Add(ends, 4*n)) = at + uint32(bits.TrailingZeros64(feeds))
		*(*uint32)(unsafe.Add(counts, 4*n)) = before + uint32(bits.OnesCount64(delims&(feeds^(feeds-1))))
		if found > 1 {
			for i := 1; i < found; i++ {
				feeds &= feeds - 1
				*(*uint32)(unsafe.Add(ends, 4*(n+i))) = at + uint32(bits.TrailingZeros64(feeds))
				*(*uint32)(unsafe.Add(counts, 4*(n+i))) = before + uint32(bits.OnesCount64(delims&(feeds^(feeds-1))))
			}
		}
		n += found
		if n > headsMax {
			break
		}
		before += uint32(bits.OnesCount64(delims))
		at += 64
	}
	archsimd.ClearAVXUpperBits()
	return n
}

// headRowsAVX512 compresses the indexes of bytes to those of delimiters, in a register: to compress to memory
// takes many times as long on some processors. The places of the second half overwrite what follows those of
// the first.
func headRowsAVX512(h *Heads, text *byte, from, n, needed int, delimiter byte) bool {
	delim, number := archsimd.BroadcastUint8x64(delimiter), archsimd.LoadUint8x64Array(&numbers)
	second := number.Add(archsimd.BroadcastUint8x64(64))
	begins, row := unsafe.Pointer(&h.ends[from]), unsafe.Pointer(&h.rows[0])
	missing := 0 // negative if a record lacks one
	for range n {
		record := unsafe.Add(unsafe.Pointer(text), uintptr(*(*uint32)(begins)+1))
		m0 := archsimd.LoadUint8x64Array((*[64]uint8)(record)).Equal(delim)
		m1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(record, 64))).Equal(delim)
		first := bits.OnesCount64(m0.ToBits())
		number.Compress(m0).GetLo().GetLo().StoreArray((*[16]uint8)(row))
		second.Compress(m1).GetLo().GetLo().StoreArray((*[16]uint8)(unsafe.Add(row, min(first, headFieldsMax))))
		missing |= first + bits.OnesCount64(m1.ToBits()) - needed
		begins, row = unsafe.Add(begins, 4), unsafe.Add(row, rowBytes)
	}
	archsimd.ClearAVXUpperBits()
	return missing >= 0
}
