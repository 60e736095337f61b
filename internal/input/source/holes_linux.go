package source

import "golang.org/x/sys/unix"

// NextData returns the first range of written data in [off, end). Where nothing but a
// hole is left it returns the empty range at end. File systems that know no holes, and
// devices, answer that everything is data.
//
// SEEK_DATA moves the descriptor's position, which no engine uses for a file that has
// holes to ask for.
func (f *File) NextData(off, end int64) (Range, error) {
	if f.Kind != Regular || off >= end {
		return Range{off, end}, nil
	}
	data, err := seek(f.FD(), off, unix.SEEK_DATA)
	switch {
	case err == unix.ENXIO: // no data behind off: a hole to the end, or the file shrank
		if grown, err := seek(f.FD(), 0, unix.SEEK_END); err != nil || grown < end {
			return Range{off, end}, nil // let the engine find out and report it
		}
		return Range{end, end}, nil
	case err != nil: // no holes in this file system, or a sandbox: the engine says what is wrong
		return Range{off, end}, nil
	case data >= end:
		return Range{end, end}, nil
	}
	hole, err := seek(f.FD(), data, unix.SEEK_HOLE)
	if err != nil {
		return Range{data, end}, nil // the data is there, where it ends does not matter
	}
	return Range{data, min(hole, end)}, nil
}

func seek(fd int, off int64, whence int) (int64, error) {
	return ignoringEINTR(func() (int64, error) { return unix.Seek(fd, off, whence) })
}
