//go:build !unix

package kerneltest

import "testing"

// Guarded returns n bytes without guard pages: this system offers none to Go. The bounds
// checks of the plain twins, the only kernels there, do their work.
func Guarded(tb testing.TB, n int) (head, tail []byte) {
	tb.Helper()
	b := make([]byte, n)
	return b, b
}
