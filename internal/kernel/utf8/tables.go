//go:build amd64 || arm64

package utf8

// pair is a fault of two neighbouring bytes, as one bit. It applies if the upper half of the first
// byte, its lower half, and the upper half of the second byte are in these ranges.
type pair struct {
	fault                   uint8
	upper, lower, upperNext [2]uint8
}

// inside is the one pair that may be right: two continuation bytes. They are right as the second
// and third or the third and fourth byte of a character, and a fault elsewhere.
const inside = 1 << 7

var pairs = []pair{
	{1 << 0, [2]uint8{0x0, 0x7}, any, continuation},                      // a continuation byte with nothing to continue
	{1 << 1, [2]uint8{0xc, 0xf}, any, [2]uint8{0x0, 0x7}},                // a character that is not continued
	{1 << 1, [2]uint8{0xc, 0xf}, any, [2]uint8{0xc, 0xf}},                // the same
	{1 << 2, [2]uint8{0xc, 0xc}, [2]uint8{0x0, 0x1}, continuation},       // one byte would do: overlong
	{1 << 3, [2]uint8{0xe, 0xe}, [2]uint8{0x0, 0x0}, [2]uint8{0x8, 0x9}}, // two would do: overlong
	{1 << 4, [2]uint8{0xe, 0xe}, [2]uint8{0xd, 0xd}, [2]uint8{0xa, 0xb}}, // surrogate
	{1 << 5, [2]uint8{0xf, 0xf}, [2]uint8{0x0, 0x0}, [2]uint8{0x8, 0x8}}, // three would do: overlong
	{1 << 5, [2]uint8{0xf, 0xf}, [2]uint8{0x5, 0xf}, [2]uint8{0x8, 0x8}}, // beyond U+10FFFF
	{1 << 6, [2]uint8{0xf, 0xf}, [2]uint8{0x4, 0xf}, [2]uint8{0x9, 0xb}}, // the same
	{inside, [2]uint8{0x8, 0xb}, any, continuation},
}

var any, continuation = [2]uint8{0x0, 0xf}, [2]uint8{0x8, 0xb}

// For each value of a half byte: the faults it can be part of. The row of sixteen is repeated four
// times, for longer vectors.
var uppers, lowers, uppersNext = func() (uppers, lowers, uppersNext [64]uint8) {
	for _, p := range pairs {
		for i := range uint8(64) {
			half := i % 16
			if p.upper[0] <= half && half <= p.upper[1] {
				uppers[i] |= p.fault
			}
			if p.lower[0] <= half && half <= p.lower[1] {
				lowers[i] |= p.fault
			}
			if p.upperNext[0] <= half && half <= p.upperNext[1] {
				uppersNext[i] |= p.fault
			}
		}
	}
	return uppers, lowers, uppersNext
}()

// lasts holds the greatest value of each byte of a block that ends with a whole character. Shorter
// vectors use the last 16 or 32.
var lasts = func() (all [64]uint8) {
	for i := range all {
		all[i] = 0xff
	}
	all[61], all[62], all[63] = 0xef, 0xdf, 0xbf
	return all
}()

// A saturated subtraction of these leaves the highest bit of the first byte of a three-byte or
// four-byte character set, and clears it for any smaller byte.
const (
	takeOfThree = 0xe0 - 0x80
	takeOfFour  = 0xf0 - 0x80
)
