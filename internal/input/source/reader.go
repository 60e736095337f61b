package source

import (
	"errors"
	"io"
)

// FromBytes returns an input whose bytes are in memory. They must not change while it is used.
func FromBytes(name string, data []byte) *File {
	return &File{Name: name, Kind: Memory, Bytes: int64(len(data)), data: data}
}

// FromReaderAt returns an input of size bytes that reads from r, in several goroutines at once.
func FromReaderAt(name string, r io.ReaderAt, size int64) *File {
	return &File{Name: name, Kind: ReaderAt, Bytes: size, at: r}
}

// FromReader returns an input that reads r once and in order, in one goroutine at a time.
func FromReader(name string, r io.Reader) *File {
	return &File{Name: name, Kind: Stream, Bytes: -1, r: r}
}

// CloseWith lets Close close c; the input is no file.
func (f *File) CloseWith(c io.Closer) { f.closer = c }

// errNoFile is why the system cannot be asked about an input.
var errNoFile = errors.New("it is not a file of the system")

// Path returns the path that the input was opened by, "" for an input that is no file.
func (f *File) Path() string {
	if f.f == nil {
		return ""
	}
	return f.f.Name()
}

// Data returns the bytes of an input in memory, nil for every other.
func (f *File) Data() []byte { return f.data }

// Reader returns what a stream is read from.
func (f *File) Reader() io.Reader {
	if f.r != nil {
		return f.r
	}
	return f.f
}

// ReadAt reads at an offset, as io.ReaderAt says. A stream cannot be read so.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case f.f != nil:
		return f.f.ReadAt(p, off)
	case f.at != nil:
		return f.at.ReadAt(p, off)
	case f.r != nil:
		return 0, errors.ErrUnsupported
	case off >= int64(len(f.data)):
		return 0, io.EOF
	}
	n := copy(p, f.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// cachedNoFile is CachedBytes of an input that is no file.
func (f *File) cachedNoFile(r Range) (int64, error) {
	if f.Kind == Memory {
		return r.Len(), nil
	}
	return 0, errNoFile
}
