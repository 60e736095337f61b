package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine/stream"
	"github.com/thresh-dev/thresh/internal/input/follow"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// Input is an open file, block device, stream, reader or slice of bytes. It may be used for one
// call at a time.
type Input struct {
	file       *source.File
	compressed *compressed    // what the content is decompressed from; nil if it is the file itself
	brought    []source.Range // what looks at the first bytes brought into the page cache
	raw        bool           // it is taken as it is: not decompressed, and as text whatever it looks like
	borrowed   bool           // the file belongs to the caller, who closes it
	follow     *follow.File   // a file that grows, which is read as a stream; nil for others
	named      bool           // others can open it by its name

	// Of a stream:
	unsettled bool                               // it is not known yet whether it is compressed
	prefix    prefix                             // what was read of it before the scan
	scanned   bool                               // the scan has begun
	filter    func(io.Reader) (io.Reader, error) // passes only a part of it on to the scan; nil: all
	view      *stream.View                       // the bytes around hits that can still be read
}

// Open opens a file, a block device, anything that can be read as a stream, or the member of an
// archive. With raw, compressed content is left as it is.
func Open(name string, raw bool) (*Input, error) {
	f, err := source.Open(name)
	if err != nil {
		if raw {
			return nil, err
		}
		if in, memberErr := openMember(name); in != nil || memberErr != nil {
			return in, memberErr
		}
		return nil, err
	}
	in, err := fromSource(f, raw)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	in.named = f.Kind == source.Regular
	return in, nil
}

// FromFile returns an input that reads from f: from any offset if it is a file, and from the
// current position if it is a stream. Close closes f.
func FromFile(name string, f *os.File, raw bool) (*Input, error) {
	file, err := source.FromOS(name, f)
	if err != nil {
		return nil, err
	}
	return fromSource(file, raw)
}

// FromBytes returns an input of bytes in memory, as they are.
func FromBytes(name string, data []byte) *Input { return &Input{file: source.FromBytes(name, data)} }

// FromReaderAt returns an input of size bytes that reads from r.
func FromReaderAt(name string, r io.ReaderAt, size int64, raw bool) (*Input, error) {
	if size < 0 {
		return nil, badOption("size", size, "%s: a size of %d bytes is negative", name, size)
	}
	// A size by mistake can be so large that finding all of it missing takes days.
	if n, err := r.ReadAt(make([]byte, min(size, 1)), max(size-1, 0)); n == 0 && size > 0 && err == io.EOF {
		return nil, badOption("size", size, "%s: the reader ends before a size of %d bytes", name, size)
	}
	return fromSource(source.FromReaderAt(name, r, size), raw)
}

// FromReader returns an input that reads r once and in order.
func FromReader(name string, r io.Reader, raw bool) (*Input, error) {
	return fromSource(source.FromReader(name, r), raw)
}

// FromObject returns an input that reads an object on another machine. It owns the object.
func FromObject(o source.Object, raw bool) (*Input, error) {
	f := source.FromObject(o)
	in, err := fromSource(f, raw)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	in.named = true
	return in, nil
}

// OpenFS opens a file of a file system: as a file of the operating system, at any offset, or as a
// stream, whichever the file allows first.
func OpenFS(fsys fs.FS, name string, raw bool) (*Input, error) {
	f, err := sourceFS(fsys, name)
	if err != nil {
		return nil, err
	}
	in, err := fromSource(f, raw)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return in, nil
}

// sourceFS opens a file of a file system.
func sourceFS(fsys fs.FS, name string) (*source.File, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	file, err := fromFSFile(name, f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return file, nil
}

func fromFSFile(name string, f fs.File) (*source.File, error) {
	if osFile, ok := f.(*os.File); ok {
		return source.FromOS(name, osFile)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: failure.ErrDirectory}
	}
	file := source.FromReader(name, f)
	if at, ok := f.(io.ReaderAt); ok && info.Mode().IsRegular() {
		file = source.FromReaderAt(name, at, info.Size())
	}
	file.CloseWith(f)
	return file, nil
}

// fromSource returns the input for a source, or for the content of one that is compressed.
func fromSource(f *source.File, raw bool) (*Input, error) {
	if raw {
		return &Input{file: f, raw: true}, nil
	}
	return recognised(f)
}

// Name returns the name under which the input was opened.
func (in *Input) Name() string { return in.file.Name }

// Bytes returns the size when the input was opened, and false for a stream, whose size is not
// known; the content of a compressed file is a stream.
func (in *Input) Bytes() (int64, bool) { return in.file.Bytes, in.file.Kind != source.Stream }

// Compressed reports whether the input is decompressed from a file as it is read. Such an input
// can be read again, as a pipe cannot.
func (in *Input) Compressed() bool { return in.compressed != nil && !in.comesOnce() }

// ReadAt reads from the input at an offset, to show what is around a hit. Of a stream it reaches
// only what Options.Context keeps.
func (in *Input) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case in.Compressed():
		return in.compressed.readAt(p, off)
	case in.view != nil:
		return in.view.ReadAt(p, off)
	case in.file.Kind == source.Stream:
		return 0, fmt.Errorf("read %s at %d: it is a stream, which cannot be read again", in.Name(), off)
	}
	return in.file.ReadAt(p, off)
}

// ReadSome is ReadAt, except that of a stream it returns the bytes that have arrived; it waits for
// the first one only.
func (in *Input) ReadSome(p []byte, off int64) (int, error) {
	if in.view != nil {
		return in.view.ReadSome(p, off)
	}
	return in.ReadAt(p, off)
}

// Close closes the input.
func (in *Input) Close() error {
	var err error
	if in.compressed != nil {
		err = in.compressed.again.Close()
	}
	if in.borrowed {
		return err
	}
	return errors.Join(err, in.file.Close())
}

// remote returns the object that the input reads, nil if it is none.
func (in *Input) remote() source.Object {
	if in.compressed != nil {
		return in.compressed.file.Object()
	}
	return in.file.Object()
}

// IsFile reports whether info belongs to the regular file or block device that the input reads,
// by whatever name or link; for compressed content, the compressed file.
func (in *Input) IsFile(info os.FileInfo) bool {
	own := in.file
	if in.compressed != nil {
		own = in.compressed.file
	}
	if own.OS() == nil || own.Kind == source.Stream && !info.Mode().IsRegular() {
		return false
	}
	mine, err := own.OS().Stat()
	return err == nil && (os.SameFile(mine, info) || sameDevice(mine, info))
}

// readsFrom reports whether f is the file that the input reads.
func (in *Input) readsFrom(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && in.IsFile(info)
}
