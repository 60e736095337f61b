package literals

import (
	"bytes"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// nibbles is the filter for few literals. They are divided into eight buckets, a bit each.
// For each of four positions and each half of a byte a table of sixteen bytes says which
// buckets have a literal with that half there. A place is marked when some bucket has all
// eight halves. Vectors look up sixteen halves at once.
//
// The idea is that of Teddy, which Geoffrey Langdale wrote for Hyperscan.
type nibbles struct {
	low, high [window][16]uint8
	off       int // of the first position, from the start of a literal
	width     int // positions that say something; behind them all buckets fit
}

const (
	window  = 4 // positions
	buckets = 8
)

// Marker is a form of the filter: for each i below 64*len(marks) for which b[i:] begins with
// the halves of some bucket it sets bit i%64 of marks[i/64]. It leaves other bits as they
// are. b has at least 64*len(marks)+window-1 bytes, and a form reads no further. A call gets
// blockWords marks at most.
type Marker = func(f *nibbles, b []byte, marks []uint64)

// variants holds the forms, best first.
var variants = append(vectorVariants(), kernel.Variant[Marker]{ISA: cpu.Plain, Func: markPlain})

// print is what a literal has at the positions, one byte each with a mask.
type print struct{ value, mask [window]byte }

// newNibbles returns the filter for literals that have these bytes at the positions.
func newNibbles(prints []print, off, width int) *nibbles {
	slices.SortFunc(prints, func(a, b print) int { return bytes.Compare(a.value[:], b.value[:]) })
	prints = slices.Compact(prints)
	f := &nibbles{off: off, width: width}
	for i, p := range prints {
		bucket := uint8(1) << (i * buckets / len(prints)) // neighbours in the order share much
		for pos := range window {
			for half := range byte(16) {
				if half&(p.mask[pos]&15) == p.value[pos]&15 {
					f.low[pos][half] |= bucket
				}
				if half&(p.mask[pos]>>4) == p.value[pos]>>4 {
					f.high[pos][half] |= bucket
				}
			}
		}
	}
	return f
}

// mark marks the places in b[:starts] where some bucket fits.
func (f *nibbles) mark(form Marker, b []byte, starts int, marks *[blockWords]uint64) {
	b = b[min(f.off, len(b)):]
	words := min(starts/64, max(0, len(b)-window+1)/64)
	if words > 0 {
		form(f, b, marks[:words])
	}
	// What is left is padded. The padding fits no position that says something, or ends the
	// text before the shortest literal could.
	for i := 64 * words; i < starts; i += 64 {
		var last [64 + window - 1]byte
		n := copy(last[:], b[min(i, len(b)):])
		var mark [1]uint64
		form(f, last[:], mark[:])
		if fit := n - f.width + 1; fit < 64 {
			mark[0] &= 1<<max(fit, 0) - 1
		}
		marks[i/64] |= mark[0]
	}
}
