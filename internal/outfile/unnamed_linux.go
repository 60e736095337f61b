package outfile

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// unnamed creates a file without a name in a folder. Whatever ends the process, nothing is left
// of it. Not every file system has such files, and without /proc they could not be named later.
func unnamed(folder string) (*os.File, error) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		return nil, err
	}
	return os.OpenFile(folder, os.O_RDWR|unix.O_TMPFILE, 0o666)
}

// name gives a file without a name one that nobody has.
func name(f *os.File, target string) error {
	from := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	err := unix.Linkat(unix.AT_FDCWD, from, unix.AT_FDCWD, target, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: from, New: target, Err: err}
	}
	return nil
}
