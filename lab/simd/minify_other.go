//go:build !(goexperiment.simd && amd64)

package simd

func noCompress() string { return "needs amd64, and a build with GOEXPERIMENT=simd" }

// Without the instruction nothing runs that calls these.
var compressToMemory, compressToRegister compressor

func masks(b *[blockBytes]byte) (quotes, slashes, white uint64) {
	for i, c := range b {
		switch c {
		case '"':
			quotes |= 1 << i
		case '\\':
			slashes |= 1 << i
		case ' ', '\t', '\n', '\r':
			white |= 1 << i
		}
	}
	return quotes, slashes, white
}

func prefixXor(mask uint64) uint64 {
	for shift := 1; shift < 64; shift *= 2 {
		mask ^= mask << shift
	}
	return mask
}
