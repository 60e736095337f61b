package decompress

import (
	"math/bits"

	"github.com/thresh-dev/thresh/internal/kernel/inflate"
)

// joint is what a run must know, besides the offset, to begin where another has ended. It is zero
// at the beginning of members and frames, and so for all formats except bzip2 and gzip.
type joint struct {
	bit  uint8 // in the byte at the offset
	part part  // of a gzip member: what follows

	level uint8 // of the stream of bzip2, whose next block or end follows; 0: a stream may begin
	// The combined checksum of the stream's blocks, or of the member's content, so far; if partial, of
	// what follows the run's own beginning.
	crc     uint32
	partial bool
	blocks  int   // of bzip2 that crc is of
	bytes   int64 // of a gzip member's content that crc is of

	before *inflate.Window // the content before a block of a gzip member; nil: it is not known yet
}

// part is a part of a gzip member.
type part uint8

const (
	memberHeader part = iota
	memberBlock       // of deflate data
	memberStored      // what follows the first bits of a stored block
	memberTrailer
)

// inMember reports whether deflate data follows, for which a run must know the content before it.
func (j joint) inMember() bool { return j.part == memberBlock || j.part == memberStored }

// jointed is a decoder whose runs may begin at any joint. Resume is called before reset.
type jointed interface {
	resume(at joint)
	joint() joint
}

// fits reports whether a run that has ended here is continued by one that began at the joint next.
func (j joint) fits(next joint) bool {
	return j.bit == next.bit && j.level == next.level && j.part == next.part
}

// after returns the end of a run that began at j. A partial end becomes a complete one: a combined
// checksum of bzip2 is rotated by a bit for each block, so that of the blocks before is rotated on.
func (j joint) after(end joint) joint {
	switch {
	case !end.partial:
		return end
	case end.part != memberHeader:
		end.crc = combineCRC(j.crc, end.crc, end.bytes)
		end.bytes += j.bytes
	default:
		end.crc ^= bits.RotateLeft32(j.crc, end.blocks%32)
		end.blocks += j.blocks
	}
	end.partial = j.partial
	return end
}
