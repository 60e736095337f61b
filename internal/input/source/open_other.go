//go:build !linux

package source

import (
	"io"
	"os"
)

func openFile(name string) (*os.File, error) { return os.Open(name) }

// deviceBytes asks by seeking. Reads use explicit offsets, so the position does not
// matter.
func deviceBytes(f *os.File) (int64, error) { return f.Seek(0, io.SeekEnd) }
