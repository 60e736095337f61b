package count

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/scan"
)

// Column is a column of typed values, or of those that meet all conditions.
type Column struct {
	Type       compare.Type
	Stride     int64 // 0 is the width of the type
	Conditions []compare.Condition
}

// compile returns the traits of the column, for a kernel of a family, and which of its values
// fit, nil for all.
func (c Column) compile(family string, isa cpu.ISA) (t scan.Traits, fits *compare.Predicate, err error) {
	width := int64(c.Type.Width())
	switch {
	case c.Stride < 0:
		return t, nil, fmt.Errorf("stride %d is not positive", c.Stride)
	case c.Stride == 0:
		c.Stride = width
	}
	t = scan.Traits{Kernel: fmt.Sprintf("%s %v %v", family, c.Type, isa), Origin: isa.Origin(),
		Ahead: int(width) - 1, SkipHoles: true, Width: width, Stride: c.Stride}
	if len(c.Conditions) > 0 {
		fits, err = compare.Compile(c.Type, c.Conditions)
	}
	return t, fits, err
}

// column takes the values of blocks and gives those that fit to a function.
type column struct {
	places
	fits *compare.Predicate // nil for all

	kept []byte // values that fit, back to back
	// The block under way, and the place in it up to which values have been given. A block
	// that was left by a panic comes again.
	off, given int64
	underWay   bool
}

// keptMost is how many values are looked at before those that fit are given.
const keptMost = 1024

// each calls use with the values that begin in the block. They begin every stride bytes in
// what it gets, of which off is the offset where all values fit, and arbitrary otherwise.
func (c *column) each(b engine.Block, use func(off int64, values []byte, stride int)) {
	in := c.in(b)
	if len(in) == 0 {
		return
	}
	first := c.first(b.Off)
	if c.fits == nil {
		use(first, in, c.step(in))
		return
	}
	if !c.underWay || c.off != b.Off {
		c.underWay, c.off, c.given = true, b.Off, 0
	}
	for c.given+c.width <= int64(len(in)) {
		part := in[c.given:]
		n := c.keep(part)
		c.given += n * c.stride
		if len(c.kept) > 0 {
			use(0, c.kept, int(c.width))
		}
	}
	c.underWay = false
}

// keep copies those of the next values that fit, and returns how many were looked at.
func (c *column) keep(b []byte) (n int64) {
	n = min((int64(len(b))-c.width)/c.stride+1, keptMost)
	b = b[:(n-1)*c.stride+c.width]
	c.kept = c.kept[:0]
	fit := int64(c.fits.CountStride(b, c.step(b)))
	if fit == n && c.stride == c.width {
		c.kept = append(c.kept, b...)
		return n
	}
	for i := int64(0); i < n && fit > 0; i++ {
		value := b[i*c.stride:][:c.width]
		if c.fits.Fits(value) {
			c.kept = append(c.kept, value...)
		}
	}
	return n
}

// zeros returns how many values of a hole fit.
func (c *column) zeros(r source.Range) int64 {
	if c.fits != nil && !c.fits.FitsZero() {
		return 0
	}
	return c.count(r)
}
