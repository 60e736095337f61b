//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes a folder until unlock is called: two sessions at once would measure each other, and drop each
// other's files from the page cache.
func lock(folder string) (unlock func() error, err error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errors.New("another thresh-lab uses it")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", folder, err), f.Close())
	}
	return f.Close, nil
}
