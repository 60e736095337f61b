//go:build unix

package kerneltest

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Guarded returns n bytes between two pages that fault when touched: head begins right after the
// lower guard page, tail ends right before the upper one. A kernel that reads outside its argument
// crashes the test.
func Guarded(tb testing.TB, n int) (head, tail []byte) {
	tb.Helper()
	page := unix.Getpagesize()
	span := (n + page - 1) / page * page
	span = max(span, page)
	all, err := unix.Mmap(-1, 0, span+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		tb.Fatalf("mmap of a guarded buffer: %v", err)
	}
	for _, guard := range [][]byte{all[:page], all[page+span:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			tb.Fatalf("mprotect of a guard page: %v", err)
		}
	}
	tb.Cleanup(func() {
		if err := unix.Munmap(all); err != nil {
			tb.Errorf("munmap of a guarded buffer: %v", err)
		}
	})
	inner := all[page : page+span : page+span]
	return inner[:n:n], inner[span-n:]
}
