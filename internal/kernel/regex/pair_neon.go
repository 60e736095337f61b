//go:build goexperiment.simd && arm64

package regex

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// scanNEON looks up sets like the variants for amd64: an index above 15 looks up 0. It tests for a
// match once per 64 places, because that test is slow on NEON. See pair_plain.go.
func scanNEON(p *pair, b []byte) int {
	const blockBytes, vectorBytes = blockNEON, 16
	set1, set2 := halves(&p.rows[0], &p.rows[1]), halves(&p.rows[2], &p.rows[3])
	one, two := unsafe.Pointer(unsafe.SliceData(b)), unsafe.Pointer(unsafe.SliceData(b))
	places := len(b) - p.reach
	for i := 0; i < places; i += blockBytes {
		i = min(i, places-blockBytes) // the last block may overlap the one before
		at1, at2 := unsafe.Add(one, i+p.off1), unsafe.Add(two, i+p.off2)
		hit0 := set1.has(at1).And(set2.has(at2))
		hit1 := set1.has(unsafe.Add(at1, 16)).And(set2.has(unsafe.Add(at2, 16)))
		hit2 := set1.has(unsafe.Add(at1, 32)).And(set2.has(unsafe.Add(at2, 32)))
		hit3 := set1.has(unsafe.Add(at1, 48)).And(set2.has(unsafe.Add(at2, 48)))
		if hit0.Or(hit1).Or(hit2.Or(hit3)).ReduceMax() == 0 {
			continue
		}
		for k, hit := range [...]archsimd.Uint8x16{hit0, hit1, hit2, hit3} {
			words := hit.ReshapeToUint64s()
			if lower := words.GetElem(0); lower != 0 {
				return i + k*vectorBytes + bits.TrailingZeros64(lower)/8
			}
			if upper := words.GetElem(1); upper != 0 {
				return i + k*vectorBytes + 8 + bits.TrailingZeros64(upper)/8
			}
		}
	}
	return -1
}

// lookup holds the rows of a set, for bytes below 0x80 and from there on, and the bit for each high
// half.
type lookup struct{ low, high, bit archsimd.Uint8x16 }

func halves(low, high *[64]uint8) lookup {
	return lookup{
		archsimd.LoadUint8x16Array((*[16]uint8)(low[:16])),
		archsimd.LoadUint8x16Array((*[16]uint8)(high[:16])),
		archsimd.LoadUint8x16Array((*[16]uint8)(halfBits[:16])),
	}
}

// has returns all ones for each of 16 bytes that is in the set.
func (s lookup) has(p unsafe.Pointer) archsimd.Uint8x16 {
	x := archsimd.LoadUint8x16Array((*[16]uint8)(p))
	keep, top := archsimd.BroadcastUint8x16(0x8F), archsimd.BroadcastUint8x16(0x80)
	row := s.low.LookupOrZero(x.And(keep)).Or(s.high.LookupOrZero(x.Xor(top).And(keep)))
	in := row.And(s.bit.LookupOrZero(x.ShiftAllRight(4)))
	return in.NotEqual(archsimd.Uint8x16{}).ToInt8x16().ToBits()
}
