//go:build unix

package tens

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mappedVariant completes a variant that maps the whole file and counts in the mapping.
func mappedVariant(v Variant, count func(b []byte, workers int) int64) Variant {
	v.Count = func(path string, workers int) (int64, error) {
		f, size, err := open(path, 0, workers)
		if err != nil {
			return 0, err
		}
		defer f.Close() // nothing was written
		if size == 0 {
			return 0, nil // an empty file cannot be mapped
		}
		b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
		if err != nil {
			return 0, fmt.Errorf("mmap %s: %w", path, err)
		}
		n := count(b, workers)
		if err := unix.Munmap(b); err != nil {
			return 0, fmt.Errorf("munmap %s: %w", path, err)
		}
		return n, nil
	}
	return v
}
