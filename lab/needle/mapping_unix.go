//go:build unix

package needle

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const noMmap = ""

// search maps a file and passes the mapping to find, which returns an offset.
func (m mapping) search(path string, find func([]byte) int64) (at int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return -1, err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return -1, err
	}
	flags := unix.MAP_SHARED
	if m.populated {
		flags |= populateFlag
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, flags)
	if err != nil {
		return -1, fmt.Errorf("mmap %s: %w", path, err)
	}
	if m.advised {
		err = errors.Join(unix.Madvise(data, unix.MADV_SEQUENTIAL), unix.Madvise(data, unix.MADV_WILLNEED))
		if err != nil {
			return -1, errors.Join(fmt.Errorf("madvise %s: %w", path, err), unix.Munmap(data))
		}
	}
	at = find(data)
	if err := unix.Munmap(data); err != nil {
		return -1, fmt.Errorf("munmap %s: %w", path, err)
	}
	return at, nil
}
