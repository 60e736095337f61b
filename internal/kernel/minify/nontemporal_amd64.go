package minify

import (
	"unsafe"

	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

const lineBytes = 64

//go:noescape
func copyNonTemporalAVX2(dst, src unsafe.Pointer, lines int)

// CopyNonTemporal copies src to dst like copy, but past the caches: a line that is overwritten completely
// is not read from memory first, and evicts nothing. It is for results larger than their caches; on
// a single core plain stores are faster.
func CopyNonTemporal(dst, src []byte) int {
	n := min(len(dst), len(src))
	if n < 4*lineBytes || !cpu.Has(cpu.AVX2) {
		return copy(dst, src)
	}
	head := int(-uintptr(unsafe.Pointer(&dst[0])) % lineBytes)
	lines := (n - head) / lineBytes
	copy(dst[:head], src)
	copyNonTemporalAVX2(unsafe.Pointer(&dst[head]), unsafe.Pointer(&src[head]), lines)
	at := head + lines*lineBytes
	copy(dst[at:n], src[at:n])
	return n
}
