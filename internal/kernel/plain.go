package kernel

import (
	"encoding/binary"
	"unsafe"
)

// What plain twins of several families share.

// Load returns the first value of b. Go compiles one instance per width, with only its own case.
func Load[T uint8 | uint16 | uint32 | uint64](b []byte, bigEndian bool) T {
	switch unsafe.Sizeof(T(0)) {
	case 1:
		return T(b[0])
	case 2:
		if bigEndian {
			return T(binary.BigEndian.Uint16(b))
		}
		return T(binary.LittleEndian.Uint16(b))
	case 4:
		if bigEndian {
			return T(binary.BigEndian.Uint32(b))
		}
		return T(binary.LittleEndian.Uint32(b))
	}
	if bigEndian {
		return T(binary.BigEndian.Uint64(b))
	}
	return T(binary.LittleEndian.Uint64(b))
}

// EqualBits returns one set bit for each byte that equals c.
func EqualBits(b *[64]byte, c byte) uint64 {
	every := everyByte * uint64(c)
	return zeroBits(binary.LittleEndian.Uint64(b[0:])^every) |
		zeroBits(binary.LittleEndian.Uint64(b[8:])^every)<<8 |
		zeroBits(binary.LittleEndian.Uint64(b[16:])^every)<<16 |
		zeroBits(binary.LittleEndian.Uint64(b[24:])^every)<<24 |
		zeroBits(binary.LittleEndian.Uint64(b[32:])^every)<<32 |
		zeroBits(binary.LittleEndian.Uint64(b[40:])^every)<<40 |
		zeroBits(binary.LittleEndian.Uint64(b[48:])^every)<<48 |
		zeroBits(binary.LittleEndian.Uint64(b[56:])^every)<<56
}

const everyByte = 0x0101010101010101

// zeroBits returns one set bit for each of eight bytes that is zero. With its highest bit cleared,
// no byte carries into the next when 0x7f is added, and only a zero stays below 0x80. The product
// gathers the highest bits side by side.
func zeroBits(word uint64) uint64 {
	const low, gather = 0x7f * everyByte, 0x0002040810204081
	return ^(word&low + low | word | low) * gather >> 56
}

// PrefixXor returns at each bit the exclusive or of all bits up to it, which is whether the number
// of them that are set is odd: after the shift by 1<<i, a bit covers the 2<<i bits that end there.
// Not every processor has a carry-less multiplication, which does the same.
func PrefixXor(mask uint64) uint64 {
	mask ^= mask << 1
	mask ^= mask << 2
	mask ^= mask << 4
	mask ^= mask << 8
	mask ^= mask << 16
	return mask ^ mask<<32
}

// Escapes returns the bits of the escaped bytes. backslashes are the bits of the backslashes, and
// escaped tells whether the first byte is escaped by the block before; next tells the same for the
// next block.
//
// A run of backslashes escapes its second byte, its fourth and so on, up to the first byte after
// it. So of the bytes that follow a backslash, those at odd places are escaped if the run begins at
// an even place, and vice versa. Adding the first bit of a run to the run carries through it, which
// leaves only the runs to which nothing was added.
func Escapes(backslashes, escaped uint64) (all, next uint64) {
	const evenBits, oddBits = 0x5555555555555555, 0xaaaaaaaaaaaaaaaa
	free := backslashes &^ escaped // an escaped backslash escapes nothing
	begins := free &^ (free << 1)
	fromOdd := free & (free + begins&evenBits)
	fromEven := free &^ fromOdd
	return fromEven<<1&oddBits | fromOdd<<1&evenBits | escaped, fromOdd >> 63
}
