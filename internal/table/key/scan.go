package key

import (
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields/records"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// forms is what is done with a block in one instruction set.
type forms struct {
	// mark puts into in1 and in2, for each record of b, the bits of those bytes of its field
	// that are in a range. It may read 64 bytes of each field, whatever their length, and
	// what it says of bytes beyond a field means nothing. text is where fields are counted
	// from.
	mark func(text unsafe.Pointer, b *block, one, two span, in1, in2 *[blockMax]uint64)

	// walk makes of the marks what was found in each record, which fit, and which are in doubt.
	walk func(b *block, m *masks)
}

// variants holds the forms, best first.
var variants = append(vectorVariants(),
	kernel.Variant[forms]{ISA: cpu.Plain, Func: forms{markPlain, walkPlain}})

// scan looks for p in the selected fields of column and appends to kept the records that
// have it; where it is goes to out, unless out is nil.
func (p *Finder) scan(text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection {
	if p.masks != nil && p.forms.ISA != cpu.Plain && len(sel) > 1 { // one record is not worth the masks
		return p.scanMasks(text, column, sel, out, kept)
	}
	return p.scanPlain(text, column, sel, out, kept)
}
