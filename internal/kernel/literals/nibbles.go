package literals

import (
	"bytes"
	"slices"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// nibbles is the filter for few literals. They are divided into eight buckets, one bit each. For
// each of four positions and each half of a byte, a table of sixteen bytes holds the buckets that
// have a literal with that half there. A place is marked if some bucket has all eight halves.
// Vectors look up sixteen halves at once.
//
// The idea is that of Teddy, which Geoffrey Langdale wrote for Hyperscan.
type nibbles struct {
	low, high [window][16]uint8
	off       int // of the first position, from the start of a literal
	width     int // positions in use; after them all buckets match
}

const (
	window  = 4 // positions
	buckets = 8
)

// Marker is the signature of the filter's kernel. For each i below 64*len(marks) it sets bit i%64
// of marks[i/64] if b[i:] begins with the halves of some bucket; it leaves other bits unchanged. b
// has at least 64*len(marks)+window-1 bytes, and a variant reads no further. There are at most
// blockWords marks per call.
type Marker = func(f *nibbles, b []byte, marks []uint64)

// variants holds the kernel's variants, best first.
var variants = append(vectorVariants(), kernel.Variant[Marker]{ISA: cpu.Plain, Func: markPlain})

// print holds the bytes of a literal at the positions, with masks.
type print struct{ value, mask [window]byte }

// newNibbles returns the filter for literals that have these bytes at the positions.
func newNibbles(prints []print, off, width int) *nibbles {
	slices.SortFunc(prints, func(a, b print) int { return bytes.Compare(a.value[:], b.value[:]) })
	prints = slices.Compact(prints)
	f := &nibbles{off: off, width: width}
	for i, p := range prints {
		bucket := uint8(1) << (i * buckets / len(prints)) // neighbours in sorted order have much in common
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

// mark marks the places in b[:starts] where some bucket matches.
func (f *nibbles) mark(marker Marker, b []byte, starts int, marks *[blockWords]uint64) {
	b = b[min(f.off, len(b)):]
	words := min(starts/64, max(0, len(b)-window+1)/64)
	if words > 0 {
		marker(f, b, marks[:words])
	}
	// The rest is padded. The padding matches at no position in use, or ends the text before the
	// shortest literal could.
	for i := 64 * words; i < starts; i += 64 {
		var last [64 + window - 1]byte
		n := copy(last[:], b[min(i, len(b)):])
		var mark [1]uint64
		marker(f, last[:], mark[:])
		if fit := n - f.width + 1; fit < 64 {
			mark[0] &= 1<<max(fit, 0) - 1
		}
		marks[i/64] |= mark[0]
	}
}
