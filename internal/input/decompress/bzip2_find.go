package decompress

import (
	"bytes"
	"encoding/binary"
)

// nextBlock returns the first place in data, from bit i on, where a block of bzip2 may begin: the
// index of a bit, -1 if there is none. Places whose magic number is not complete in data are left
// out.
//
// The magic number begins at any of the eight bits of a byte. Two whole bytes of it, the second and
// the third behind that byte, rule out nearly all places.
func nextBlock(data []byte, i int) int {
	const whole = bzip2MagicBits / 8
	for k := i / 8; k+whole <= len(data); k++ {
		if magicSecond[data[k+2]]&magicThird[data[k+3]] == 0 {
			continue
		}
		var window [8]byte
		copy(window[:], data[k:])
		bits := binary.BigEndian.Uint64(window[:])
		for shift := range 8 {
			if at := 8*k + shift; at >= i && at+bzip2MagicBits <= 8*len(data) &&
				bits<<shift>>(64-bzip2MagicBits) == bzip2BlockMagic {
				return at
			}
		}
	}
	return -1
}

// For each byte, the bits in the byte that lies two, or three, before it, at which the magic number
// may have begun.
var magicSecond, magicThird = magicBytes(2), magicBytes(3)

func magicBytes(index int) (table [256]uint8) {
	for shift := range 8 {
		table[uint64(bzip2BlockMagic)>>(bzip2MagicBits-8-8*index+shift)&0xff] |= 1 << shift
	}
	return table
}

// bzip2Candidate returns the next place in data where a run may begin, from bit i on: the index of a
// bit, -1 if there is none. It is a stream if its first block follows, and otherwise a block of a
// stream of the given level, if that is known.
func bzip2Candidate(data []byte, i int, level uint8) (int, joint) {
	for at := nextBlock(data, i); at >= 0; at = nextBlock(data, at+1) {
		header := at - 8*bzip2HeaderBytes
		if at%8 == 0 && header >= i && bytes.HasPrefix(data[header/8:], []byte("BZh")) {
			return header, joint{}
		}
		if level > 0 {
			return at, joint{bit: uint8(at % 8), level: level, partial: true}
		}
	}
	return -1, joint{}
}
