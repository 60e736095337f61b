//go:build goexperiment.simd && amd64

package pattern

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// seekAVX512 tests 256 starting places per iteration. See Seeker.
func seekAVX512(p *Pattern, b []byte, from, doubt int) (at, refuted int) {
	const starts, unrolled = 64, 256
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x64(first.value), archsimd.BroadcastUint8x64(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x64(first.mask), archsimd.BroadcastUint8x64(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	i, found := from, -1
	for safe := len(b) - unrolled - max(len(p.value), probeBytes); i <= safe; i += unrolled {
		k0 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2).ToBits()
		k1 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+64))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+64))).And(mask2).Equal(value2).ToBits()
		k2 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+128))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+128))).And(mask2).Equal(value2).ToBits()
		k3 := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i+192))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i+192))).And(mask2).Equal(value2).ToBits()
		if k0|k1|k2|k3 == 0 {
			continue
		}
		block := unsafe.Add(base, i)
		k0 &= fitsAVX512(p, block, doubt)
		k1 &= fitsAVX512(p, unsafe.Add(block, 64), doubt)
		k2 &= fitsAVX512(p, unsafe.Add(block, 128), doubt)
		k3 &= fitsAVX512(p, unsafe.Add(block, 192), doubt)
		if k0|k1|k2|k3 == 0 {
			continue
		}
		if at, doubt = refuteAVX512(p, block, k0, doubt); at >= 0 {
			found = i + at
			break
		}
		if at, doubt = refuteAVX512(p, unsafe.Add(block, 64), k1, doubt); at >= 0 {
			found = i + 64 + at
			break
		}
		if at, doubt = refuteAVX512(p, unsafe.Add(block, 128), k2, doubt); at >= 0 {
			found = i + 128 + at
			break
		}
		if at, doubt = refuteAVX512(p, unsafe.Add(block, 192), k3, doubt); at >= 0 {
			found = i + 192 + at
			break
		}
	}
	limit := len(b) - starts - p.reach // of the start of a block
	for found < 0 && i <= len(b)-len(p.value) {
		i = min(i, limit)
		k := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).ToBits() &
			archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2).ToBits()
		k &= ^uint64(0) << max(0, from-i) // a last block may begin before from
		for k != 0 {
			at := i + bits.TrailingZeros64(k)
			if at+len(p.value) > len(b) {
				break
			}
			if at+probeBytes > len(b) {
				found = at
				break
			}
			missed := missedAVX2(p, unsafe.Add(base, at))
			if missed == 0 {
				found = at
				break
			}
			k &= k - 1
			if doubt = bits.TrailingZeros32(missed); i+doubt+starts <= len(b) {
				k &= fitsAVX512(p, unsafe.Add(base, i), doubt)
			}
		}
		i += starts
	}
	archsimd.ClearAVXUpperBits()
	return found, doubt
}

// refuteAVX512 compares the probe at the candidates of 64 places. What refutes one often refutes
// the others.
func refuteAVX512(p *Pattern, block unsafe.Pointer, k uint64, doubt int) (at, refuted int) {
	for k != 0 {
		at := bits.TrailingZeros64(k)
		missed := missedAVX2(p, unsafe.Add(block, at))
		if missed == 0 {
			return at, doubt
		}
		doubt = bits.TrailingZeros32(missed)
		if k &= k - 1; k != 0 {
			k &= fitsAVX512(p, block, doubt)
		}
	}
	return -1, doubt
}

// fitsAVX512 returns at which of 64 places a position of the pattern matches.
func fitsAVX512(p *Pattern, block unsafe.Pointer, off int) uint64 {
	value := archsimd.BroadcastUint8x64(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.value)), off)))
	mask := archsimd.BroadcastUint8x64(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.mask)), off)))
	return archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(block, off))).And(mask).Equal(value).ToBits()
}
