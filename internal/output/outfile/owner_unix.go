//go:build unix

package outfile

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner changes the owner and the group of a file to those of the old file, if they differ.
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

// sameDevice reports whether two device nodes refer to the same device.
func sameDevice(a, b fs.FileInfo) bool {
	return a.Sys().(*syscall.Stat_t).Rdev == b.Sys().(*syscall.Stat_t).Rdev
}
