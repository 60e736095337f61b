package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/fault"
)

// unnamed creates a file without a name in a folder. However the process ends, nothing of the
// file is left. It returns an error if the file system does not support such files, or if they
// could not be named later: without /proc, or in a sandbox that forbids links.
func unnamed(folder string) (*os.File, error) {
	f, err := os.OpenFile(folder, os.O_RDWR|unix.O_TMPFILE, 0o666)
	if err != nil {
		return nil, err
	}
	// Linking to an existing name always fails: with ErrExist if the call is allowed at all.
	if err := name(f, folder+"/."); !errors.Is(err, fs.ErrExist) {
		return nil, errors.Join(errors.ErrUnsupported, err, f.Close())
	}
	return f, nil
}

// name gives an unnamed file a name, which must not exist.
func name(f *os.File, target string) error {
	if err := fault.Err(fault.LinkOut); err != nil {
		return err
	}
	from := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	err := unix.Linkat(unix.AT_FDCWD, from, unix.AT_FDCWD, target, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: from, New: target, Err: err}
	}
	return nil
}
