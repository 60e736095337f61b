//go:build amd64 || arm64

package jsonscan

// whites is the white space of JSON, each byte at the place that its low four bits are;
// elsewhere stands a byte whose low four bits are another place.
var whites = func() (all [64]uint8) {
	row := [16]uint8{0: ' ', 9: '\t', 10: '\n', 13: '\r'}
	for i := range all {
		all[i] = row[i%16]
	}
	return all
}()
