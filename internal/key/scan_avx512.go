//go:build goexperiment.simd && amd64

package key

import (
	"simd/archsimd"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/records"
)

// scanAVX512: see mask.go.
func scanAVX512(p *Pattern, text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	m := p.masks
	var firsts, lengths [rangesMax]archsimd.Uint8x64
	for r, s := range m.ranges[:m.behind[max(0, m.sets-1)]] {
		firsts[r], lengths[r] = archsimd.BroadcastUint8x64(s.first), archsimd.BroadcastUint8x64(s.length)
	}
	base := unsafe.Pointer(unsafe.SliceData(text))
	var in [setsMax]uint64
	for _, i := range sel {
		f := column[i]
		v := unsure
		var from, to uint32
		if f.Len <= fieldMax {
			at := unsafe.Add(base, f.Off)
			bytes := archsimd.LoadUint8x64Array((*[64]uint8)(at))
			valid := uint64(1)<<f.Len - 1
			r := 0
			for k := range m.sets {
				of := m.others[k%setsMax]
				for ; r < m.behind[k%setsMax]; r++ {
					first, length := firsts[r%rangesMax], lengths[r%rangesMax]
					of ^= bytes.Sub(first).LessEqual(length).ToBits()
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
