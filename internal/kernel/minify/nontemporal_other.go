//go:build !amd64

package minify

// CopyFar copies src to dst like copy.
func CopyFar(dst, src []byte) int { return copy(dst, src) }
