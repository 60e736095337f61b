package matrix

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// evict drops a range of a file from the page cache.
func evict(name string, off, length int64) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), off, length, unix.FADV_DONTNEED), f.Close())
}
