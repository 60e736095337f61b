package readahead

import (
	"os"

	"golang.org/x/sys/unix"
)

// mappedBytesMax is as much as the kernel reads for one missing page of such a mapping.
const mappedBytesMax = 4 << 20

// Begin has the kernel read the beginning of f, a regular file of size bytes, into the page cache,
// and waits until its first bytes are there. It reports whether it did. It does nothing if they are
// there already, if size is not positive, or if the kernel lacks one of the calls: cachestat (Linux
// 6.5), transparent huge pages, or MADV_POPULATE_READ (5.14), which returns an error where an access
// would raise a signal.
func Begin(f *os.File, size int64) (began bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { // an error means that f is closed
		began = isMissing(fd) && populate(fd, int(min(size, mappedBytesMax)))
	})
	return began
}

// isMissing reports whether the kernel says that the first page is not in the page cache.
func isMissing(fd uintptr) bool {
	var stat unix.Cachestat_t
	err := unix.Cachestat(uint(fd), &unix.CachestatRange{Len: 1}, &stat, 0)
	return err == nil && stat.Cache == 0
}

func populate(fd uintptr, size int) bool {
	mapping, err := unix.Mmap(int(fd), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return false
	}
	err = unix.Madvise(mapping, unix.MADV_HUGEPAGE)
	if err == nil {
		err = unix.Madvise(mapping[:1], unix.MADV_POPULATE_READ)
	}
	return unix.Munmap(mapping) == nil && err == nil
}
