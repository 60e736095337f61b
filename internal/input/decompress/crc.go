package decompress

import "hash/crc32"

// A CRC-32 is the rest of a polynomial over GF(2), here with its highest coefficient in the lowest bit. n
// bytes more multiply what is before them by x to the power of 8n.
const (
	crcOne  = 1 << 31 // the polynomial 1
	crcByte = 1 << 23 // x to the power of 8
)

// combineCRC returns the checksum of two parts of some content, whose checksums are a and b; bytes is how
// long the second part is.
func combineCRC(a, b uint32, bytes int64) uint32 {
	power := uint32(crcByte)
	for ; bytes > 0; bytes >>= 1 {
		if bytes&1 != 0 {
			a = multiplyCRC(a, power)
		}
		power = multiplyCRC(power, power)
	}
	return a ^ b
}

// multiplyCRC returns the product of two polynomials.
func multiplyCRC(a, b uint32) (product uint32) {
	for bit := uint32(crcOne); bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		lowest := b & 1
		b = b>>1 ^ crc32.IEEE*lowest
	}
	return product
}
