//go:build amd64 || arm64

package utf8

// pair is a bit for a fault of two bytes that stand next to each other, if their halves are
// in these ranges: the upper and the lower of the first byte, the upper of the second.
type pair struct {
	fault                   uint8
	upper, lower, upperNext [2]uint8
}

// inside is the one pair that is right behind the first byte of three or four, and a fault
// elsewhere: two bytes that go on with a character.
const inside = 1 << 7

var pairs = []pair{
	{1 << 0, [2]uint8{0x0, 0x7}, any, goesOn},                            // nothing to go on with
	{1 << 1, [2]uint8{0xc, 0xf}, any, [2]uint8{0x0, 0x7}},                // does not go on
	{1 << 1, [2]uint8{0xc, 0xf}, any, [2]uint8{0xc, 0xf}},                // the same
	{1 << 2, [2]uint8{0xc, 0xc}, [2]uint8{0x0, 0x1}, goesOn},             // one byte would do
	{1 << 3, [2]uint8{0xe, 0xe}, [2]uint8{0x0, 0x0}, [2]uint8{0x8, 0x9}}, // two would do
	{1 << 4, [2]uint8{0xe, 0xe}, [2]uint8{0xd, 0xd}, [2]uint8{0xa, 0xb}}, // surrogate
	{1 << 5, [2]uint8{0xf, 0xf}, [2]uint8{0x0, 0x0}, [2]uint8{0x8, 0x8}}, // three would do
	{1 << 5, [2]uint8{0xf, 0xf}, [2]uint8{0x5, 0xf}, [2]uint8{0x8, 0x8}}, // beyond U+10FFFF
	{1 << 6, [2]uint8{0xf, 0xf}, [2]uint8{0x4, 0xf}, [2]uint8{0x9, 0xb}}, // the same
	{inside, [2]uint8{0x8, 0xb}, any, goesOn},
}

var any, goesOn = [2]uint8{0x0, 0xf}, [2]uint8{0x8, 0xb}

// The faults that a half of a byte may have a part in, four times a row of sixteen.
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

// lasts is the greatest that the bytes of a block may be if the block ends with a whole
// character. The last 16 and 32 are those of smaller vectors.
var lasts = func() (all [64]uint8) {
	for i := range all {
		all[i] = 0xff
	}
	all[61], all[62], all[63] = 0xef, 0xdf, 0xbf
	return all
}()

// What is taken from the first byte of three, and of four, so that their upper bit is left, and
// not that of any less.
const (
	takeOfThree = 0xe0 - 0x80
	takeOfFour  = 0xf0 - 0x80
)
