package count

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/question"
)

// compile returns the traits of a column for a kernel family, and a predicate for the conditions; nil if there are
// none.
func compile(c question.Values, t compare.Type, family string, isa cpu.ISA) (
	traits scan.Traits, fits *compare.Predicate, err error) {
	stride, err := t.Stride(c.Stride)
	traits = scan.Traits{Kernel: fmt.Sprintf("%s %v %v", family, t, isa),
		Ahead: t.Width() - 1, SkipHoles: true, Width: int64(t.Width()), Stride: stride}
	if err == nil && len(c.Conditions) > 0 {
		fits, err = compare.Compile(t, c.Conditions)
	}
	return traits, fits, err
}

// column passes the values of blocks that fit to a function.
type column struct {
	layout
	fits *compare.Predicate // nil if all values fit

	kept []byte // values that fit, back to back
	// The current block, and how many of its bytes are done. If a read of mapped memory panics,
	// the block comes again with fewer bytes: the values that were passed on must not be
	// passed on twice.
	off, done  int64
	unfinished bool
}

// keptMax is how many values keep tests at a time.
const keptMax = 1024

// each calls use with the values that begin in the block, one every stride bytes; off is the offset
// of the first one in the input. With a predicate, it passes only the values that fit, and off is 0.
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
	if !c.unfinished || c.off != b.Off {
		c.unfinished, c.off, c.done = true, b.Off, 0
	}
	for c.done+c.width <= int64(len(in)) {
		part := in[c.done:]
		n := c.keep(part)
		c.done += n * c.stride
		if len(c.kept) > 0 {
			use(0, c.kept, int(c.width))
		}
	}
	c.unfinished = false
}

// keep tests the next values, at most keptMax, and copies those that fit to c.kept. It returns
// how many it tested.
func (c *column) keep(b []byte) (n int64) {
	n = min((int64(len(b))-c.width)/c.stride+1, keptMax)
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

// zeros returns how many values in a hole fit.
func (c *column) zeros(r source.Range) int64 {
	if c.fits != nil && !c.fits.FitsZero() {
		return 0
	}
	return c.count(r)
}
