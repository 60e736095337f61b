//go:build goexperiment.simd && arm64

package stats

import (
	"simd/archsimd"
	"unsafe"
)

// The functions that are not here are derived from those of AVX-512.

// ints8NEON adds the even and the odd bytes of two vectors to lanes of 16 bits. A lane can take
// that 64 times, since 64 * 4 * 255 < 2^16, so it empties the lanes every 2 KiB.
func ints8NEON(b []byte, bias uint64, _ bool) (low, high, sum, sum32 uint64) {
	const sectionBytes = 64 * 32
	flip := archsimd.BroadcastUint8x16(uint8(bias))
	even := archsimd.BroadcastUint16x8(0xff)
	pairs := archsimd.BroadcastUint32x4(0xffff)
	least := archsimd.BroadcastUint8x16(0xff)
	var greatest archsimd.Uint8x16
	var lanes archsimd.Uint32x4
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i < len(b); {
		var section archsimd.Uint16x8
		for end := min(i+sectionBytes, len(b)); i+32 <= end; i += 32 {
			p := unsafe.Add(base, i)
			v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).Xor(flip)
			v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).Xor(flip)
			least = least.Min(v0.Min(v1))
			greatest = greatest.Max(v0.Max(v1))
			w0, w1 := v0.ReshapeToUint16s(), v1.ReshapeToUint16s()
			section = section.Add(w0.And(even).Add(w0.ShiftAllRight(8)))
			section = section.Add(w1.And(even).Add(w1.ShiftAllRight(8)))
		}
		w := section.ReshapeToUint32s()
		lanes = lanes.Add(w.And(pairs)).Add(w.ShiftAllRight(16))
	}
	var sums [4]uint32
	lanes.StoreArray(&sums)
	return uint64(least.ReduceMin()), uint64(greatest.ReduceMax()), total(sums[:]), 0
}

// ints16NEON adds the even and the odd values to lanes of 32 bits.
func ints16NEON(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint16x8(uint16(bias))
	even := archsimd.BroadcastUint32x4(0xffff)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[1][:]))
	least := archsimd.BroadcastUint16x8(0xffff)
	var greatest archsimd.Uint16x8
	var sum0, sum1 archsimd.Uint32x4
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+32 <= len(b); i += 32 {
		p := unsafe.Add(base, i)
		v0 := archsimd.LoadUint16x8Array((*[8]uint16)(p))
		v1 := archsimd.LoadUint16x8Array((*[8]uint16)(unsafe.Add(p, 16)))
		if bigEndian {
			v0 = swap16NEON(v0, swapped)
			v1 = swap16NEON(v1, swapped)
		}
		v0 = v0.Xor(flip)
		v1 = v1.Xor(flip)
		least = least.Min(v0.Min(v1))
		greatest = greatest.Max(v0.Max(v1))
		w0, w1 := v0.ReshapeToUint32s(), v1.ReshapeToUint32s()
		sum0 = sum0.Add(w0.And(even)).Add(w0.ShiftAllRight(16))
		sum1 = sum1.Add(w1.And(even)).Add(w1.ShiftAllRight(16))
	}
	var sums0, sums1 [4]uint32
	sum0.StoreArray(&sums0)
	sum1.StoreArray(&sums1)
	sum = total(sums0[:]) + total(sums1[:])
	return uint64(least.ReduceMin()), uint64(greatest.ReduceMax()), sum, 0
}

// ints64NEON adds the lower and the upper halves separately. NEON has no 64-bit minimum, so it
// compares and selects.
func ints64NEON(b []byte, bias uint64, bigEndian bool) (low, high, sum, sum32 uint64) {
	flip := archsimd.BroadcastUint64x2(bias)
	lower := archsimd.BroadcastUint64x2(1<<32 - 1)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[3][:]))
	least := archsimd.BroadcastUint64x2(1<<64 - 1)
	var greatest, lanes, lanes32 archsimd.Uint64x2
	base := unsafe.Pointer(unsafe.SliceData(b))
	for i := 0; i+16 <= len(b); i += 16 {
		v := archsimd.LoadUint64x2Array((*[2]uint64)(unsafe.Add(base, i)))
		if bigEndian {
			v = swap64NEON(v, swapped)
		}
		v = v.Xor(flip)
		least = v.IfElse(least.Greater(v), least)
		greatest = v.IfElse(v.Greater(greatest), greatest)
		lanes = lanes.Add(v.And(lower))
		lanes32 = lanes32.Add(v.ShiftAllRight(32))
	}
	low, high = min(least.GetElem(0), least.GetElem(1)), max(greatest.GetElem(0), greatest.GetElem(1))
	return low, high, lanes.GetElem(0) + lanes.GetElem(1), lanes32.GetElem(0) + lanes32.GetElem(1)
}

//gen:also swap16NEON swap64NEON
func swap32NEON(v archsimd.Uint32x4, swapped archsimd.Int8x16) archsimd.Uint32x4 {
	return v.ReshapeToUint8s().LookupOrZero(swapped.ToBits()).ReshapeToUint32s()
}

func lowerNEON(v archsimd.Float32x4) archsimd.Float64x2 { return v.ConvertLo2ToFloat64() }

func upperNEON(v archsimd.Float32x4) archsimd.Float64x2 { return v.HiToLo().ConvertLo2ToFloat64() }

func min64NEON(a, b archsimd.Int64x2) archsimd.Int64x2 { return b.IfElse(a.Greater(b), a) }

func max64NEON(a, b archsimd.Int64x2) archsimd.Int64x2 { return b.IfElse(b.Greater(a), a) }

func anyNEON(set archsimd.Uint64x2) bool { return set.GetElem(0)|set.GetElem(1) != 0 }

func sumNEON(v archsimd.Float64x2) float64 { return v.GetElem(0) + v.GetElem(1) }

func limits32NEON(least, greatest archsimd.Uint32x4) (low, high uint64) {
	return uint64(least.ReduceMin()), uint64(greatest.ReduceMax())
}

func ends64NEON(least, greatest archsimd.Int64x2) (low, high int64) {
	return min(least.GetElem(0), least.GetElem(1)), max(greatest.GetElem(0), greatest.GetElem(1))
}

func ends16NEON(least, greatest archsimd.Int16x8, small archsimd.Uint16x8,
	sums archsimd.Float64x2) (low, high int16, sum float64, smallest uint16) {
	return least.ReduceMin(), greatest.ReduceMax(), sumNEON(sums), small.ReduceMin() + 1
}

func bothEndsNEON(least, greatest archsimd.Uint16x8, signedLeast, signedGreatest archsimd.Int16x8,
	sums archsimd.Float64x2) (ul, uh uint16, sl, sh int16, sum float64) {
	return least.ReduceMin(), greatest.ReduceMax(), signedLeast.ReduceMin(), signedGreatest.ReduceMax(), sumNEON(sums)
}
