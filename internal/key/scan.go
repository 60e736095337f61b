package key

import (
	"unsafe"

	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/records"
)

// markFunc puts into in, for each record of b, the bits of those bytes of its field that are
// in a set: in one of the ranges, or in none if others is all ones. It may read 64 bytes of
// each field, which begin at base+b.at, whatever their length.
type markFunc = func(base unsafe.Pointer, b *block, ranges []span, others uint64, in *[blockMax]uint64)

// variants holds the forms of the marking, best first.
var variants = append(vectorVariants(), kernel.Variant[markFunc]{ISA: cpu.Plain, Func: markPlain})

// scan looks for p in the selected fields of column and appends to kept the records that
// have it; where it is goes to out, unless out is nil.
func (p *Finder) scan(text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	if p.masks != nil && p.mark.ISA != cpu.Plain {
		return p.scanMasks(text, column, sel, out, kept)
	}
	return p.scanPlain(text, column, sel, out, kept)
}
