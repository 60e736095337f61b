//go:build !amd64

package simd

func noCompress() string { return "needs amd64" }

// Without the instruction nothing runs that calls these.
var (
	compressToMemory, compressToRegister compressor

	mark func(keeps *[tileBlocks]uint64, src []byte, inside, escaped uint64) (uint64, uint64)
)
