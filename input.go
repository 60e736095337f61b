package thresh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/run"
)

// Input is where bytes come from: a file, a block device, a stream, a reader, or memory. It serves
// one call at a time, and any number one after the other; a stream can be read only once. The zero
// Input, like a closed one, makes every call return failure.ErrClosed.
type Input struct{ in *run.Input }

// An InputOption changes how an input is opened.
type InputOption uint8

// Raw leaves compressed content as it is.
const Raw InputOption = 1

// newInput returns the input that open opens, from an argument that must not be nil.
func newInput(argument string, from any, options []InputOption,
	open func(raw bool) (*run.Input, error)) (*Input, error) {
	if err := required(argument, from); err != nil {
		return nil, err
	}
	for _, o := range options {
		if o != Raw {
			return nil, &failure.OptionError{Field: "options", Value: o,
				Reason: fmt.Sprintf("options: the input option %d is unknown", o)}
		}
	}
	in, err := open(len(options) > 0)
	if err != nil {
		return nil, err
	}
	return &Input{in}, nil
}

// Open opens a file, a block device, or anything that can be read as a stream.
//
// Compressed files (gzip, zstd, bzip2 and others) are recognised by their first bytes and
// decompressed as they are read, several times if they were compressed several times. The name
// "archive.zip:member" opens a member of a zip archive, unless there is a file of that name. All
// offsets are those of the content. Block devices are never decompressed. With Raw nothing is.
//
// A file that is compressed in an unsupported way is a *failure.FormatError; so is one that is not compressed
// although its name ends in .gz, .zst, .zip or the like, because it has probably lost
// its beginning. An archive without a member is a *failure.ArchiveError, a member that cannot be read a
// *failure.MemberError, a folder failure.ErrDirectory. A stream returns these errors when it is read.
func Open(name string, options ...InputOption) (*Input, error) {
	return newInput("name", name, options, func(raw bool) (*run.Input, error) { return run.Open(name, raw) })
}

// OpenFS opens a file of a file system, for example of an embed.FS. It is read in parallel if it is
// an *os.File or an io.ReaderAt, and in order otherwise. It is decompressed as by Open; members of
// archives have no names here.
func OpenFS(fsys fs.FS, name string, options ...InputOption) (*Input, error) {
	return newInput("fsys", fsys, options, func(raw bool) (*run.Input, error) { return run.OpenFS(fsys, name, raw) })
}

// FromFile returns an input that reads an open file: from any offset if it is a regular file or a
// block device, and from its position if it is a stream. The name is used in reports and errors. The
// file is decompressed as by Open. The input owns f: Close closes it. If FromFile returns an error, f
// remains the caller's.
func FromFile(name string, f *os.File, options ...InputOption) (*Input, error) {
	return newInput("f", f, options, func(raw bool) (*run.Input, error) { return run.FromFile(name, f, raw) })
}

// FromReader returns an input that reads r once and in order, for example the body of an HTTP
// response. The name is used in reports and errors. Content is decompressed as by Open. Reads are
// made by one goroutine at a time; a Read that waits is not interrupted by a cancelled context.
// Close does not close r.
func FromReader(name string, r io.Reader, options ...InputOption) (*Input, error) {
	return newInput("r", r, options, func(raw bool) (*run.Input, error) { return run.FromReader(name, r, raw) })
}

// FromReaderAt returns an input of size bytes that reads r at several offsets at once, about a MiB in
// each call. The name is used in reports and errors. Content is decompressed as by Open. A size
// is a *failure.OptionError if it is negative, or if r ends before it. Close does not close r.
func FromReaderAt(name string, r io.ReaderAt, size int64, options ...InputOption) (*Input, error) {
	return newInput("r", r, options, func(raw bool) (*run.Input, error) { return run.FromReaderAt(name, r, size, raw) })
}

// FromBytes returns an input of bytes in memory, which must not change while it is used. Nothing is
// copied, and no goroutine is started where that would not pay. Reports and errors call it "memory". It
// is never decompressed; for that, use FromReaderAt with a bytes.Reader.
func FromBytes(data []byte) *Input { return &Input{run.FromBytes("memory", data)} }

// Object is content on another machine that is read by ranges. Package remote has those of HTTP servers and of S3
// stores. All methods but Close must be safe for concurrent use.
type Object interface {
	// Name returns the name that reports and errors use.
	Name() string
	// Bytes returns the size; -1 if the content can be read only once, from its start.
	Bytes() int64
	// ReadRange returns the bytes from off to end, all of them of the version that was opened. An object of
	// unknown size is read from 0 to -1. Errors come from Read; a cancelled context ends a Read that waits.
	ReadRange(ctx context.Context, off, end int64) io.ReadCloser
	// Traffic returns how long the server takes until an answer begins, and how often it asked for fewer
	// requests.
	Traffic() (latency time.Duration, throttled int64)
	// Close releases what the object holds.
	Close() error
}

// FromObject returns an input that reads an object by ranges, as many at once as is fastest. Content is
// decompressed as by Open. The input owns the object, also if FromObject returns an error.
func FromObject(o Object, options ...InputOption) (*Input, error) {
	return newInput("o", o, options, func(raw bool) (*run.Input, error) { return run.FromObject(o, raw) })
}

// FromArchive returns an input that reads a member of a zip archive, which is an object. If the archive cannot be
// read, or has no such member, the error is a *failure.MemberError; a *failure.ArchiveError if its server knows no
// ranges. The input owns the object, also if FromArchive returns an error.
func FromArchive(archive Object, member string) (*Input, error) {
	return newInput("archive", archive, nil, func(bool) (*run.Input, error) { return run.FromArchive(archive, member) })
}

// IsRemote reports whether a name is that of an object: it begins with https://, http:// or s3://. Open takes it as
// the path of a file; package remote opens it.
func IsRemote(name string) bool { return source.IsRemote(name) }

// use returns the input for a call.
func (in *Input) use() (*run.Input, error) {
	if in == nil || in.in == nil {
		return nil, failure.ErrClosed
	}
	return in.in, nil
}

// Name returns the name under which the input was opened, "" if it is closed.
func (in *Input) Name() string {
	if in == nil || in.in == nil {
		return ""
	}
	return in.in.Name()
}

// Bytes returns the size at the time of opening. Ok is false for a stream, whose size is not known,
// and for the content of a compressed file, which is a stream.
func (in *Input) Bytes() (n int64, ok bool) {
	if in == nil || in.in == nil {
		return 0, false
	}
	return in.in.Bytes()
}

// Head returns what the content begins with, at most most bytes, and whether that is all of it. It waits for all of a
// stream's first bytes, but only for patience once a line of it has arrived; a scan reads them again.
func (in *Input) Head(ctx context.Context, most int, patience time.Duration) (head []byte, whole bool, err error) {
	inner, err := in.use()
	if err != nil {
		return nil, false, err
	}
	if err := errors.Join(required("ctx", ctx), notNegative("most", int64(most))); err != nil {
		return nil, false, err
	}
	return inner.Head(ctx, most, patience)
}

// Compressed reports whether the content is decompressed from a file as it is read. Such an input can
// be read again, as a pipe cannot.
func (in *Input) Compressed() bool { return in != nil && in.in != nil && in.in.Compressed() }

// IsFile reports whether info describes the regular file or block device that the input reads, by
// whatever name or link. For compressed content that is the compressed file.
func (in *Input) IsFile(info os.FileInfo) bool {
	return in != nil && in.in != nil && info != nil && in.in.IsFile(info)
}

// ReadAt reads at an offset of the content, as io.ReaderAt says, to show what is around a hit. A
// compressed file is decompressed once more for it; ascending offsets need one pass together. Of a
// stream only what options.Find.Context keeps can be read, and only by the function that receives the hits.
func (in *Input) ReadAt(p []byte, off int64) (int, error) {
	i, err := in.use()
	if err != nil {
		return 0, err
	}
	if err := notNegative("off", off); err != nil {
		return 0, err
	}
	n, err := i.ReadAt(p, off)
	return n, err
}

// Line returns the line in which a hit begins, without its line feed, and where in it the hit begins. It is read as
// ReadAt says; of a stream, what options.Find.Context keeps. A hit beyond the end is an io.ErrUnexpectedEOF.
func (in *Input) Line(h answer.Hit) (text []byte, at int, err error) {
	if err := notNegative("Off", h.Off); err != nil {
		return nil, 0, err
	}
	for size := int64(lineStepBytes); ; size *= 2 {
		from := max(h.Off-size, 0)
		text = make([]byte, h.Off-from)
		n, err := in.ReadAt(text, from)
		if err != nil && err != io.EOF {
			return nil, 0, err
		}
		if n < len(text) {
			return nil, 0, io.ErrUnexpectedEOF
		}
		if feed := bytes.LastIndexByte(text, '\n'); feed >= 0 || from == 0 {
			text = text[feed+1:]
			break
		}
	}
	at = len(text)
	for {
		text = slices.Grow(text, lineStepBytes)
		step := text[len(text) : len(text)+lineStepBytes]
		n, err := in.ReadSome(step, h.Off+int64(len(text)-at))
		if feed := bytes.IndexByte(step[:n], '\n'); feed >= 0 {
			return text[:len(text)+feed], at, nil
		}
		text = text[:len(text)+n]
		if err == io.EOF {
			return text, at, nil
		}
		if err != nil {
			return nil, 0, err
		}
	}
}

// lineStepBytes is how much of a line is read at once.
const lineStepBytes = 4 << 10

// ReadSome is ReadAt, except that of a stream it returns the bytes that have arrived so far, and
// waits only for the first one.
func (in *Input) ReadSome(p []byte, off int64) (int, error) {
	i, err := in.use()
	if err != nil {
		return 0, err
	}
	if err := notNegative("off", off); err != nil {
		return 0, err
	}
	n, err := i.ReadSome(p, off)
	return n, err
}

// Close closes the input. Further calls of Close do nothing.
func (in *Input) Close() error {
	i, err := in.use()
	if err != nil {
		return nil
	}
	in.in = nil
	return i.Close()
}
