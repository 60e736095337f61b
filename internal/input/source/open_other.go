//go:build !linux

package source

import (
	"io"
	"os"
)

func openFile(name string) (*os.File, error) { return os.Open(name) }

// deviceBytes returns the size of a block device. It seeks to the end. Reads use explicit offsets,
// so the position does not matter.
func deviceBytes(f *os.File) (int64, error) { return f.Seek(0, io.SeekEnd) }
