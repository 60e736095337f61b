package kerneltest

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// HugePages returns n zero bytes, already touched, at the start of a huge page if the system grants
// one. A benchmark of memory should measure memory, not page tables.
func HugePages(tb testing.TB, n int) []byte {
	tb.Helper()
	const hugeBytes = 2 << 20
	all, err := unix.Mmap(-1, 0, n+hugeBytes, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		tb.Fatalf("mmap of a benchmark's buffer: %v", err)
	}
	tb.Cleanup(func() {
		if err := unix.Munmap(all); err != nil {
			tb.Errorf("munmap of a benchmark's buffer: %v", err)
		}
	})
	if err := unix.Madvise(all, unix.MADV_HUGEPAGE); err != nil {
		tb.Logf("huge pages refused, so page tables are measured too: %v", err)
	}
	for i := 0; i < len(all); i += 4096 {
		all[i] = 1 // a write: a read would only map the shared zero page
		all[i] = 0
	}
	skip := -int(uintptr(unsafe.Pointer(&all[0]))) & (hugeBytes - 1)
	return all[skip : skip+n : skip+n]
}
