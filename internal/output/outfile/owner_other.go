//go:build !unix

package outfile

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: this system has no owners that could be copied.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// sameDevice returns false: this system has no device nodes.
func sameDevice(_, _ fs.FileInfo) bool { return false }
