//go:build !unix

package outfile

import (
	"io/fs"
	"os"
)

// keepOwner: files have no owner here that could be given on.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// sameDevice: devices have no nodes here.
func sameDevice(_, _ fs.FileInfo) bool { return false }
