// Package source knows what there is to read: files, devices, pipes and directories, how
// many bytes they hold, where their holes are and what of them is in the page cache.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Kind tells how an input may be read.
type Kind uint8

const (
	Regular  Kind = iota // any range, in any order
	Device               // a block device: like a regular file, its size asked of the driver
	Stream               // pipes, sockets, terminals, character devices: once, from the start
	Memory               // bytes that are in memory already
	ReaderAt             // an io.ReaderAt: like a regular file, but the system knows nothing about it
)

// String returns the word used in plans and errors.
func (k Kind) String() string {
	return [...]string{"regular file", "block device", "stream", "bytes in memory", "io.ReaderAt"}[k]
}

// File is one open input.
type File struct {
	Name  string // as the user wrote it
	Kind  Kind
	Bytes int64 // size when it was opened; -1 for a stream, whose end nobody knows

	// One of these holds the bytes.
	f    *os.File
	data []byte      // of Memory
	at   io.ReaderAt // of ReaderAt
	r    io.Reader   // of a Stream that is no file

	closer io.Closer // what Close closes if it is no file; may be nil
}

// ErrDirectory is returned by Open for a directory.
var ErrDirectory = errors.New("is a directory")

// Open opens the file of that name for reading. It never waits for a writer of a FIFO to
// appear, and opens nothing for writing.
func Open(name string) (*File, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	file, err := FromOS(name, f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return file, nil
}

// FromOS returns an input of that name that reads from f, and owns f from then on unless
// it returns an error.
func FromOS(name string, f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file := &File{Name: name, f: f, Bytes: -1}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		file.Kind, file.Bytes = Regular, info.Size()
		if sizeIsWrong(f, info) {
			file.Kind, file.Bytes = Stream, -1
		}
	case mode.IsDir():
		return nil, &fs.PathError{Op: "read", Path: name, Err: ErrDirectory}
	case mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0:
		size, err := deviceBytes(f)
		if err != nil {
			return nil, fmt.Errorf("size of block device %s: %w", name, err)
		}
		file.Kind, file.Bytes = Device, size
	default:
		file.Kind = Stream
	}
	return file, nil
}

// claimedMax is the largest page: more than that no file of /sys claims to have.
const claimedMax = 64 << 10

// sizeIsWrong reports whether a file has another size than it claims. Those of /proc and
// /sys are made when they are read: they claim to be empty, or to have a page, and the
// file system keeps no blocks for them.
func sizeIsWrong(f *os.File, info fs.FileInfo) bool {
	size := info.Size()
	if size > claimedMax || size > 0 && hasBlocks(info) {
		return false
	}
	var b [1]byte
	n, err := f.ReadAt(b[:], max(size-1, 0))
	if size == 0 {
		return n > 0 // an error comes up again where the file is read
	}
	return n == 0 && err == io.EOF
}

// AsStream returns the file under a name as something that is read once and in order: what
// a decompressor makes of it has no size that anybody knows. Both share the descriptor.
func (f *File) AsStream(name string) *File {
	return &File{Name: name, Kind: Stream, Bytes: -1, f: f.f, data: f.data, at: f.at, r: f.r, closer: f.closer}
}

// OS returns the open file, nil for an input that is none. It is valid until Close.
func (f *File) OS() *os.File { return f.f }

// FD returns the number of the open descriptor; the input must be a file. It is valid until Close.
func (f *File) FD() int { return int(f.f.Fd()) }

// Close closes the file, or what CloseWith named. It leaves other readers open.
func (f *File) Close() error {
	switch {
	case f.f != nil:
		return f.f.Close()
	case f.closer != nil:
		return f.closer.Close()
	}
	return nil
}
