package histogram

import (
	"encoding/binary"
	"math"
	"math/bits"
)

func samePlain(b []byte, width int) (runs blocks) {
	for i := 0; (i+1)*blockBytes <= len(b); i++ {
		block := b[i*blockBytes : (i+1)*blockBytes]
		first := binary.LittleEndian.Uint64(block)
		differ := first ^ bits.RotateLeft64(first, 8*width)
		for at := 8; at < blockBytes; at += 8 {
			differ |= first ^ binary.LittleEndian.Uint64(block[at:])
		}
		if differ == 0 {
			runs[i/64] |= 1 << (i % 64)
		}
	}
	return runs
}

func distances32Plain(values []uint32, swap bool, base uint32) (low, high uint32) {
	low = math.MaxUint32
	for i, v := range values {
		if swap {
			v = bits.ReverseBytes32(v)
		}
		v -= base
		values[i] = v
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

func distances64Plain(values []uint64, swap bool, base uint64) (low, high uint64) {
	low = math.MaxUint64
	for i, v := range values {
		if swap {
			v = bits.ReverseBytes64(v)
		}
		v -= base
		values[i] = v
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

func slotsPlain(places []uint64, values []float64, g *grid) (low, high uint64) {
	low = math.MaxUint64
	for i, v := range values {
		p := g.slot(v)
		places[i] = p
		low, high = min(low, p), max(high, p)
	}
	return low, high
}
