package source

// beside is the other input of a comparison.
type beside struct {
	*File
	shift int64 // what its offsets are more than those of the first
}

// Beside returns the file as the first of two that are compared: where there are holes, and what is in the page cache,
// is then asked about both. Offset 0 of f belongs to offset shift of other. Both stay the caller's.
func (f *File) Beside(other *File, shift int64) *File {
	pair := *f
	pair.beside = &beside{other, shift}
	return &pair
}

// Others returns how many other inputs are read beside this one.
func (f *File) Others() int64 {
	if f.beside == nil {
		return 0
	}
	return 1
}

// NextData returns the first range of written data in [off, end), of either file of a comparison. If only a hole is
// left it returns the empty range at end. On devices, and on file systems without holes, everything is data.
func (f *File) NextData(off, end int64) (Range, error) {
	own, err := f.Written(off, end)
	if err != nil || f.beside == nil {
		return own, err
	}
	shift := f.beside.shift
	other, err := f.beside.NextData(off+shift, end+shift)
	other = Range{other.Off - shift, other.End - shift}
	if other.Off < own.Off {
		own, other = other, own
	}
	if other.Off <= own.End {
		own.End = max(own.End, other.End)
	}
	return own, err
}

// Disk returns the name of the disk that a file is on, "" if the system does not tell, and whether it seeks.
func (f *File) Disk() (name string, rotates bool) {
	if f.f == nil || f.Kind == Stream {
		return "", false
	}
	return diskOf(f.f)
}
