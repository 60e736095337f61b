//go:build goexperiment.simd && amd64

package stats

import (
	"math"
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

var avx2 = kernels{
	whole:   [4]wholeFunc{whole8AVX2, whole16AVX2, whole32AVX2, whole64AVX2},
	widen32: widen32AVX2, widen64: widen64AVX2,
	survey: surveyAVX2, extract: extractAVX2,
}

// The kernels of whole numbers take one vector a turn, and leave the end to the plain form.

func whole8AVX2(b []byte, _ bool, bias uint64) whole {
	vectors := unsafe.Slice((*[32]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/32)
	flip, zero := archsimd.BroadcastUint8x32(uint8(bias)), archsimd.BroadcastUint8x32(0)
	low, high, sum := archsimd.BroadcastUint8x32(math.MaxUint8), zero, archsimd.BroadcastUint64x4(0)
	for i := range vectors {
		v := archsimd.LoadUint8x32Array(&vectors[i]).Xor(flip)
		low, high = low.Min(v), high.Max(v)
		sum = sum.Add(v.SumOf8AbsDiff(zero))
	}
	var lows, highs [32]uint8
	var sums [4]uint64
	low.StoreArray(&lows)
	high.StoreArray(&highs)
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	w := whole8Plain(b[len(vectors)*32:], false, bias)
	for i := range lows {
		w.low, w.high = min(w.low, uint64(lows[i])), max(w.high, uint64(highs[i]))
	}
	for _, s := range sums {
		w.sumLow += s
	}
	return w
}

func whole16AVX2(b []byte, swap bool, bias uint64) whole {
	vectors := unsafe.Slice((*[32]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/32)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[1][:]))
	flip, lower := archsimd.BroadcastUint16x16(uint16(bias)), archsimd.BroadcastUint32x8(math.MaxUint16)
	low, high := archsimd.BroadcastUint16x16(math.MaxUint16), archsimd.BroadcastUint16x16(0)
	lower32, sum := archsimd.BroadcastUint64x4(math.MaxUint32), archsimd.BroadcastUint64x4(0)
	for len(vectors) > 0 {
		// So many pairs of 16 bits fit a lane of 32.
		const turns = 1 << 15
		some := vectors[:min(len(vectors), turns)]
		vectors = vectors[len(some):]
		pairs := archsimd.BroadcastUint32x8(0)
		for i := range some {
			v := archsimd.LoadUint8x32Array(&some[i])
			if swap {
				v = v.PermuteOrZeroGrouped(swapped)
			}
			x := v.ReshapeToUint16s().Xor(flip)
			low, high = low.Min(x), high.Max(x)
			two := x.ReshapeToUint32s()
			pairs = pairs.Add(two.And(lower)).Add(two.ShiftAllRight(16))
		}
		four := pairs.ReshapeToUint64s()
		sum = sum.Add(four.And(lower32)).Add(four.ShiftAllRight(32))
	}
	var lows, highs [16]uint16
	var sums [4]uint64
	low.StoreArray(&lows)
	high.StoreArray(&highs)
	sum.StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	w := whole16Plain(b[len(b)/32*32:], swap, bias)
	for i := range lows {
		w.low, w.high = min(w.low, uint64(lows[i])), max(w.high, uint64(highs[i]))
	}
	for _, s := range sums {
		w.sumLow += s
	}
	return w
}

func whole32AVX2(b []byte, swap bool, bias uint64) whole {
	vectors := unsafe.Slice((*[32]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/32)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[2][:]))
	flip, lower := archsimd.BroadcastUint32x8(uint32(bias)), archsimd.BroadcastUint64x4(math.MaxUint32)
	low, high := archsimd.BroadcastUint32x8(math.MaxUint32), archsimd.BroadcastUint32x8(0)
	even, odd := archsimd.BroadcastUint64x4(0), archsimd.BroadcastUint64x4(0)
	for i := range vectors {
		v := archsimd.LoadUint8x32Array(&vectors[i])
		if swap {
			v = v.PermuteOrZeroGrouped(swapped)
		}
		x := v.ReshapeToUint32s().Xor(flip)
		low, high = low.Min(x), high.Max(x)
		two := x.ReshapeToUint64s()
		even, odd = even.Add(two.And(lower)), odd.Add(two.ShiftAllRight(32))
	}
	var lows, highs [8]uint32
	var sums [4]uint64
	low.StoreArray(&lows)
	high.StoreArray(&highs)
	even.Add(odd).StoreArray(&sums)
	archsimd.ClearAVXUpperBits()
	w := whole32Plain(b[len(vectors)*32:], swap, bias)
	for i := range lows {
		w.low, w.high = min(w.low, uint64(lows[i])), max(w.high, uint64(highs[i]))
	}
	for _, s := range sums {
		w.sumLow += s
	}
	return w
}

// AVX2 compares 64 bits as signed numbers only, so the ranks are kept with their highest bit
// flipped.
func whole64AVX2(b []byte, swap bool, bias uint64) whole {
	const sign = 1 << 63
	vectors := unsafe.Slice((*[32]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/32)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[3][:]))
	flip, lower := archsimd.BroadcastUint64x4(bias), archsimd.BroadcastUint64x4(math.MaxUint32)
	toSigned := archsimd.BroadcastUint64x4(sign)
	low, high := archsimd.BroadcastInt64x4(math.MaxInt64), archsimd.BroadcastInt64x4(math.MinInt64)
	sumLow, sumHigh := archsimd.BroadcastUint64x4(0), archsimd.BroadcastUint64x4(0)
	for i := range vectors {
		v := archsimd.LoadUint8x32Array(&vectors[i])
		if swap {
			v = v.PermuteOrZeroGrouped(swapped)
		}
		x := v.ReshapeToUint64s().Xor(flip)
		y := x.Xor(toSigned).BitsToInt64()
		low, high = y.IfElse(low.Greater(y), low), y.IfElse(y.Greater(high), high)
		sumLow, sumHigh = sumLow.Add(x.And(lower)), sumHigh.Add(x.ShiftAllRight(32))
	}
	var lows, highs, sumsLow, sumsHigh [4]uint64
	low.ToBits().Xor(toSigned).StoreArray(&lows)
	high.ToBits().Xor(toSigned).StoreArray(&highs)
	sumLow.StoreArray(&sumsLow)
	sumHigh.StoreArray(&sumsHigh)
	archsimd.ClearAVXUpperBits()
	w := whole64Plain(b[len(vectors)*32:], swap, bias)
	for i := range lows {
		w.add(whole{lows[i], highs[i], sumsLow[i], sumsHigh[i]})
	}
	return w
}

func widen32AVX2(block []float64, b []byte, swap bool) {
	from := unsafe.Slice((*[16]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(block)/4)
	to := unsafe.Slice((*[4]float64)(unsafe.Pointer(unsafe.SliceData(block))), len(block)/4)
	swapped := archsimd.LoadInt8x16Array((*[16]int8)(byteSwap[2][:]))
	for i := range from {
		v := archsimd.LoadUint8x16Array(&from[i])
		if swap {
			v = v.PermuteOrZero(swapped)
		}
		v.ReshapeToUint32s().BitsToFloat32().ConvertToFloat64().StoreArray(&to[i])
	}
	archsimd.ClearAVXUpperBits()
	done := len(from) * 4
	widen32Plain(block[done:], b[4*done:], swap)
}

func widen64AVX2(block []float64, b []byte, swap bool) {
	from := unsafe.Slice((*[32]uint8)(unsafe.Pointer(unsafe.SliceData(b))), len(block)/4)
	to := unsafe.Slice((*[4]float64)(unsafe.Pointer(unsafe.SliceData(block))), len(block)/4)
	swapped := archsimd.LoadInt8x32Array((*[32]int8)(byteSwap[3][:]))
	for i := range from {
		v := archsimd.LoadUint8x32Array(&from[i])
		if swap {
			v = v.PermuteOrZeroGrouped(swapped)
		}
		v.ReshapeToUint64s().BitsToFloat64().StoreArray(&to[i])
	}
	archsimd.ClearAVXUpperBits()
	done := len(from) * 4
	widen64Plain(block[done:], b[8*done:], swap)
}

// surveyAVX2 takes two vectors a turn, so that one need not wait for the other.
func surveyAVX2(block []float64) (low, high float64, nan int) {
	pairs := unsafe.Slice((*[2][4]float64)(unsafe.Pointer(unsafe.SliceData(block))), len(block)/8)
	least0, most0 := archsimd.BroadcastFloat64x4(math.Inf(1)), archsimd.BroadcastFloat64x4(math.Inf(-1))
	least1, most1 := least0, most0
	numbers := 0
	for i := range pairs {
		x, y := archsimd.LoadFloat64x4Array(&pairs[i][0]), archsimd.LoadFloat64x4Array(&pairs[i][1])
		isX, isY := x.Equal(x), y.Equal(y)
		least0, most0 = least0.Min(x.IfElse(isX, least0)), most0.Max(x.IfElse(isX, most0))
		least1, most1 = least1.Min(y.IfElse(isY, least1)), most1.Max(y.IfElse(isY, most1))
		numbers += bits.OnesCount8(isX.ToBits()) + bits.OnesCount8(isY.ToBits())
	}
	var lows, highs [4]float64
	least0.Min(least1).StoreArray(&lows)
	most0.Max(most1).StoreArray(&highs)
	archsimd.ClearAVXUpperBits()
	low, high, nan = surveyPlain(block[len(pairs)*8:])
	for i := range lows {
		low, high = min(low, lows[i]), max(high, highs[i])
	}
	return low, high, nan + len(pairs)*8 - numbers
}

// extractAVX2 takes two vectors a turn, so that one need not wait for the other.
func extractAVX2(block []float64, sigma float64) (sum float64, left bool) {
	pairs := unsafe.Slice((*[2][4]float64)(unsafe.Pointer(unsafe.SliceData(block))), len(block)/8)
	far, all0, all1 := archsimd.BroadcastFloat64x4(sigma), archsimd.BroadcastFloat64x4(0), archsimd.BroadcastFloat64x4(0)
	rest := archsimd.BroadcastUint64x4(0)
	for i := range pairs {
		x, y := archsimd.LoadFloat64x4Array(&pairs[i][0]), archsimd.LoadFloat64x4Array(&pairs[i][1])
		qx, qy := far.Add(x).Sub(far), far.Add(y).Sub(far)
		x, y = x.Sub(qx), y.Sub(qy)
		x.StoreArray(&pairs[i][0])
		y.StoreArray(&pairs[i][1])
		all0, all1 = all0.Add(qx), all1.Add(qy)
		rest = rest.Or(x.ToBits().Or(y.ToBits()))
	}
	var sums [4]float64
	var rests [4]uint64
	all0.Add(all1).StoreArray(&sums)
	rest.ShiftAllLeft(1).StoreArray(&rests) // less the sign: -0 is nothing
	archsimd.ClearAVXUpperBits()
	for i := range sums {
		sum += sums[i]
		left = left || rests[i] != 0
	}
	return sum, left
}
