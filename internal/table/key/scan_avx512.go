//go:build goexperiment.simd && amd64

package key

import (
	"simd/archsimd"
	"unsafe"
)

func markAVX512(text unsafe.Pointer, b *block, one, two span, in1, in2 *[blockMax]uint64) {
	first1, length1 := archsimd.BroadcastUint8x64(one.first), archsimd.BroadcastUint8x64(one.length)
	first2, length2 := archsimd.BroadcastUint8x64(two.first), archsimd.BroadcastUint8x64(two.length)
	for j := range min(len(b.records), blockMax) {
		v := archsimd.LoadUint8x64Array((*[64]uint8)(unsafe.Add(text, b.fields[j].Off)))
		in1[j] = v.Sub(first1).LessEqual(length1).ToBits()
		in2[j] = v.Sub(first2).LessEqual(length2).ToBits()
	}
	archsimd.ClearAVXUpperBits()
}

// walkAVX512 is block.match for eight records at a time. If an item takes too few bytes, the
// place of the record becomes 0, and stays 0 in the steps that follow.
func walkAVX512(b *block, m *masks) {
	zero, unit := archsimd.BroadcastUint64x8(0), archsimd.BroadcastUint64x8(1)
	last, offset := archsimd.BroadcastUint64x8(63), archsimd.BroadcastUint64x8(1<<32-1)
	begins := archsimd.BroadcastUint64x8(word(m.begin) & 1)
	anywhere := archsimd.BroadcastUint64x8(word(!m.end))
	again := uint8(word(!m.final))
	for g := 0; g < min(len(b.records), blockMax); g += group {
		fields := archsimd.LoadUint64x8Array((*[group]uint64)(unsafe.Pointer(&b.fields[g])))
		end := unit.ShiftLeft(fields.ShiftAllRight(32)) // none if the field is too long
		inside := end.Sub(unit)
		start := unit
		p, from, to := start, start, start
		for i := range m.steps {
			t := &m.steps[i]
			in := zero
			for _, r := range t.ranges {
				in = in.Or(archsimd.LoadUint64x8Array((*[group]uint64)(unsafe.Pointer(&b.in[r%rangesMax][g]))))
			}
			in = in.Xor(archsimd.BroadcastUint64x8(t.others)).And(inside)
			if i == 0 {
				start = in.Or(begins)
				start = start.And(zero.Sub(start)) // the lowest
				p, from, to = start, start, start
			}
			if t.max < fieldMax {
				in = in.And(p.ShiftLeft(archsimd.BroadcastUint64x8(t.max)).Sub(p))
			}
			next := in.Add(p).AndNot(in)
			if t.min > 0 { // fewer than min bytes: no place
				next = next.AndNot(p.ShiftLeft(archsimd.BroadcastUint64x8(t.min)).Sub(p))
			}
			p = next
			if i+1 == m.from {
				from = p
			}
			if i+1 == m.to {
				to = p
			}
		}
		live, short := uint8(1<<min(group, len(b.records)-g)-1), end.NotEqual(zero).ToBits()
		fit := p.And(end.Or(anywhere)).NotEqual(zero).ToBits() & short & live
		before := last.Sub(from.LeadingZeros())
		length := last.Sub(to.LeadingZeros()).Sub(before)
		found := fields.And(offset).Add(before).Or(length.ShiftAllLeft(32))
		found = found.IfElse(archsimd.Mask64x8FromBits(fit), fields)
		found.StoreArray((*[group]uint64)(unsafe.Pointer(&b.found[g])))
		b.fits[g/group] = fit
		b.doubt[g/group] = (start.NotEqual(zero).ToBits()&again | ^short) &^ fit & live
	}
	archsimd.ClearAVXUpperBits()
}
