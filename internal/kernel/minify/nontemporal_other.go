//go:build !amd64

package minify

// CopyNonTemporal copies src to dst like copy.
func CopyNonTemporal(dst, src []byte) int { return copy(dst, src) }
