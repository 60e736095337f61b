package key

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// BenchmarkNames finds first names, as lists of donors have them.
func BenchmarkNames(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() []byte {
		w := make([]byte, 4+r.IntN(3)+r.IntN(4))
		for i := range w {
			w[i] = byte('A' + r.IntN(26))
		}
		return w
	}
	var fields [][]byte
	for range records.Max {
		fields = append(fields, slices.Concat(word(), []byte(", "), word()))
	}
	text, column, sel := batch(fields)
	out, kept := make(records.Column, len(sel)), make(records.Selection, len(sel))
	p := compiled(b, `, *([^, ]+)`, Compile)
	for _, v := range variants {
		if !cpu.Has(v.ISA) {
			continue
		}
		p.kernels = v
		finder := p.Finder()
		b.Run(fmt.Sprintf("isa=%v", v.ISA), func(b *testing.B) {
			for b.Loop() {
				if kept := finder.scan(text, column, sel, out, kept[:0]); len(kept) != len(sel) {
					b.Fatalf("%d found", len(kept))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(sel)), "ns/name")
		})
	}
}

// BenchmarkSlice cuts dates down to months.
func BenchmarkSlice(b *testing.B) {
	var fields [][]byte
	for range records.Max {
		fields = append(fields, []byte("20161107"))
	}
	_, column, sel := batch(fields)
	out := make(records.Column, len(sel))
	for b.Loop() {
		if (Slice{To: 6}).Cut(column, sel, out); out[9].Len != 6 {
			b.Fatalf("%d bytes", out[9].Len)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(sel)), "ns/field")
}
