//go:build goexperiment.simd && arm64

package nonzero

// indexSVE hands the slice to firstSVE piece by piece: assembly cannot be interrupted by
// the scheduler, and a piece of 256 KiB takes microseconds.
func indexSVE(b []byte) int {
	const pieceBytes = 256 << 10
	for off := 0; off < len(b); off += pieceBytes {
		if i := firstSVE(b[off:min(off+pieceBytes, len(b))]); i >= 0 {
			return off + i
		}
	}
	return -1
}

// firstSVE returns what Func says, for vectors of any length.
//
//go:noescape
func firstSVE(b []byte) int
