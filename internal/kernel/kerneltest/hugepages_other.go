//go:build !linux

package kerneltest

import "testing"

// HugePages returns n zero bytes in ordinary pages: this system has no call for huge ones.
func HugePages(tb testing.TB, n int) []byte {
	tb.Helper()
	b := make([]byte, n)
	for i := range b {
		b[i] = 0
	}
	return b
}
