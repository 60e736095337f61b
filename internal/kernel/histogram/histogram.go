// Package histogram counts the values of a typed column in bins of equal width.
//
// A column is counted chunk by chunk in three steps, each a loop of its own over a buffer
// in the first-level cache, so that the first two can be vectors:
//
//	copy   values from wherever they lie to the buffer
//	place  each value becomes the place of its bin, a number
//	tally  a table is incremented at each place
//
// The copy comes first because reading may fail: what is counted has been read whole, and
// a Counter knows how far it has counted when a read ends in a panic.
//
// How a value gets its place depends on the type. Values of 8 and 16 bits are their own
// places, and bins are summed up at the end. The place of a wider integer is the quotient
// of its distance from the lowest bin, which package divide finds. A float is placed by a
// product with the reciprocal of the width, and then held to the bin's printed edges, as
// products are rounded; see grid.
//
// A tally costs an addition in memory a value. When neighbours have the same place, an
// addition has to wait for the one before it. So narrow tables exist several times, and
// neighbours go to different ones; blocks of one and the same value are seen by vectors
// and counted at once.
package histogram

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/divide"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// binsMost is how many bins a window may span unless Spec says otherwise: at most 16 MiB a
// worker, as its table has room to grow.
const binsMost = 1 << 20

// Spec says which values are counted, and in which bins. Numbers are text as a user types
// it: decimal, 0x hex, 0b binary for integers; decimal or hexadecimal for floats.
//
// Either Width or Bins is set. For integers of 8 and 16 bits neither need be, and then each
// value has a bin of its own.
type Spec struct {
	Type compare.Type

	// Width is the distance of two edges, above 0. Bin k holds the values v with
	// Anchor+k*Width <= v < Anchor+(k+1)*Width, k below 0 too.
	Width string

	// Anchor is an edge; empty means 0. Not with Bins.
	Anchor string

	// Bins divides the values from Low to High, both of which it needs. For integers the
	// width is rounded up to a whole number, so that fewer bins may do and the last may
	// reach beyond High. For floats the last bin holds High too. Edges of floats are values
	// of the type.
	Bins int

	// Low and High are the lowest and the highest value that is counted in a bin; empty
	// means no limit. What lies outside is counted apart.
	Low, High string

	// BinsMost bounds the bins from the lowest filled one to the highest; 0 means 2^20.
	BinsMost int
}

// Histogram is a compiled Spec. It does not change and may be used by many goroutines at
// once.
type Histogram struct {
	typ      compare.Type
	scale    scale // integers
	grid     grid  // floats
	binsMost int
	by32     *divide.By32 // nil where no division is needed
	by64     *divide.By64
	kernel   kernel.Variant[kernels]
}

// Compile returns the histogram of a Spec. It fails for numbers that cannot be read or do
// not fit the type, limits that leave nothing, and widths too small to tell bins apart.
//
// Compile chooses the instruction set; call it once a job.
func Compile(s Spec) (*Histogram, error) {
	h, err := compile(s, kernel.Choose(variants))
	if err != nil {
		return nil, fmt.Errorf("histogram of %v: %w", s.Type, err)
	}
	return h, nil
}

func compile(s Spec, v kernel.Variant[kernels]) (*Histogram, error) {
	if s.Type == (compare.Type{}) {
		return nil, errors.New("no type")
	}
	if s.Width == "" && s.Bins == 0 && s.Type.Width() <= 2 {
		s.Width = "1"
	}
	switch {
	case s.Width == "" && s.Bins == 0:
		return nil, errors.New("say the width of a bin, or how many bins")
	case s.Width != "" && s.Bins != 0:
		return nil, errors.New("a width and a number of bins are one too many")
	case s.Bins != 0 && (s.Low == "" || s.High == ""):
		return nil, errors.New("a number of bins needs the lowest and the highest value")
	case s.Bins != 0 && s.Anchor != "":
		return nil, errors.New("a number of bins begins at the lowest value, and has no other anchor")
	case s.BinsMost < 0:
		return nil, fmt.Errorf("at most %d bins", s.BinsMost)
	}
	h := &Histogram{typ: s.Type, binsMost: s.BinsMost, kernel: v}
	if h.binsMost == 0 {
		h.binsMost = binsMost
	}
	if s.Bins < 0 || s.Bins > h.binsMost {
		return nil, fmt.Errorf("%d bins; there may be 1 to %d", s.Bins, h.binsMost)
	}
	var err error
	if s.Type.Float() {
		h.grid, err = newGrid(s)
		return h, err
	}
	if h.scale, err = newScale(s); err != nil {
		return nil, err
	}
	if w := h.scale.width; w > 1 && s.Type.Width() == 8 {
		h.by64 = divide.New64(w)
	} else if w > 1 && w == uint64(uint32(w)) && s.Type.Width() == 4 {
		h.by32 = divide.New32(uint32(w))
	}
	return h, nil
}

// ISA returns the instruction set that values are placed with.
func (h *Histogram) ISA() cpu.ISA { return h.kernel.ISA }

// Bin is a bin and its count: values v with Low <= v < High, in the shortest text that
// reads back as the same number.
type Bin struct {
	Low, High string
	Count     uint64
}

// Result is what was counted.
type Result struct {
	// Bins stand in ascending order, from the first that is not empty to the last, the
	// empty ones between them included.
	Bins []Bin
	// Below and Above count values outside the limits of the Spec, and the infinities.
	Below, Above uint64
	NaN          uint64
}

// bins gives the counts of the bins from a place on their edges.
func (h *Histogram) bins(first uint64, counts []uint64) []Bin {
	bins := make([]Bin, len(counts))
	edge := new(big.Int).SetUint64(first)
	if !h.typ.Float() {
		edge.Mul(edge, h.scale.step).Add(edge, h.scale.origin)
	}
	next := func(place uint64) string {
		if h.typ.Float() {
			return h.grid.format(h.grid.edge(place))
		}
		text := edge.String()
		edge.Add(edge, h.scale.step)
		return text
	}
	low := next(first)
	for i, n := range counts {
		high := next(first + uint64(i) + 1)
		bins[i] = Bin{low, high, n}
		low = high
	}
	return bins
}
