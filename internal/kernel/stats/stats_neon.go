//go:build goexperiment.simd && arm64

package stats

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// NEON has no least and greatest of 64 bits, and sums of narrow values would take a
// cascade of widening: these are left to the plain form.
var neon = kernels{
	whole:   [4]wholeFunc{whole8Plain, whole16Plain, whole32NEON, whole64Plain},
	widen32: widen32NEON, widen64: widen64NEON,
	survey: surveyNEON, extract: extractNEON,
}

func whole32NEON(b []byte, swap bool, bias uint64) whole {
	vectors := unsafe.Slice((*[16]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/16)
	flip, lower := archsimd.BroadcastUint32x4(uint32(bias)), archsimd.BroadcastUint64x2(math.MaxUint32)
	swapped := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(&byteSwap[2])))
	low, high := archsimd.BroadcastUint32x4(math.MaxUint32), archsimd.BroadcastUint32x4(0)
	even, odd := archsimd.BroadcastUint64x2(0), archsimd.BroadcastUint64x2(0)
	for i := range vectors {
		v := archsimd.LoadUint8x16Array(&vectors[i])
		if swap {
			v = v.LookupOrZero(swapped)
		}
		x := v.ReshapeToUint32s().Xor(flip)
		low, high = low.Min(x), high.Max(x)
		two := x.ReshapeToUint64s()
		even, odd = even.Add(two.And(lower)), odd.Add(two.ShiftAllRight(32))
	}
	w := whole32Plain(b[len(vectors)*16:], swap, bias)
	w.low, w.high = min(w.low, uint64(low.ReduceMin())), max(w.high, uint64(high.ReduceMax()))
	sum := even.Add(odd)
	w.sumLow += sum.GetElem(0) + sum.GetElem(1)
	return w
}

func widen32NEON(block []float64, b []byte, swap bool) {
	from := unsafe.Slice((*[16]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(block)/4)
	to := unsafe.Slice((*[2][2]float64)(unsafe.Pointer(unsafe.SliceData(block))), len(block)/4)
	swapped := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(&byteSwap[2])))
	for i := range from {
		v := archsimd.LoadUint8x16Array(&from[i])
		if swap {
			v = v.LookupOrZero(swapped)
		}
		x := v.ReshapeToUint32s().BitsToFloat32()
		x.ConvertLo2ToFloat64().StoreArray(&to[i][0])
		x.HiToLo().ConvertLo2ToFloat64().StoreArray(&to[i][1])
	}
	done := len(from) * 4
	widen32Plain(block[done:], b[4*done:], swap)
}

func widen64NEON(block []float64, b []byte, swap bool) {
	from := unsafe.Slice((*[16]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(block)/2)
	to := unsafe.Slice((*[2]float64)(unsafe.Pointer(unsafe.SliceData(block))), len(block)/2)
	swapped := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Pointer(&byteSwap[3])))
	for i := range from {
		v := archsimd.LoadUint8x16Array(&from[i])
		if swap {
			v = v.LookupOrZero(swapped)
		}
		v.ReshapeToUint64s().BitsToFloat64().StoreArray(&to[i])
	}
	done := len(from) * 2
	widen64Plain(block[done:], b[8*done:], swap)
}

func surveyNEON(block []float64) (low, high float64, nan int) {
	vectors := unsafe.Slice((*[2]float64)(unsafe.Pointer(unsafe.SliceData(block))), len(block)/2)
	least, most := archsimd.BroadcastFloat64x2(math.Inf(1)), archsimd.BroadcastFloat64x2(math.Inf(-1))
	numbers := archsimd.BroadcastUint64x2(0)
	for i := range vectors {
		x := archsimd.LoadFloat64x2Array(&vectors[i])
		number := x.Equal(x)
		least, most = least.Min(x.IfElse(number, least)), most.Max(x.IfElse(number, most))
		numbers = numbers.Sub(number.ToInt64x2().ToBits()) // a mask that holds is -1
	}
	low, high, nan = surveyPlain(block[len(vectors)*2:])
	nan += 2*len(vectors) - int(numbers.GetElem(0)+numbers.GetElem(1))
	return min(low, least.GetElem(0), least.GetElem(1)), max(high, most.GetElem(0), most.GetElem(1)), nan
}

func extractNEON(block []float64, sigma float64) (sum float64, left bool) {
	vectors := unsafe.Slice((*[2]float64)(unsafe.Pointer(unsafe.SliceData(block))), len(block)/2)
	far, all := archsimd.BroadcastFloat64x2(sigma), archsimd.BroadcastFloat64x2(0)
	rest := archsimd.BroadcastUint64x2(0)
	for i := range vectors {
		x := archsimd.LoadFloat64x2Array(&vectors[i])
		q := far.Add(x).Sub(far)
		r := x.Sub(q)
		r.StoreArray(&vectors[i])
		all = all.Add(q)
		rest = rest.Or(r.ToBits().ShiftAllLeft(1)) // less the sign: -0 is nothing
	}
	return all.GetElem(0) + all.GetElem(1), rest.GetElem(0)|rest.GetElem(1) != 0
}
