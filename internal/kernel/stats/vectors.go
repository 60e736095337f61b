//go:build goexperiment.simd && (amd64 || arm64)

package stats

const longestVectorBytes = 64

// byteSwap holds, for values of 1<<i bytes, the place from which each byte of a vector
// comes when the bytes of all values are reversed, within groups of 16 bytes.
var byteSwap = func() (table [4][longestVectorBytes]int8) {
	for i := range table {
		for place := range table[i] {
			table[i][place] = int8(place%16 ^ (1<<i - 1))
		}
	}
	return table
}()
