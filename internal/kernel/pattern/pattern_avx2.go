//go:build goexperiment.simd && amd64

package pattern

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// seekAVX2 tests 128 starting places per iteration. See Seeker.
func seekAVX2(p *Pattern, b []byte, from, doubt int) (at, refuted int) {
	const starts, unrolled = 32, 128
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x32(first.value), archsimd.BroadcastUint8x32(second.value)
	mask1, mask2 := archsimd.BroadcastUint8x32(first.mask), archsimd.BroadcastUint8x32(second.mask)
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	value3, mask3 := positionAVX2(p, doubt)
	i, found := from, -1
search:
	for safe := len(b) - unrolled - max(len(p.value), probeBytes); i <= safe; i += unrolled {
		m0 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2))
		m1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+32))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+32))).And(mask2).Equal(value2))
		m2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+64))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+64))).And(mask2).Equal(value2))
		m3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i+96))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i+96))).And(mask2).Equal(value2))
		if m0.Or(m1).Or(m2.Or(m3)).ToBits() == 0 {
			continue
		}
		third := unsafe.Add(base, i+doubt)
		m0 = m0.And(archsimd.LoadUint8x32Array((*[32]uint8)(third)).And(mask3).Equal(value3))
		m1 = m1.And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(third, 32))).And(mask3).Equal(value3))
		m2 = m2.And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(third, 64))).And(mask3).Equal(value3))
		m3 = m3.And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(third, 96))).And(mask3).Equal(value3))
		k, high := uint64(m0.ToBits())|uint64(m1.ToBits())<<32, uint64(m2.ToBits())|uint64(m3.ToBits())<<32
		at := i
		if k == 0 {
			k, high, at = high, 0, i+64
		}
		for k != 0 {
			place := at + bits.TrailingZeros64(k)
			missed := missedAVX2(p, unsafe.Add(base, place))
			if missed == 0 {
				found = place
				break search
			}
			doubt = bits.TrailingZeros32(missed)
			value3, mask3 = positionAVX2(p, doubt)
			third := unsafe.Add(base, at+doubt)
			k &= k - 1
			k &= uint64(archsimd.LoadUint8x32Array((*[32]uint8)(third)).And(mask3).Equal(value3).ToBits()) |
				uint64(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(third, 32))).And(mask3).Equal(value3).ToBits())<<32
			if k == 0 {
				k, high, at = high, 0, i+64
			}
		}
	}
	limit := len(b) - starts - p.reach // of the start of a block
	for found < 0 && i <= len(b)-len(p.value) {
		i = min(i, limit)
		k := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(rare, i))).And(mask1).Equal(value1).
			And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(next, i))).And(mask2).Equal(value2)).ToBits()
		k &= ^uint32(0) << max(0, from-i) // a last block may begin before from
		for k != 0 {
			at := i + bits.TrailingZeros32(k)
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
				value3, mask3 = positionAVX2(p, doubt)
				third := unsafe.Add(base, i+doubt)
				k &= archsimd.LoadUint8x32Array((*[32]uint8)(third)).And(mask3).Equal(value3).ToBits()
			}
		}
		i += starts
	}
	archsimd.ClearAVXUpperBits()
	return found, doubt
}

// skipAVX2 returns a place at or after from before which the pair, two whole bytes, does not match at
// or after from. It reads two stretches at a time, see kernel.PairBytes, as long as nothing matches
// and both are within b.
func skipAVX2(p *Pattern, b []byte, from int) int {
	first, second := p.first, p.second
	value1, value2 := archsimd.BroadcastUint8x32(first.value), archsimd.BroadcastUint8x32(second.value)
	base := unsafe.Pointer(unsafe.SliceData(b))
	rare, next := unsafe.Add(base, first.off), unsafe.Add(base, second.off)
	i, last := from, len(b)-p.reach-kernel.PairBytes
pairs:
	for i <= last {
		for end := i + kernel.StretchBytes; i < end; i += 64 {
			r, n := unsafe.Add(rare, i), unsafe.Add(next, i)
			m0 := archsimd.LoadUint8x32Array((*[32]uint8)(r)).Equal(value1).
				And(archsimd.LoadUint8x32Array((*[32]uint8)(n)).Equal(value2))
			m1 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, 32))).Equal(value1).
				And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, 32))).Equal(value2))
			m2 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, kernel.StretchBytes))).Equal(value1).
				And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, kernel.StretchBytes))).Equal(value2))
			m3 := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(r, kernel.StretchBytes+32))).Equal(value1).
				And(archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(n, kernel.StretchBytes+32))).Equal(value2))
			if m0.Or(m1).Or(m2.Or(m3)).ToBits() != 0 {
				break pairs
			}
		}
		i += kernel.StretchBytes
	}
	archsimd.ClearAVXUpperBits()
	return i
}

// missedAVX2 returns the bytes of the probe that do not match.
func missedAVX2(p *Pattern, base unsafe.Pointer) uint32 {
	value, mask := archsimd.LoadUint8x32Array(&p.probe.value), archsimd.LoadUint8x32Array(&p.probe.mask)
	v := archsimd.LoadUint8x32Array((*[probeBytes]uint8)(base))
	return ^v.And(mask).Equal(value).ToBits()
}

// positionAVX2 returns the position of the pattern with this offset.
//
//gen:also positionNEON
func positionAVX2(p *Pattern, off int) (value, mask archsimd.Uint8x32) {
	return archsimd.BroadcastUint8x32(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.value)), off))),
		archsimd.BroadcastUint8x32(*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.mask)), off)))
}
