// Package source opens and describes inputs: files, devices, pipes and folders. It knows their
// sizes, where their holes are, and which parts of them are in the page cache.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/thresh-dev/thresh/failure"
)

// Kind says how an input can be read.
type Kind uint8

const (
	Regular  Kind = iota // any range, in any order
	Device               // a block device: like a regular file, but the driver reports the size
	Stream               // pipes, sockets, terminals, character devices, io.Reader: once, from the start
	Memory               // bytes that are in memory already
	ReaderAt             // an io.ReaderAt: like a regular file, but the system knows nothing about it
	Remote               // an object on another machine, which is read by ranges
)

// String returns the kind's name in plans and errors.
func (k Kind) String() string {
	return [...]string{"regular file", "block device", "stream", "bytes in memory", "io.ReaderAt", "remote object"}[k]
}

// File is one open input.
type File struct {
	Name  string // as the user wrote it
	Kind  Kind
	Bytes int64 // size when it was opened; -1 for a stream, whose size is unknown

	dense bool // it has no holes, so that none are looked for

	// One of these holds the bytes.
	f    *os.File
	data []byte      // of Memory
	at   io.ReaderAt // of ReaderAt
	r    io.Reader   // of a Stream that is not a file

	object Object  // of Remote, and of a Stream from a server without ranges
	window *window // of Remote

	beside *beside // the other input of a comparison; nil if there is none

	closer io.Closer // what Close closes if the input is not a file; may be nil
}

// Open opens the named file for reading. It does not wait for a FIFO to get a writer, and never
// opens anything for writing.
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

// FromOS returns an input that reads from f and uses the given name. The input owns f, unless
// FromOS returns an error.
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
		file.dense = isDense(f, info)
	case mode.IsDir():
		return nil, &fs.PathError{Op: "read", Path: name, Err: failure.ErrDirectory}
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

// claimedMax is the largest page size. No file in /sys claims to be larger.
const claimedMax = 64 << 10

// sizeIsWrong reports whether a file's size differs from the size it claims. The kernel generates
// files in /proc and /sys when they are read. They claim to be empty or to have the size of a
// page, and have no blocks.
func sizeIsWrong(f *os.File, info fs.FileInfo) bool {
	size := info.Size()
	if size > claimedMax || size > 0 && hasBlocks(info) {
		return false
	}
	var b [1]byte
	n, err := f.ReadAt(b[:], max(size-1, 0))
	if size == 0 { // a stream meets an error again and reports it
		return n > 0 || err != nil && err != io.EOF
	}
	return n == 0 && err == io.EOF
}

// AsStream returns the file as a stream with the given name. It is for decompressed content, whose
// size is unknown. Both files share the descriptor.
func (f *File) AsStream(name string) *File {
	return &File{Name: name, Kind: Stream, Bytes: -1, f: f.f, data: f.data, at: f.at, r: f.r,
		object: f.object, window: f.window, closer: f.closer}
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

// ErrNotSmall is returned by SmallReader.Read for an input that must be opened and read in the usual
// way.
var ErrNotSmall = errors.New("not a regular file that fits in the buffer")

// headBytes is how many bytes SmallReader.Read returns of a file that is too large.
const headBytes = 64

// Part is a part of a file in memory. It is mapped if possible, and then needs no memory of the
// program's own.
type Part struct {
	mapping []byte
	text    []byte
	cut     bool
}

// Bytes returns the length of the part.
func (p *Part) Bytes() int64 { return int64(len(p.text)) }

// partBytesMax is the largest part that is read if the file cannot be mapped.
const partBytesMax = 1 << 20

// Cut reports whether the part ends before the range for which it was made.
func (p *Part) Cut() bool { return p.cut }

// Part returns the first part of a range of the file. The part is the whole range, unless the range
// is long and cannot be mapped, or its end cannot be read. Call Use once to release the part.
func (f *File) Part(r Range) (*Part, error) {
	if f.Kind == Memory {
		return &Part{text: f.data[r.Off:r.End]}, nil
	}
	p, err := f.mapPart(r)
	if err == nil {
		return p, nil
	}
	b := make([]byte, min(r.Len(), partBytesMax))
	n, readErr := f.ReadAt(b, r.Off)
	if n == 0 && readErr != nil {
		return nil, fmt.Errorf("read a part of %s at %d: %w", f.Name, r.Off, errors.Join(err, readErr))
	}
	return &Part{text: b[:n], cut: n < len(b)}, nil
}
