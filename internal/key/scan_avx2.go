//go:build goexperiment.simd && amd64

package key

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/records"
)

// scanAVX2: see mask.go.
func scanAVX2(p *Pattern, text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	m := p.masks
	var firsts, lengths [rangesMax]archsimd.Uint8x32
	for r, s := range m.ranges[:m.behind[max(0, m.sets-1)]] {
		firsts[r], lengths[r] = archsimd.BroadcastUint8x32(s.first), archsimd.BroadcastUint8x32(s.length)
	}
	base := unsafe.Pointer(unsafe.SliceData(text))
	var in [setsMax]uint64
	for _, i := range sel {
		f := column[i]
		v := unsure
		var from, to uint32
		if f.Len <= fieldMax {
			at := unsafe.Add(base, f.Off)
			low := archsimd.LoadUint8x32Array((*[32]uint8)(at))
			high := archsimd.LoadUint8x32Array((*[32]uint8)(unsafe.Add(at, 32)))
			valid := uint64(1)<<f.Len - 1
			r := 0
			for k := range m.sets {
				of := m.others[k%setsMax]
				for ; r < m.behind[k%setsMax]; r++ {
					first, length := firsts[r%rangesMax], lengths[r%rangesMax]
					// At most length, which AVX2 has no comparison for: the smaller of both is itself.
					l, h := low.Sub(first), high.Sub(first)
					of ^= uint64(l.Min(length).Equal(l).ToBits()) | uint64(h.Min(length).Equal(h).ToBits())<<32
				}
				in[k%setsMax] = of & valid
			}
			from, to, v = m.find(&in, f.Len)
		}
		if v == fits {
			kept = keep(i, f, from, to, out, kept)
		} else if v == unsure {
			kept = p.scanOne(text, f, i, out, kept)
		}
	}
	archsimd.ClearAVXUpperBits()
	return kept
}
