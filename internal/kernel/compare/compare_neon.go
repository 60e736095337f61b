//go:build goexperiment.simd && arm64

package compare

import (
	"simd/archsimd"
	"unsafe"
)

// index32NEON stops at the first block of four vectors that holds a value on the arc, and the plain
// variant finds it there: NEON has no short way from a mask to an index.
//
//gen:also index8NEON index16NEON index64NEON
func index32NEON(b []byte, a *arc, stride int) (i int, found bool) {
	low, span := arc32NEON(a)
	magnitude := archsimd.BroadcastUint32x4(^uint32(0) >> 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[log32][:]))
	between := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Pointer(gaps(width32, stride))))
	swap, float, sparse := a.typ.bigEndian, a.typ.Float(), stride > width32
	base, n := unsafe.Pointer(unsafe.SliceData(b)), len(b)
	for ; i+64 <= n; i += 64 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint32x4Array((*[4]uint32)(p))
		v1 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 16)))
		v2 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 32)))
		v3 := archsimd.LoadUint32x4Array((*[4]uint32)(unsafe.Add(p, 48)))
		if swap {
			v0, v1 = swap32NEON(v0, swapped), swap32NEON(v1, swapped)
			v2, v3 = swap32NEON(v2, swapped), swap32NEON(v3, swapped)
		}
		if float {
			v0 = key32NEON(v0, magnitude)
			v1 = key32NEON(v1, magnitude)
			v2 = key32NEON(v2, magnitude)
			v3 = key32NEON(v3, magnitude)
		}
		v0, v1, v2, v3 = v0.Sub(low), v1.Sub(low), v2.Sub(low), v3.Sub(low)
		if sparse {
			v0, v1, v2, v3 = v0.Or(between), v1.Or(between), v2.Or(between), v3.Or(between)
		}
		if anyNEON(nearest32NEON(v0, v1, v2, v3, span)) {
			break
		}
	}
	return i, false
}

// nearest32NEON sets bits if any of the differences is on the arc.
//
//gen:also nearest8NEON nearest16NEON
func nearest32NEON(v0, v1, v2, v3, span archsimd.Uint32x4) archsimd.Uint8x16 {
	return fitting32NEON(v0.Min(v1).Min(v2.Min(v3)), span)
}

// nearest64NEON compares every vector, since NEON has no 64-bit minimum.
func nearest64NEON(v0, v1, v2, v3, span archsimd.Uint64x2) archsimd.Uint8x16 {
	return fitting64NEON(v0, span).Or(fitting64NEON(v1, span)).Or(fitting64NEON(v2, span).Or(fitting64NEON(v3, span)))
}

// fitting32NEON sets all bits of the differences that are on the arc.
//
//gen:also fitting16NEON fitting64NEON
func fitting32NEON(v, span archsimd.Uint32x4) archsimd.Uint8x16 {
	return v.LessEqual(span).ToInt32x4().ToBits().ReshapeToUint8s()
}

func fitting8NEON(v, span archsimd.Uint8x16) archsimd.Uint8x16 {
	return v.LessEqual(span).ToInt8x16().ToBits()
}

//gen:also lanes8NEON lanes16NEON lanes64NEON
func lanes32NEON(v, low, span archsimd.Uint32x4) archsimd.Uint8x16 {
	return fitting32NEON(v.Sub(low), span)
}

//gen:also swap16NEON swap64NEON
func swap32NEON(v archsimd.Uint32x4, swapped archsimd.Int8x16) archsimd.Uint32x4 {
	return v.ReshapeToUint8s().LookupOrZero(swapped.ToBits()).ReshapeToUint32s()
}

func swap8NEON(v archsimd.Uint8x16, _ archsimd.Int8x16) archsimd.Uint8x16 { return v }

func anyNEON(lanes archsimd.Uint8x16) bool { return lanes.ReshapeToUint32s().ReduceMax() != 0 }

type sumNEON = int

// addedNEON adds up the bytes of a vector: first the two of each pair, in 16 bits, which hold the sum
// of all bytes as well.
func addedNEON(sum sumNEON, bytes archsimd.Uint8x16) sumNEON {
	pairs := bytes.ReshapeToUint16s()
	low := pairs.And(archsimd.BroadcastUint16x8(0xff))
	return sum + int(low.Add(pairs.ShiftAllRight(8)).ReduceSum())
}

func totalNEON(sum sumNEON) uint64 { return uint64(sum) }
