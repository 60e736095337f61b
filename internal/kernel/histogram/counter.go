package histogram

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"unsafe"

	"github.com/thresh-dev/thresh/internal/kernel/compare"
)

const (
	chunkBytes = 8 << 10 // a quarter of a usual first-level cache
	chunkWide  = 1024    // values of 32 and 64 bits a chunk
)

// hostBigEndian tells this machine's byte order.
var hostBigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// Counter counts values for one worker. It is not safe for concurrent use: give each
// worker its own and merge them at the end.
type Counter struct {
	h                 *Histogram
	below, above, nan uint64
	window            window
	narrow            *narrow // values of 8 and 16 bits

	chunk  [chunkWide]uint64 // values as they were read, then places
	floats [chunkWide]float64

	// Where the call of Add that is under way began, and how many of its bytes are
	// counted. A call that a panic ended stays under way.
	underWay bool
	off      int64
	counted  int
}

// Counter returns a new counter. It takes some KiB, and for 16-bit values 1 MiB.
func (h *Histogram) Counter() *Counter {
	c := &Counter{h: h, window: newWindow(h.binsMost)}
	if h.typ.Width() <= 2 {
		c.narrow = newNarrow(h.typ.Width())
	}
	return c
}

// Add counts the whole values of b, which begin every stride bytes from its start. The
// stride may be larger than the width of a value, or smaller; it panics when the stride is
// less than 1. Off is the place of b in the input.
//
// Reading b may panic, as when it is a mapping of a file that shrinks. Then some values of
// b are counted and others are not, and the next call with the same off goes on with the
// others: it is the same call again, with a b that ends earlier. A call that returns is
// done, with an error too.
//
// Add fails when a value lies so far from the others that more bins than allowed would be
// needed. The counter is of no use then.
func (c *Counter) Add(off int64, b []byte, stride int) error {
	if stride < 1 {
		panic(fmt.Sprintf("thresh: bug: values every %d bytes", stride))
	}
	if !c.underWay || c.off != off {
		c.underWay, c.off, c.counted = true, off, 0
	}
	// A step behind the end is as good as one to the end, and cannot overflow.
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

// count counts the next values of b, and returns how many. No more than it has copied: it
// cannot panic once it has begun to count.
func (c *Counter) count(b []byte, stride int) (n int, err error) {
	p := unsafe.Pointer(&c.chunk)
	switch c.h.typ.Width() {
	case 1:
		values := gather((*[chunkBytes]uint8)(p)[:], b, stride)
		c.narrow.count(values, c.h.kernel.Func.same)
		return len(values), nil
	case 2:
		values := gather((*[chunkBytes / 2]uint16)(p)[:], b, stride)
		c.narrow.count(bytesOf(values), c.h.kernel.Func.same)
		return len(values), nil
	case 4:
		values := gather((*[chunkWide]uint32)(p)[:], b, stride)
		if c.h.typ.Float() {
			return len(values), c.countFloats(c.widen(values))
		}
		return len(values), c.countWhole32(values)
	}
	values := gather(c.chunk[:], b, stride)
	if c.h.typ.Float() {
		return len(values), c.countFloats(c.ordered(values))
	}
	return len(values), c.countWhole64(values)
}

// gather copies values that begin every stride bytes from the start of b, as many as there
// are and fit, in the machine's byte order.
func gather[T uint8 | uint16 | uint32 | uint64](to []T, b []byte, stride int) []T {
	width := int(unsafe.Sizeof(T(0)))
	n := min((len(b)-width)/stride+1, len(to))
	to = to[:n]
	if stride == width {
		copy(bytesOf(to), b)
		return to
	}
	from := unsafe.Pointer(unsafe.SliceData(b[:(n-1)*stride+width]))
	for i := range to {
		to[i] = *(*T)(unsafe.Add(from, i*stride)) // unaligned, as all machines of Go allow
	}
	return to
}

// bytesOf returns the memory of values.
func bytesOf[T uint8 | uint16 | uint32 | uint64](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(T(0))))
}

// swaps reports whether values are not in the machine's byte order.
func (c *Counter) swaps() bool { return c.h.typ.BigEndian() != hostBigEndian }

func (c *Counter) countWhole32(values []uint32) error {
	s := &c.h.scale
	low, high := c.h.kernel.Func.distances32(values, c.swaps(), uint32(s.base^s.bias))
	values, low, high, err := inside(c, values, low, high)
	if err != nil || len(values) == 0 {
		return err
	}
	first, last, err := c.reach(uint64(low), uint64(high))
	if err != nil {
		return err
	}
	if first == last {
		c.window.add(first, uint64(len(values)))
		return nil
	}
	if c.h.by32 != nil {
		c.h.by32.Divide(values, values)
	}
	tally(&c.window, values, s.cut)
	return nil
}

func (c *Counter) countWhole64(values []uint64) error {
	s := &c.h.scale
	low, high := c.h.kernel.Func.distances64(values, c.swaps(), s.base^s.bias)
	values, low, high, err := inside(c, values, low, high)
	if err != nil || len(values) == 0 {
		return err
	}
	first, last, err := c.reach(low, high)
	if err != nil {
		return err
	}
	if first == last {
		c.window.add(first, uint64(len(values)))
		return nil
	}
	if c.h.by64 != nil {
		c.h.by64.Divide(values, values)
	}
	tally(&c.window, values, s.cut)
	return nil
}

// inside returns the distances from base that have a quotient, all of which lie between
// low and high as returned, and counts the others apart.
//
// Ranks below base have wrapped around and are larger than all distances up to the
// highest rank. So the least and the most of a chunk tell whether there is anything to do.
func inside[T uint32 | uint64](c *Counter, values []T, low, high T) (in []T, _, _ T, err error) {
	s := &c.h.scale
	from := T(max(s.low, s.base) - s.base)
	to := T(s.high - s.base) // base is at most the high limit
	if from <= low && high <= to {
		return values, low, high, nil
	}
	// Borrows are counted, as a branch on each value would be mispredicted too often.
	base, lowest, highest := T(s.base), s.low, s.high
	var below, above, n uint64
	for _, d := range values {
		rank := uint64(d + base)
		_, isBelow := bits.Sub64(rank, lowest, 0)
		_, isAbove := bits.Sub64(highest, rank, 0)
		below += isBelow
		above += isAbove
	}
	c.below += below
	c.above += above
	if s.cut > 0 {
		if err := addCut(c, values); err != nil {
			return nil, 0, 0, err
		}
	}
	for _, d := range values {
		_, isOut := bits.Sub64(uint64(to-from), uint64(d-from), 0)
		values[n] = d
		n += 1 - isOut
	}
	low, high = ^T(0), 0
	for _, d := range values[:n] {
		low, high = min(low, d), max(high, d)
	}
	return values[:n], low, high, nil
}

// addCut counts the values of the cut bin.
func addCut[T uint32 | uint64](c *Counter, values []T) error {
	s := &c.h.scale
	for _, d := range values {
		if rank := uint64(d + T(s.base)); rank >= s.low && rank < s.base {
			if err := c.addRank(rank, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// reach makes the window hold the places of two distances from base, and returns them.
func (c *Counter) reach(low, high uint64) (first, last uint64, err error) {
	s := &c.h.scale
	first, last = s.quotient(low)+s.cut, s.quotient(high)+s.cut
	if c.window.reach(first, last) {
		return first, last, nil
	}
	far, w := s.base+low, &c.window
	if w.empty() || last > w.high && (first >= w.low || last-w.high > w.low-first) {
		far = s.base + high
	}
	return 0, 0, c.tooFar(s.value(far).String(), first, last)
}

// widen turns the bits of 32-bit floats into 64-bit floats.
func (c *Counter) widen(values []uint32) []float64 {
	c.h.kernel.Func.distances32(values, c.swaps(), 0)
	floats := c.floats[:len(values)]
	for i, v := range values {
		floats[i] = float64(math.Float32frombits(v))
	}
	return floats
}

// ordered turns the bits of 64-bit floats into floats.
func (c *Counter) ordered(values []uint64) []float64 {
	if c.swaps() {
		for i, v := range values {
			values[i] = bits.ReverseBytes64(v)
		}
	}
	floats := c.floats[:len(values)]
	copy(floats, unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(values))), len(values)))
	return floats
}

func (c *Counter) countFloats(values []float64) error {
	places := c.chunk[:len(values)]
	low, high := c.h.kernel.Func.slots(places, values, &c.h.grid)
	if low == 0 {
		n := 0
		low, high = math.MaxUint64, 0
		for i, p := range places {
			if p == 0 {
				if err := c.apart(values[i]); err != nil {
					return err
				}
				continue
			}
			places[n] = p
			n++
			low, high = min(low, p), max(high, p)
		}
		places = places[:n]
	}
	if len(places) == 0 {
		return nil
	}
	if !c.window.reach(low, high) {
		for _, v := range values {
			if p := c.h.grid.slot(v); p != 0 && !c.window.reach(p, p) {
				return c.tooFar(formatFloat(v), p)
			}
		}
	}
	if low == high {
		c.window.add(low, uint64(len(places)))
		return nil
	}
	tally(&c.window, places, 0)
	return nil
}

// apart counts a float that has no place.
func (c *Counter) apart(v float64) error {
	g := &c.h.grid
	switch {
	case v != v:
		c.nan++
	case v < g.low:
		c.below++
	case v > g.high:
		c.above++
	default:
		return fmt.Errorf("value %s lies more than 2^50 bins of width %s from %s: choose a larger width",
			formatFloat(v), formatFloat(g.width), formatFloat(g.anchor))
	}
	return nil
}

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

func (c *Counter) addFloat(v float64, n uint64) error {
	place := c.h.grid.slot(v)
	switch {
	case place != 0 && c.window.reach(place, place):
		c.window.add(place, n)
	case place != 0:
		return c.tooFar(formatFloat(v), place)
	default:
		if err := c.apart(v); err != nil {
			return err
		}
		if v < c.h.grid.low {
			c.below += n - 1
		} else {
			c.above += n - 1
		}
	}
	return nil
}

// addRank counts n values of a rank.
func (c *Counter) addRank(rank, n uint64) error {
	s := &c.h.scale
	switch {
	case rank < s.low:
		c.below += n
	case rank > s.high:
		c.above += n
	default:
		place := s.place(rank)
		if !c.window.reach(place, place) {
			return c.tooFar(s.value(rank).String(), place)
		}
		c.window.add(place, n)
	}
	return nil
}

// tooFar is the error for a value whose bin, at one of the places, the window cannot hold.
func (c *Counter) tooFar(value string, places ...uint64) error {
	w := &c.window
	low, high := ^uint64(0), uint64(0)
	if !w.empty() {
		low, high = w.low, w.high
	}
	for _, p := range places {
		low, high = min(low, p), max(high, p)
	}
	return fmt.Errorf("value %s is too far from the others for at most %d bins: a width of %s would do",
		value, w.most, c.wider(high-low))
}

// wider returns a width of which the window could hold that many bins more than one.
func (c *Counter) wider(span uint64) string {
	times := span/max(c.window.most-1, 1) + 1
	if c.h.typ.Float() {
		return formatFloat(c.h.grid.width * float64(times+1))
	}
	width := new(big.Int).SetUint64(times)
	return width.Add(width, big.NewInt(1)).Mul(width, c.h.scale.step).String()
}

// Merge adds what other has counted, which must come from the same Histogram. It fails as
// Add does.
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

// Result returns what was counted so far. For values of 8 and 16 bits it fails as Add does
// for others.
func (c *Counter) Result() (Result, error) {
	if c.narrow != nil {
		wide := &Counter{h: c.h, below: c.below, above: c.above, window: newWindow(c.h.binsMost)}
		c.narrow.flush()
		for bits, n := range c.narrow.counts {
			if n == 0 {
				continue
			}
			if err := wide.addRank(rankOf(c.h.typ, uint64(bits))^c.h.scale.bias, n); err != nil {
				return Result{}, err
			}
		}
		c = wide
	}
	first, counts := c.window.filled()
	return Result{Bins: c.h.bins(first, counts), Below: c.below, Above: c.above, NaN: c.nan}, nil
}

// rankOf undoes the byte order of a 16-bit value that was counted as little endian.
func rankOf(t compare.Type, value uint64) uint64 {
	if t.BigEndian() {
		return uint64(bits.ReverseBytes16(uint16(value)))
	}
	return value
}
