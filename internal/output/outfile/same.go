package outfile

import (
	"io/fs"
	"os"
)

// Same reports whether a name refers to an open file: by another path, through a link, or as
// another node of the same device. A file that cannot be examined counts as different.
func Same(in *os.File, name string) bool {
	a, err := in.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(name)
	if err != nil {
		return false
	}
	return os.SameFile(a, b) || a.Mode().Type() == b.Mode().Type() && a.Mode()&fs.ModeDevice != 0 && sameDevice(a, b)
}
