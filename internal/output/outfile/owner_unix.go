//go:build unix

package outfile

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file to the owner and the group of another, where they are others.
func keepOwner(f *os.File, old fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	is, was := info.Sys().(*syscall.Stat_t), old.Sys().(*syscall.Stat_t)
	if is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	return f.Chown(int(was.Uid), int(was.Gid))
}

// sameDevice reports whether two nodes are of one device.
func sameDevice(a, b fs.FileInfo) bool {
	return a.Sys().(*syscall.Stat_t).Rdev == b.Sys().(*syscall.Stat_t).Rdev
}
