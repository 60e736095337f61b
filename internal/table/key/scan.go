package key

import (
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// kernels holds the functions of one instruction set that process a block.
type kernels struct {
	// mark computes in1 and in2, for each record of b: the masks of the bytes of its field that
	// are in the ranges one and two. It may read 64 bytes from the start of each field,
	// whatever its length; bits for bytes beyond the field are undefined. text is the address
	// that the offsets of fields count from.
	mark func(text unsafe.Pointer, b *block, one, two span, in1, in2 *[blockMax]uint64)

	// walk computes from the masks: the answer of each record, which records have one, and
	// which need a closer look.
	walk func(b *block, m *masks)
}

// variants lists the variants, best first.
var variants = append(vectorVariants(),
	kernel.Variant[kernels]{ISA: cpu.Plain, Func: kernels{markPlain, walkPlain}})

// scan finds p in the selected fields of column. It appends the records that match to kept,
// and stores the answers in out, unless out is nil.
func (p *Finder) scan(text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	if p.masks != nil && p.kernels.ISA != cpu.Plain && len(sel) > 1 { // masks do not pay for one record
		return p.scanMasks(text, column, sel, out, kept)
	}
	return p.scanPlain(text, column, sel, out, kept)
}
