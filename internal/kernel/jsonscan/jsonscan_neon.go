//go:build goexperiment.simd && arm64

package jsonscan

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
)

// markNEON builds the masks itself, since NEON has no instruction for that: a byte that is equal
// keeps only the bit of its place, and rounds of adding neighbours of 16 bits gather the bits of a
// block. Neighbours are two bytes apart, so the bytes are reordered first. Not every NEON has a
// carry-less multiplication, so six shifts replace it. See markAVX2.
func markNEON(b []byte, blocks []Block, at State) (State, Found) {
	w := walkFrom(at)
	order := archsimd.LoadUint8x16Array(&places)
	quote, slash := archsimd.BroadcastUint8x16('"'), archsimd.BroadcastUint8x16('\\')
	colon, comma := archsimd.BroadcastUint8x16(':'), archsimd.BroadcastUint8x16(',')
	open, closing := archsimd.BroadcastUint8x16('{'), archsimd.BroadcastUint8x16('}')
	space, half := archsimd.BroadcastUint8x16(' '), archsimd.BroadcastUint8x16(0x0f)
	whites := archsimd.LoadUint8x16Array((*[16]uint8)(whites[:]))
	var any archsimd.Uint8x16
	var faults, allEscaped uint64
	base := unsafe.Pointer(unsafe.SliceData(b))
	blocks = blocks[:len(b)/BlockBytes]
	for i := range blocks {
		p := unsafe.Add(base, i*BlockBytes)
		v0 := archsimd.LoadUint8x16Array((*[16]uint8)(p)).LookupOrZero(order)
		v1 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 16))).LookupOrZero(order)
		v2 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 32))).LookupOrZero(order)
		v3 := archsimd.LoadUint8x16Array((*[16]uint8)(unsafe.Add(p, 48))).LookupOrZero(order)
		any = any.Or(v0).Or(v1).Or(v2.Or(v3))
		m := &blocks[i]
		quotes, slashes := joined(masked(v0.Equal(quote), v1.Equal(quote), v2.Equal(quote), v3.Equal(quote)),
			masked(v0.Equal(slash), v1.Equal(slash), v2.Equal(slash), v3.Equal(slash)))
		var control uint64
		white := masked(whites.LookupOrZero(v0.And(half)).Equal(v0), whites.LookupOrZero(v1.And(half)).Equal(v1),
			whites.LookupOrZero(v2.And(half)).Equal(v2), whites.LookupOrZero(v3.And(half)).Equal(v3))
		if v0.Min(v1).Min(v2.Min(v3)).ReduceMin() < ' ' {
			m.White, control = joined(white, masked(v0.Less(space), v1.Less(space), v2.Less(space), v3.Less(space)))
		} else {
			m.White, _ = joined(white, white)
		}
		var escape uint64
		if slashes|w.escaped != 0 {
			escape, w.escaped = escapes(slashes, w.escaped)
			quotes &^= escape
			allEscaped |= escape
		}
		inside := w.inside ^ kernel.PrefixXor(quotes)
		w.inside = uint64(int64(inside) >> 63)
		outside := ^(inside | quotes)
		m.Quotes, m.Inside, m.Escaped = quotes, inside, escape
		faults |= control&inside | slashes&^inside
		m.Colon, m.Comma = joined(masked(v0.Equal(colon), v1.Equal(colon), v2.Equal(colon), v3.Equal(colon)),
			masked(v0.Equal(comma), v1.Equal(comma), v2.Equal(comma), v3.Equal(comma)))
		// With bit 5 set, square brackets become braces.
		f0, f1, f2, f3 := v0.Or(space), v1.Or(space), v2.Or(space), v3.Or(space)
		m.Open, m.Close = joined(masked(f0.Equal(open), f1.Equal(open), f2.Equal(open), f3.Equal(open)),
			masked(f0.Equal(closing), f1.Equal(closing), f2.Equal(closing), f3.Equal(closing)))
		curly := masked(f0.Equal(v0), f1.Equal(v1), f2.Equal(v2), f3.Equal(v3))
		m.Curly, _ = joined(curly, curly)
		m.Colon, m.Comma, m.Open, m.Close = m.Colon&outside, m.Comma&outside, m.Open&outside, m.Close&outside
	}
	return w.state(), Found{Invalid: faults != 0, NonASCII: any.ReduceMax() > 0x7f, Escapes: allEscaped != 0}
}

// masked gathers the bits of the four quarters of a block, 16 bits for each two bytes.
func masked(m0, m1, m2, m3 archsimd.Mask8x16) archsimd.Uint16x8 {
	weight := archsimd.LoadUint8x16Array(&weights)
	m01 := weight.Masked(m0).ReshapeToUint16s().ConcatAddPairs(weight.Masked(m1).ReshapeToUint16s())
	m23 := weight.Masked(m2).ReshapeToUint16s().ConcatAddPairs(weight.Masked(m3).ReshapeToUint16s())
	return m01.ConcatAddPairs(m23)
}

// joined returns two masks of a block.
func joined(a, b archsimd.Uint16x8) (uint64, uint64) {
	pairs := a.ConcatAddPairs(b).ReshapeToUint32s().ReshapeToUint64s()
	return pairs.GetElem(0), pairs.GetElem(1)
}
