//go:build goexperiment.simd && amd64

package simd

import "simd/archsimd"

// mark computes the masks of the bytes of src to keep. inside is all ones if src begins in a string,
// and escaped is 1 if its first byte is escaped. mark returns the same for the next bytes.
func mark(keeps *[tileBlocks]uint64, src []byte, inside, escaped uint64) (uint64, uint64) {
	var lone archsimd.Uint64x2
	for k := range min(len(src)/blockBytes, tileBlocks) {
		v := archsimd.LoadUint8x64Array((*[blockBytes]byte)(src[k*blockBytes:]))
		quotes := v.Equal(archsimd.BroadcastUint8x64('"')).ToBits()
		slashes := v.Equal(archsimd.BroadcastUint8x64('\\')).ToBits()
		white := v.Equal(archsimd.BroadcastUint8x64(' ')).ToBits() | v.Equal(archsimd.BroadcastUint8x64('\n')).ToBits() |
			v.Equal(archsimd.BroadcastUint8x64('\t')).ToBits() | v.Equal(archsimd.BroadcastUint8x64('\r')).ToBits()
		if slashes|escaped != 0 {
			var hidden uint64
			hidden, escaped = escapes(slashes, escaped)
			quotes &^= hidden
		}
		// Each bit of the product is the exclusive or of all bits up to it.
		within := inside ^ lone.SetElem(0, quotes).CarrylessMultiplyEven(archsimd.BroadcastUint64x2(1<<64-1)).GetElem(0)
		inside = uint64(int64(within) >> 63)
		keeps[k] = ^white | within
	}
	archsimd.ClearAVXUpperBits()
	return inside, escaped
}
