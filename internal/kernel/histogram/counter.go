package histogram

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/internal/kernel/compare"
	"github.com/thresh-dev/thresh/internal/kernel/gather"
)

const (
	chunkBytes = 8 << 10 // a quarter of a usual first-level cache
	chunkWide  = 1024    // values of 32 and 64 bits a chunk
)

// hostBigEndian is the byte order of this machine.
var hostBigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// Counter counts values for one worker. It is not safe for concurrent use: give each
// worker its own and merge them at the end.
type Counter struct {
	h                 *Histogram
	below, above, nan uint64
	window            window
	narrow            *narrow // values of 8 and 16 bits

	chunk  [chunkWide]uint64 // values as read, later their places
	floats [chunkWide]float64

	// The current call of Add: where it began, and how many of its bytes are counted. After a panic
	// underWay stays true.
	underWay bool
	off      int64
	counted  int
}

// Counter returns a new counter. It takes some KiB, and 1 MiB for 16-bit values.
func (h *Histogram) Counter() *Counter {
	c := &Counter{h: h, window: newWindow(h.binsMost)}
	if h.typ.Width() <= 2 {
		c.narrow = newNarrow(h.typ.Width())
	}
	return c
}

// Add counts the whole values of b, which begin every stride bytes from its start. The stride may
// be larger or smaller than the width of a value; Add panics if it is less than 1. off is the
// offset of b in the input.
//
// Reading b may panic, for example if it is a mapping of a file that shrinks. Then some values of b
// are counted and others are not. The next call with the same off continues with the others: it
// repeats the same call with a b that ends earlier. A call that returns, with or without an error,
// is finished.
//
// Add fails if a value is so far from the others that more bins than allowed would be needed. The
// counter is useless then.
func (c *Counter) Add(off int64, b []byte, stride int) error {
	if stride < 1 {
		panic(fmt.Sprintf("thresh: bug: values every %d bytes", stride))
	}
	if !c.underWay || c.off != off {
		c.underWay, c.off, c.counted = true, off, 0
	}
	// A stride past the end means the same as one to the end, and cannot overflow.
	stride = min(stride, max(len(b), 1))
	width := c.h.typ.Width()
	for c.counted+width <= len(b) {
		n, err := c.count(b[c.counted:], stride)
		if err != nil {
			c.underWay = false
			return err
		}
		c.counted += n * stride
	}
	c.underWay = false
	return nil
}

// count counts the next values of b, and returns how many. It counts only what it has copied, so it
// cannot panic once it has begun to count.
func (c *Counter) count(b []byte, stride int) (n int, err error) {
	p := unsafe.Pointer(&c.chunk)
	switch c.h.typ.Width() {
	case 1:
		values := gathered(c, (*[chunkBytes]uint8)(p)[:], b, stride)
		c.narrow.count(values, &c.h.kernel.Func)
		return len(values), nil
	case 2:
		values := gathered(c, (*[chunkBytes / 2]uint16)(p)[:], b, stride)
		c.narrow.count(bytesOf(values), &c.h.kernel.Func)
		return len(values), nil
	case 4:
		values := gathered(c, (*[chunkWide]uint32)(p)[:], b, stride)
		if c.h.typ.Float() {
			return len(values), c.countFloats(c.widen(values))
		}
		return len(values), countIntegers(c, values, c.h.kernel.Func.distances32, c.h.by32)
	}
	values := gathered(c, c.chunk[:], b, stride)
	if c.h.typ.Float() {
		return len(values), c.countFloats(c.asFloats(values))
	}
	return len(values), countIntegers(c, values, c.h.kernel.Func.distances64, c.h.by64)
}

// gathered copies values that begin every stride bytes from the start of b, as many as there are and
// fit, in the machine's byte order.
func gathered[T uint8 | uint16 | uint32 | uint64](c *Counter, to []T, b []byte, stride int) []T {
	width := c.h.typ.Width()
	to = to[:min(gather.Count(b, width, stride), len(to))]
	if stride == width {
		copy(bytesOf(to), b)
	} else {
		c.h.gather.Func(bytesOf(to), b, width, stride)
	}
	return to
}

// bytesOf returns the values as bytes, without copying.
func bytesOf[T uint8 | uint16 | uint32 | uint64](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(T(0))))
}

// swaps reports whether the values have the other byte order than the machine.
func (c *Counter) swaps() bool { return c.h.typ.BigEndian() != hostBigEndian }

// AddZeros counts n values whose bytes are all zero, as Add would.
func (c *Counter) AddZeros(n uint64) error {
	switch {
	case n == 0:
		return nil
	case c.narrow != nil:
		c.narrow.counts[0] += n
		return nil
	case c.h.typ.Float():
		return c.addFloat(0, n)
	}
	return c.addRank(c.h.scale.bias, n)
}

// tooFar is the error for a value whose bin the window cannot hold. places are the places it needs.
func (c *Counter) tooFar(value string, places ...uint64) error {
	w := &c.window
	low, high := ^uint64(0), uint64(0)
	if !w.empty() {
		low, high = w.low, w.high
	}
	for _, p := range places {
		low, high = min(low, p), max(high, p)
	}
	return fmt.Errorf("value %s is too far from the others for at most %d bins: a width of %s would suffice",
		value, w.most, c.wider(high-low))
}

// wider returns a width at which the window could hold span+1 bins.
func (c *Counter) wider(span uint64) string {
	times := span/max(c.window.most-1, 1) + 1
	if c.h.typ.Float() {
		return formatFloat(c.h.grid.width * float64(times+1))
	}
	width := new(big.Int).SetUint64(times)
	return width.Add(width, big.NewInt(1)).Mul(width, c.h.scale.step).String()
}

// Merge adds what other has counted; it must come from the same Histogram. It fails like Add.
func (c *Counter) Merge(other *Counter) error {
	if c.h != other.h {
		panic("thresh: bug: counters of different histograms")
	}
	c.below += other.below
	c.above += other.above
	c.nan += other.nan
	if c.narrow != nil {
		c.narrow.merge(other.narrow)
		return nil
	}
	first, counts := other.window.filled()
	if len(counts) == 0 {
		return nil
	}
	last := first + uint64(len(counts)) - 1
	if !c.window.reach(first, last) {
		far := first
		if last > c.window.high {
			far = last
		}
		return c.tooFar(c.h.bins(far, []uint64{0})[0].Low, first, last)
	}
	for i, n := range counts {
		c.window.add(first+uint64(i), n)
	}
	return nil
}

// Result returns what was counted so far. For values of 8 and 16 bits it may fail like Add does for
// wider ones.
func (c *Counter) Result() (answer.Histogram, error) {
	if c.narrow != nil {
		wide := &Counter{h: c.h, below: c.below, above: c.above, window: newWindow(c.h.binsMost)}
		c.narrow.flush()
		for bits, n := range c.narrow.counts {
			if n == 0 {
				continue
			}
			if err := wide.addNarrow(valueBits(c.h.typ, uint64(bits)), n); err != nil {
				return answer.Histogram{}, err
			}
		}
		c = wide
	}
	first, counts := c.window.filled()
	return answer.Histogram{Bins: c.h.bins(first, counts), Below: c.below, Above: c.above, NaN: c.nan}, nil
}

// addNarrow counts n values of 8 or 16 bits with the same bits.
func (c *Counter) addNarrow(raw, n uint64) error {
	if c.h.typ.Float() {
		return c.addFloat(c.h.typ.Value(raw), n)
	}
	return c.addRank(raw^c.h.scale.bias, n)
}

// valueBits undoes the byte order of a 16-bit value counted as little endian.
func valueBits(t compare.Type, value uint64) uint64 {
	if t.BigEndian() {
		return uint64(bits.ReverseBytes16(uint16(value)))
	}
	return value
}
