// Package thresh answers questions about files too big for ordinary tools, as fast as the
// hardware allows, and tells which wall it hit.
//
//	query, err := thresh.Text("req=7f3a9c")
//	input, err := thresh.Open("app.log")
//	defer input.Close()
//	report, err := thresh.Find(ctx, input, query, thresh.Options{}, func(hits []thresh.Hit) error {
//		fmt.Println(hits[0].Off)
//		return nil
//	})
//
// How the bytes reach memory (a mapping, parallel reads, direct reads through io_uring, a
// stream) is chosen by measuring the first pieces of the real work. Answers never depend
// on that choice, on the number of workers, or on the instruction set.
package run

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"

	"github.com/thresh-dev/thresh/internal/engine/stream"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
)

// Input is an open file, block device or stream. It may be used for one call at a time.
type Input struct {
	file    *source.File
	packed  *packed      // what the bytes are unpacked from; nil where they are the file's own
	brought source.Range // into the page cache, by the look at what the file is
	// The file is another's, who closes it.
	borrowed bool

	// Of a stream: whether it is compressed is not known yet, what was read of it before the
	// scan, and that the scan has begun.
	unsettled bool
	lead      lead
	scanned   bool
	view      *stream.View // what of it is in reach of looks around hits
}

// ErrDirectory is returned by Open for a directory.
var ErrDirectory = source.ErrDirectory

// Open opens a file, a block device, or anything that can be read as a stream.
//
// Compressed files (gzip, BGZF, zstd, bzip2, xz, lz4) are recognised by their first bytes and
// decompressed as they are read, and so is the member of a zip archive that
// "archive.zip:member" names, unless there is a file of that name. All offsets are those of
// the content. Content that is compressed several times is decompressed as often.
//
// A file that is compressed otherwise is a *FormatError, and so is one that is not compressed
// although its name ends in .gz, .bgz, .zst, .bz2, .xz, .lz4 or .zip, because it has probably
// lost its beginning. An archive without a member is an *ArchiveError; a member that is not
// there or cannot be read is a *MemberError. Of streams these errors come when they are read.
// Block devices are never decompressed.
func Open(name string) (*Input, error) {
	f, err := source.Open(name)
	if err != nil {
		if in, memberErr := openMember(name); in != nil || memberErr != nil {
			return in, memberErr
		}
		return nil, err
	}
	in, err := unpacked(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return in, nil
}

// OpenRaw opens as Open does, and leaves compressed files as they are.
func OpenRaw(name string) (*Input, error) {
	f, err := source.Open(name)
	if err != nil {
		return nil, err
	}
	return &Input{file: f}, nil
}

// FromFile returns an input that reads from f, whatever its position where it is a file,
// and from where it stands where it is a stream. It is decompressed as by Open. Close closes f.
func FromFile(name string, f *os.File) (*Input, error) {
	file, err := source.FromOS(name, f)
	if err != nil {
		return nil, err
	}
	return unpacked(file)
}

// FromFileRaw is FromFile without decompression.
func FromFileRaw(name string, f *os.File) (*Input, error) {
	file, err := source.FromOS(name, f)
	if err != nil {
		return nil, err
	}
	return &Input{file: file}, nil
}

// Name returns the name under which the input was opened.
func (in *Input) Name() string { return in.file.Name }

// Bytes returns the size when the input was opened, and false for a stream, whose size
// nobody knows; the content of a compressed file is one.
func (in *Input) Bytes() (int64, bool) { return in.file.Bytes, in.file.Kind != source.Stream }

// Packed reports whether the input is decompressed from a file as it is read. It can then be
// opened and read again, as a pipe cannot.
func (in *Input) Packed() bool { return in.packed != nil && in.packed.file.Kind == source.Regular }

// ReadAt reads from the input at an offset, for a look around a hit. Compressed files are
// decompressed once more for it, and are best asked in ascending order. Of a stream only what
// Options.Around keeps can be read, and only by the function that Find calls with hits.
func (in *Input) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case in.Packed():
		return in.packed.readAt(p, off)
	case in.view != nil:
		return in.view.ReadAt(p, off)
	case in.file.Kind == source.Stream:
		return 0, fmt.Errorf("read %s at %d: it is a stream, which cannot be read again", in.Name(), off)
	}
	return in.file.OS().ReadAt(p, off)
}

// ReadSome is ReadAt, but of a stream it returns what has come, and waits for one byte only.
func (in *Input) ReadSome(p []byte, off int64) (int, error) {
	if in.view != nil {
		return in.view.ReadSome(p, off)
	}
	return in.ReadAt(p, off)
}

// Close closes the input.
func (in *Input) Close() error {
	var err error
	if in.packed != nil {
		err = in.packed.again.Close()
	}
	if in.borrowed {
		return err
	}
	return errors.Join(err, in.file.Close())
}

// Options say how a question is answered. The zero value is the best choice nearly always.
type Options struct {
	Offset  int64  // first byte that is looked at
	Length  *int64 // how many bytes, to the end when nil
	Limit   int64  // hits wanted, all when 0
	Engine  string // auto, pread, mmap, uring or stream; auto when empty
	Workers int    // goroutines that scan; as many as the cores when 0
	Chunk   int    // bytes of a piece of work; the engine's best when 0
	Memory  int64  // bound on own memory in bytes; 256 MiB when 0
	Cache   Cache
	Around  int64 // bytes to either side of a hit that ReadAt shall reach in a stream; costs all workers but one
	Receipt bool  // name the wall, which takes some measuring

	// Progress counts the bytes that are behind the scan, skipped holes among them.
	Progress *atomic.Int64
}

// Cache says what becomes of the page cache.
type Cache string

// CacheAuto keeps what was read when it is small against the machine's memory, and leaves
// the page cache as it was found otherwise. CacheKeep always keeps. CacheNeutral drops the
// pages that the scan brought in, and only those.
const (
	CacheAuto    Cache = "auto"
	CacheKeep    Cache = "keep"
	CacheNeutral Cache = "neutral"
)

const memoryDefault = 256 << 20

// RangeError tells that the bytes asked for do not exist.
type RangeError struct {
	Name        string
	Off, Length int64
	Bytes       int64
}

func (e *RangeError) Error() string {
	if e.Length < 0 {
		return fmt.Sprintf("%s has %d bytes: a range of bytes from %d lies outside", e.Name, e.Bytes, e.Off)
	}
	return fmt.Sprintf("%s has %d bytes: a range of %d bytes from %d lies outside", e.Name, e.Bytes, e.Length, e.Off)
}

// check completes the options and finds what cannot be.
func (o *Options) check() error {
	switch {
	case o.Workers < 0:
		return fmt.Errorf("%d workers: at least one is needed", o.Workers)
	case o.Chunk < 0:
		return fmt.Errorf("a chunk of %d bytes: at least one is needed", o.Chunk)
	case o.Memory < 0:
		return fmt.Errorf("a memory bound of %d bytes is negative", o.Memory)
	case o.Offset < 0:
		return fmt.Errorf("offset %d is negative", o.Offset)
	case o.Length != nil && *o.Length < 0:
		return fmt.Errorf("length %d is negative", *o.Length)
	case o.Around < 0:
		return fmt.Errorf("%d bytes around hits is negative", o.Around)
	}
	if o.Engine == "" {
		o.Engine = plan.Auto
	}
	if o.Memory == 0 {
		o.Memory = memoryDefault
	}
	switch o.Cache {
	case "":
		o.Cache = CacheAuto
	case CacheAuto, CacheKeep, CacheNeutral:
	default:
		return fmt.Errorf("cache policy %q is unknown (known: auto, keep, neutral)", o.Cache)
	}
	return nil
}

// span returns the range of the input that the options ask for.
func (o *Options) span(f *source.File) (source.Range, error) {
	end := int64(math.MaxInt64)
	if o.Length != nil && *o.Length < end-o.Offset {
		end = o.Offset + *o.Length
	}
	if f.Kind == source.Stream {
		return source.Range{Off: o.Offset, End: end}, nil
	}
	if o.Offset > f.Bytes || o.Length != nil && end > f.Bytes {
		length := f.Bytes - o.Offset
		if o.Length != nil {
			length = *o.Length
		}
		return source.Range{}, &RangeError{f.Name, o.Offset, length, f.Bytes}
	}
	return source.Range{Off: o.Offset, End: min(end, f.Bytes)}, nil
}
