//go:build amd64 || arm64

package jsonscan

// whites holds the white space of JSON, each byte at the index of its low four bits. The other
// entries hold a byte whose low four bits differ from their index.
var whites = func() (all [32]uint8) {
	row := [16]uint8{0: ' ', 9: '\t', 10: '\n', 13: '\r'}
	for i := range all {
		all[i] = row[i%16]
	}
	return all
}()
