//go:build !amd64

package simd

func noCompress() string { return "needs amd64" }

// These are never called: the variants that call them are unavailable without the instruction.
var (
	compressToMemory, compressToRegister compressor

	mark func(keeps *[tileBlocks]uint64, src []byte, inside, escaped uint64) (uint64, uint64)
)
