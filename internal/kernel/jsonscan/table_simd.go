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
