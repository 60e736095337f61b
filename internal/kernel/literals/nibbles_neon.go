//go:build goexperiment.simd && arm64

package literals

import (
	"simd/archsimd"
	"unsafe"
)

// markNEON tests 16 places at a time. NEON does not turn a mask into bits: a byte that matches
// keeps the bit of its place, and three rounds of adding neighbours gather the bits. See
// nibbles.go.
func markNEON(f *nibbles, b []byte, marks []uint64) {
	_ = b[:64*len(marks)+window-1]
	l0, h0 := archsimd.LoadUint8x16Array(&f.low[0]), archsimd.LoadUint8x16Array(&f.high[0])
	l1, h1 := archsimd.LoadUint8x16Array(&f.low[1]), archsimd.LoadUint8x16Array(&f.high[1])
	l2, h2 := archsimd.LoadUint8x16Array(&f.low[2]), archsimd.LoadUint8x16Array(&f.high[2])
	l3, h3 := archsimd.LoadUint8x16Array(&f.low[3]), archsimd.LoadUint8x16Array(&f.high[3])
	half, zero := archsimd.BroadcastUint8x16(15), archsimd.BroadcastUint8x16(0)
	order, weight := archsimd.LoadUint8x16Array(&interleaved), archsimd.LoadUint8x16Array(&weights)
	p := unsafe.Pointer(unsafe.SliceData(b))
	var fits [64]uint8
	for i := range marks {
		for part := 0; part < 64; part += 16 {
			q := unsafe.Add(p, 64*i+part)
			v0 := archsimd.LoadUint8x16Array((*[16]uint8)(q))
			v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(q, 1)))
			v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(q, 2)))
			v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(q, 3)))
			fit := l0.LookupOrZero(v0.And(half)).And(h0.LookupOrZero(v0.ShiftAllRight(4))).
				And(l1.LookupOrZero(v1.And(half))).And(h1.LookupOrZero(v1.ShiftAllRight(4))).
				And(l2.LookupOrZero(v2.And(half))).And(h2.LookupOrZero(v2.ShiftAllRight(4))).
				And(l3.LookupOrZero(v3.And(half))).And(h3.LookupOrZero(v3.ShiftAllRight(4)))
			weight.Masked(fit.LookupOrZero(order).Greater(zero)).StoreArray((*[16]uint8)(fits[part:]))
		}
		m0 := archsimd.LoadUint8x16Array((*[16]uint8)(fits[0:])).ReshapeToUint16s()
		m1 := archsimd.LoadUint8x16Array((*[16]uint8)(fits[16:])).ReshapeToUint16s()
		m2 := archsimd.LoadUint8x16Array((*[16]uint8)(fits[32:])).ReshapeToUint16s()
		m3 := archsimd.LoadUint8x16Array((*[16]uint8)(fits[48:])).ReshapeToUint16s()
		all := m0.ConcatAddPairs(m1).ConcatAddPairs(m2.ConcatAddPairs(m3))
		marks[i] |= all.ConcatAddPairs(all).ReshapeToUint32s().ReshapeToUint64s().GetElem(0)
	}
}
