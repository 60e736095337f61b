package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// unnamed creates a file without a name in a folder. Whatever ends the process, nothing is left
// of it. It returns an error where there are no such files, or where they could not be named
// later: without /proc, or in a sandbox that denies links.
func unnamed(folder string) (*os.File, error) {
	f, err := os.OpenFile(folder, os.O_RDWR|unix.O_TMPFILE, 0o666)
	if err != nil {
		return nil, err
	}
	// A name that is taken shows whether the call is allowed, and changes nothing.
	if err := name(f, folder+"/."); !errors.Is(err, fs.ErrExist) {
		return nil, errors.Join(errors.ErrUnsupported, err, f.Close())
	}
	return f, nil
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
