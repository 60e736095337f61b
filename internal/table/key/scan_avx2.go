//go:build goexperiment.simd && amd64

package key

import (
	"simd/archsimd"
	"unsafe"
)

// half is how many records a vector holds.
const half = group / 2

// markAVX2: AVX2 has no unsigned comparison. But a byte is at most the length if it is the
// minimum of both.
func markAVX2(text unsafe.Pointer, b *block, one, two span, in1, in2 *[blockMax]uint64) {
	first1, length1 := archsimd.BroadcastUint8x32(one.first), archsimd.BroadcastUint8x32(one.length)
	first2, length2 := archsimd.BroadcastUint8x32(two.first), archsimd.BroadcastUint8x32(two.length)
	for j := range min(len(b.records), blockMax) {
		p := unsafe.Add(text, b.fields[j].Off)
		v := archsimd.LoadUint8x32Array((*[32]uint8)(p))
		w := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(p, 32)))
		v1, w1, v2, w2 := v.Sub(first1), w.Sub(first1), v.Sub(first2), w.Sub(first2)
		in1[j] = uint64(v1.Min(length1).Equal(v1).ToBits()) | uint64(w1.Min(length1).Equal(w1).ToBits())<<32
		in2[j] = uint64(v2.Min(length2).Equal(v2).ToBits()) | uint64(w2.Min(length2).Equal(w2).ToBits())<<32
	}
	archsimd.ClearAVXUpperBits()
}

// walkAVX2 is block.match for four records at a time. If an item takes too few bytes, the
// place of the record becomes 0, and stays 0 in the steps that follow.
func walkAVX2(b *block, m *masks) {
	zero, unit := archsimd.BroadcastUint64x4(0), archsimd.BroadcastUint64x4(1)
	begins := archsimd.BroadcastUint64x4(word(m.begin) & 1)
	anywhere := archsimd.BroadcastUint64x4(word(!m.end))
	again := uint8(word(!m.final))
	b.fits, b.doubt = [blockMax / group]uint8{}, [blockMax / group]uint8{}
	for h := 0; h < min(len(b.records), blockMax); h += half {
		fields := archsimd.LoadUint64x4Array((*[half]uint64)(unsafe.Pointer(&b.fields[h])))
		end := unit.ShiftLeft(fields.ShiftAllRight(32)) // none if the field is too long
		inside := end.Sub(unit)
		start := unit
		p, from, to := start, start, start
		for i := range m.steps {
			t := &m.steps[i]
			in := zero
			for _, r := range t.ranges {
				in = in.Or(archsimd.LoadUint64x4Array((*[half]uint64)(unsafe.Pointer(&b.in[r%rangesMax][h]))))
			}
			in = in.Xor(archsimd.BroadcastUint64x4(t.others)).And(inside)
			if i == 0 {
				start = in.Or(begins)
				start = start.And(zero.Sub(start)) // the lowest
				p, from, to = start, start, start
			}
			if t.max < fieldMax {
				in = in.And(p.ShiftLeft(archsimd.BroadcastUint64x4(t.max)).Sub(p))
			}
			next := in.Add(p).AndNot(in)
			if t.min > 0 { // fewer than min bytes: no place
				next = next.AndNot(p.ShiftLeft(archsimd.BroadcastUint64x4(t.min)).Sub(p))
			}
			p = next
			if i+1 == m.from {
				from = p
			}
			if i+1 == m.to {
				to = p
			}
		}
		live := uint8(1<<min(half, len(b.records)-h) - 1)
		long := end.Equal(zero).ToBits()
		fit := ^p.And(end.Or(anywhere)).Equal(zero).ToBits() &^ long & live
		some := (^start.Equal(zero).ToBits()&again | long) &^ fit & live
		b.fits[h/group] |= fit << (h % group)
		b.doubt[h/group] |= some << (h % group)
		var first, behind [half]uint64
		from.StoreArray(&first)
		to.StoreArray(&behind)
		for j := range half {
			b.found[h+j] = b.fields[h+j]
			if fit>>j&1 != 0 {
				b.found[h+j] = answer(b.fields[h+j], first[j], behind[j])
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}
