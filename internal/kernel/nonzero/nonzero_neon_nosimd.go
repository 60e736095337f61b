//go:build !goexperiment.simd && arm64

package nonzero

// indexNEON is the form of builds without the experiment, which have no archsimd. Assembly
// cannot be interrupted by the scheduler, so the slice is handed to it in pieces that take
// microseconds. The plain form looks into the block that is not zero.
func indexNEON(b []byte) int {
	const pieceBytes = 256 << 10
	for off := 0; off < len(b); off += pieceBytes {
		piece := b[off:min(off+pieceBytes, len(b))]
		skipped := zeroBlocks(piece)
		if i := indexPlain(piece[skipped:]); i >= 0 {
			return off + skipped + i
		}
	}
	return -1
}

// zeroBlocks returns how many bytes b begins with that are zeros, in whole blocks of 128.
//
//go:noescape
func zeroBlocks(b []byte) int
