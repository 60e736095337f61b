//go:build goexperiment.simd && (amd64 || arm64)

package jsonscan

// whites is the white space of JSON, each byte at the place that its low four bits are;
// elsewhere stands a byte whose low four bits are another place.
var whites = fourTimes([16]uint8{0: ' ', 9: '\t', 10: '\n', 13: '\r'})

// alones is the same for the bytes that are words of their own, with bit 5 set, which makes
// square brackets braces.
var alones = fourTimes([16]uint8{10: ':', 11: '{', 12: ',', 13: '}'})

func fourTimes(row [16]uint8) (all [64]uint8) {
	for i := range all {
		all[i] = row[i%16]
	}
	return all
}

// spread is the places of the bits of a byte, in order.
var spread = func() (all [256][8]uint16) {
	for mask := range all {
		n := 0
		for i := range uint16(8) {
			if mask>>i&1 == 1 {
				all[mask][n] = i
				n++
			}
		}
	}
	return all
}()

// counts returns in each byte how many bits are set in that byte and those below it.
func counts(mask uint64) uint64 {
	mask -= mask >> 1 & 0x5555555555555555
	mask = mask&0x3333333333333333 + mask>>2&0x3333333333333333
	return (mask + mask>>4) & 0x0f0f0f0f0f0f0f0f * 0x0101010101010101
}
