// Package histogram counts the values of a typed column in bins of equal width.
//
// A column is counted chunk by chunk in three steps. Each is a loop of its own over a buffer in the
// first-level cache, so that the first two can use vectors:
//
//	copy   values to the buffer, from wherever they are
//	place  replace each value by the place of its bin, a number
//	count  increment a table at each place
//
// The copy comes first because reading may fail: whatever is counted has been read completely, and
// when a read panics, the Counter knows how far it has counted.
//
// How a value gets its place depends on the type. Values of 8 and 16 bits are their own places, and
// bins are added up at the end. The place of a wider integer is its distance from the lowest bin
// divided by the width; package divide does that. A float is multiplied by the reciprocal of the
// width, and the result is then corrected by the bin's printed edges, because products are rounded;
// see grid.
//
// Counting costs one addition in memory per value. If neighbours have the same place, an addition
// has to wait for the one before it. So narrow tables exist several times, and neighbours go to
// different ones. Vectors find blocks that repeat a single value, and these are counted at once.
package histogram

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/divide"
	"github.com/thresh-dev/thresh/internal/kernel/gather"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// binsMost is how many bins a window may span unless Spec says otherwise: at most 16 MiB per
// worker, including the room that its table has to grow.
const binsMost = 1 << 20

// Spec says which values to count, and in which bins. Numbers are text as a user types it: decimal,
// 0x hex, 0b binary for integers; decimal or hexadecimal for floats.
//
// Either Width or Bins is set. Integers of 8 and 16 bits need neither; then each value has its own
// bin.
type Spec struct {
	Type compare.Type

	// Width is the distance between two edges, above 0. Bin k holds the values v with
	// Anchor+k*Width <= v < Anchor+(k+1)*Width; k may be negative.
	Width string

	// Anchor is an edge; empty means 0. Not allowed with Bins.
	Anchor string

	// Bins divides the range from Low to High, which must both be set. For integers the width is
	// rounded up to an integer, so fewer bins may suffice and the last may extend beyond High. For
	// floats the last bin includes High. The edges of floats are values of the type.
	Bins int

	// Low and High are the lowest and the highest value that is counted in a bin; empty means no
	// limit. Values outside are counted separately.
	Low, High string

	// BinsMost limits the number of bins from the lowest filled one to the highest; 0 means 2^20.
	BinsMost int
}

// Histogram is a compiled Spec. It is immutable and safe for concurrent use.
type Histogram struct {
	typ      compare.Type
	scale    scale // integers
	grid     grid  // floats
	binsMost int
	by32     *divide.By[uint32] // nil if no division is needed
	by64     *divide.By[uint64]
	kernel   kernel.Variant[kernels]
	gather   kernel.Variant[gather.Func]
}

// Compile returns the histogram of a Spec. It fails for numbers that cannot be parsed or do not fit
// the type, limits that exclude everything, and widths too small to distinguish bins.
//
// Compile chooses the instruction set; call it once per job.
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
	if s.Width == "" && s.Bins == 0 && s.Type.Width() <= 2 && !s.Type.Float() {
		s.Width = "1"
	}
	switch {
	case s.Width == "" && s.Bins == 0:
		return nil, errors.New("give the width of a bin, or the number of bins")
	case s.Width != "" && s.Bins != 0:
		return nil, errors.New("give a width or a number of bins, not both")
	case s.Bins != 0 && (s.Low == "" || s.High == ""):
		return nil, errors.New("a number of bins needs the lowest and the highest value")
	case s.Bins != 0 && s.Anchor != "":
		return nil, errors.New("with a number of bins, the first begins at the lowest value: no other anchor")
	case s.BinsMost < 0:
		return nil, fmt.Errorf("at most %d bins", s.BinsMost)
	}
	h := &Histogram{typ: s.Type, binsMost: s.BinsMost, kernel: v, gather: gather.Best()}
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

// ISA returns the instruction set that computes the places of values.
func (h *Histogram) ISA() cpu.ISA { return h.kernel.ISA }

// bins returns the counts with their edges; first is the place of the first count.
func (h *Histogram) bins(first uint64, counts []uint64) []answer.Bin {
	bins := make([]answer.Bin, len(counts))
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
		bins[i] = answer.Bin{Low: low, High: high, Count: n}
		low = high
	}
	return bins
}
