package stats

import (
	"encoding/binary"
	"math"
)

var plain = kernels{
	whole:   [4]wholeFunc{whole8Plain, whole16Plain, whole32Plain, whole64Plain},
	widen32: widen32Plain, widen64: widen64Plain,
	survey: surveyPlain, extract: extractPlain,
}

// wholePlain goes value by value.
func wholePlain(n int, rank func(i int) uint64) whole {
	w := whole{low: math.MaxUint64}
	for i := range n {
		r := rank(i)
		w.add(whole{r, r, r & math.MaxUint32, r >> 32})
	}
	return w
}

func (w *whole) add(other whole) {
	w.low, w.high = min(w.low, other.low), max(w.high, other.high)
	w.sumLow += other.sumLow
	w.sumHighBy += other.sumHighBy
}

func order(swap bool) binary.ByteOrder {
	if swap {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func whole8Plain(b []byte, _ bool, bias uint64) whole {
	return wholePlain(len(b), func(i int) uint64 { return uint64(b[i]) ^ bias })
}

func whole16Plain(b []byte, swap bool, bias uint64) whole {
	o := order(swap)
	return wholePlain(len(b)/2, func(i int) uint64 { return uint64(o.Uint16(b[2*i:])) ^ bias })
}

func whole32Plain(b []byte, swap bool, bias uint64) whole {
	o := order(swap)
	return wholePlain(len(b)/4, func(i int) uint64 { return uint64(o.Uint32(b[4*i:])) ^ bias })
}

func whole64Plain(b []byte, swap bool, bias uint64) whole {
	o := order(swap)
	return wholePlain(len(b)/8, func(i int) uint64 { return o.Uint64(b[8*i:]) ^ bias })
}

func widen32Plain(block []float64, b []byte, swap bool) {
	o := order(swap)
	for i := range block {
		block[i] = float64(math.Float32frombits(o.Uint32(b[4*i:])))
	}
}

func widen64Plain(block []float64, b []byte, swap bool) {
	o := order(swap)
	for i := range block {
		block[i] = math.Float64frombits(o.Uint64(b[8*i:]))
	}
}

func surveyPlain(block []float64) (low, high float64, nan int) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range block {
		if v != v {
			nan++
			continue
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high, nan
}

func extractPlain(block []float64, sigma float64) (sum float64, left bool) {
	for i, x := range block {
		q := (sigma + x) - sigma
		block[i] = x - q
		sum += q
		left = left || block[i] != 0
	}
	return sum, left
}
