package wall

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// faultSeconds measures what the kernel takes for a fault of a fresh page, in seconds of processor time: a quarter
// of a microsecond on some machines, and ten times as much in some virtual ones. It returns 0 if it cannot.
func faultSeconds() float64 {
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	const pages, tries = 64, 2
	pageBytes := os.Getpagesize()
	least := 0.0
	for range tries {
		fresh, err := unix.Mmap(-1, 0, pages*pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			return 0
		}
		_ = unix.Madvise(fresh, unix.MADV_NOHUGEPAGE) // a kernel without huge pages refuses
		began := threadTime()
		for i := 0; i < len(fresh); i += pageBytes {
			fresh[i] = 1
		}
		each := (threadTime() - began).Seconds() / pages
		if least == 0 || each < least {
			least = each
		}
		if unix.Munmap(fresh) != nil {
			return 0
		}
	}
	return least
}
