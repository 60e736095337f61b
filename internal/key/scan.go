package key

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/records"
)

// scanFunc looks for p in the selected fields of column and appends to kept the records
// that have it; where it is goes to out, unless out is nil.
type scanFunc = func(p *Pattern, text []byte, column records.Column, sel records.Selection,
	out records.Column, kept records.Selection) records.Selection

// variants holds the forms of the scan, best first.
var variants = append(vectorVariants(), kernel.Variant[scanFunc]{ISA: cpu.Plain, Func: scanPlain})

// choose returns the form of the scan for p: the vector forms are for masks.
func choose(p *Pattern) scanFunc {
	if p.masks == nil {
		return scanPlain
	}
	return kernel.Choose(variants).Func
}
