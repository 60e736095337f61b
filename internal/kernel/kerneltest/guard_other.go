//go:build !unix

package kerneltest

import "testing"

// Guarded returns n bytes without guard pages, since Go has no call for them on this system. Only
// the plain twins run here, and Go checks their bounds.
func Guarded(tb testing.TB, n int) (head, tail []byte) {
	tb.Helper()
	b := make([]byte, n)
	return b, b
}
