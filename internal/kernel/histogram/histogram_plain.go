package histogram

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

func samePlain(b []byte, width int) (runs uint64) {
	for i := range len(b) / blockBytes {
		block := b[i*blockBytes : (i+1)*blockBytes]
		first := binary.LittleEndian.Uint64(block)
		differ := first ^ bits.RotateLeft64(first, 8*width)
		for at := 8; at < blockBytes; at += 8 {
			differ |= first ^ binary.LittleEndian.Uint64(block[at:])
		}
		if differ == 0 {
			runs |= 1 << i
		}
	}
	return runs
}

func othersPlain(list *others, b []byte, usual uint16, width int, _ *compaction) (listed int) {
	low, high := byte(usual), byte(usual>>8)
	for at := 0; at < len(b); at += width {
		copy(list[listed:], b[at:at+width])
		if b[at] != low || width == 2 && b[at+1] != high {
			listed += width
		}
	}
	return listed
}

func distancesPlain[T uint32 | uint64](values []T, swap bool, base T) (done int, low, high T) {
	low = ^T(0)
	for i, v := range values {
		if swap {
			v = T(bits.ReverseBytes64(uint64(v)) >> (64 - 8*unsafe.Sizeof(v)))
		}
		v -= base
		values[i] = v
		low, high = min(low, v), max(high, v)
	}
	return len(values), low, high
}

func slotsPlain(places []uint64, values []float64, g *grid) (done int, low, high uint64) {
	low = math.MaxUint64
	for i, v := range values {
		p := g.slot(v)
		places[i] = p
		low, high = min(low, p), max(high, p)
	}
	return len(values), low, high
}
