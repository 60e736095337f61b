package compare

import (
	"sync"

	"github.com/thresh-dev/thresh/internal/kernel/gather"
)

// Values whose stride the kernels have no masks for are gathered, a block at a time, and the kernels
// get contiguous ones. A block stays in the first-level cache.

const (
	blockBytes = 4 << 10

	// maskedMost is the longest stride that is masked. For longer ones, a vector has so few values
	// that gathering them costs no more.
	maskedMost = 16

	// gatheredLeast is the number of values from which it pays to gather them, and how many are
	// searched before that: matches may be near each other, and then each is a call.
	gatheredLeast = 32
)

var blocks = sync.Pool{New: func() any { return new([blockBytes]byte) }}

// gathers reports whether the values of b are to be gathered.
func (p *Predicate) gathers(b []byte, stride int) bool {
	masked := stride&(stride-1) == 0 && p.typ.width <= stride && stride <= maskedMost
	return !masked && gather.Count(b, p.typ.width, stride) > gatheredLeast
}

// countGathered is count for such a stride.
func (p *Predicate) countGathered(b []byte, a *arc, stride int) (n int) {
	width := p.typ.width
	block := blocks.Get().(*[blockBytes]byte)
	for left := gather.Count(b, width, stride); left > 0; {
		values := min(left, len(block)/width)
		contiguous := block[:values*width]
		p.gather.Func(contiguous, b, width, stride)
		n += p.count(contiguous, a, width)
		if left -= values; left > 0 {
			b = b[values*stride:]
		}
	}
	blocks.Put(block)
	return n
}

// indexGathered is index for such a stride. Blocks grow, so that a match near the start is found
// soon.
func (p *Predicate) indexGathered(b []byte, a *arc, stride int) int {
	width := p.typ.width
	at := gatheredLeast * stride
	if i := indexPlain(b[:at-stride+width], a, stride); i >= 0 {
		return i
	}
	block := blocks.Get().(*[blockBytes]byte)
	found, values := -1, 2*gatheredLeast
	for left := gather.Count(b[at:], width, stride); left > 0; {
		values = min(values, left, len(block)/width)
		contiguous := block[:values*width]
		p.gather.Func(contiguous, b[at:], width, stride)
		if i := p.index(contiguous, a, width); i >= 0 {
			found = at + i/width*stride
			break
		}
		left, at, values = left-values, at+values*stride, 2*values
	}
	blocks.Put(block)
	return found
}
