//go:build !linux

package docroot

import (
	"io/fs"
	"os"
)

const openFlags = os.O_RDONLY

// descriptorsMax is unknown here: only Options.OpenFiles applies.
func descriptorsMax() (uint64, bool) { return 0, false }

// inode is 0: tags consist of size and time here.
func inode(fs.FileInfo) uint64 { return 0 }

// changeTime is 0: os.SameFile, size and time must do.
func changeTime(fs.FileInfo) int64 { return 0 }
