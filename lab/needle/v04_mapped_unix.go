//go:build unix

package needle

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const noMmap = ""

func searchMapped(path string, _ int) (at int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return -1, err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return -1, err
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return -1, fmt.Errorf("mmap %s: %w", path, err)
	}
	at = int64(firstWord(data))
	if err := unix.Munmap(data); err != nil {
		return -1, fmt.Errorf("munmap %s: %w", path, err)
	}
	return at, nil
}
