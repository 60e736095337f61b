// Package unpack gives out what is inside compressed files, in order and as fast as the
// cores allow: gzip (also of many members, and BGZF), Zstandard, bzip2, and the members of
// zip archives.
//
// The decompressing is done by libraries. What is done here is to keep several of them
// busy with one file. A goroutine reads the file ahead in segments, into a bounded window.
// Where a segment holds the beginning of a gzip member or of a zstd frame, an idle worker
// starts a run there: it decompresses from that place to the first end of a member behind
// the segment, into chunks of memory from a bounded budget. The reader passes on the run
// that begins at the file's start, then the one that begins where that ended, and so on; a
// run that began anywhere else was started on a coincidence and is dropped. So what is
// given out is always what one decompressor alone would give out, whatever was guessed.
//
//	segments   |----0----|----1----|----2----|----3----|
//	members    [      ][     ][         ][        ][   ]
//	runs       0---------------->                        passed on as it comes
//	                          2---------->               adopted, as run 0 ended there
//	                                     3-------------->
//
// A zstd frame's beginning is known, since frames and blocks have headers that say how
// long they are. A gzip member has none of that: three bytes and a flag look like one, and
// every 16 MiB of compressed data has such bytes by chance. They nearly never inflate far,
// and are not adopted if they do.
package unpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Format is how bytes are packed.
type Format uint8

// The formats. Deflate and Stored are those of members of zip archives.
const (
	Gzip Format = iota
	Zstd
	Bzip2
	Deflate
	Stored
)

// String returns the format's usual name.
func (f Format) String() string { return [...]string{"gzip", "zstd", "bzip2", "deflate", "stored"}[f] }

var suffixes = []struct {
	suffix string
	format Format
}{{".gz", Gzip}, {".bgz", Gzip}, {".zst", Zstd}, {".bz2", Bzip2}}

// ByName returns the format that the name of a file promises, in lower or upper case.
func ByName(name string) (Format, bool) {
	for _, s := range suffixes {
		if cut := len(name) - len(s.suffix); cut >= 0 && strings.EqualFold(name[cut:], s.suffix) {
			return s.format, true
		}
	}
	return 0, false
}

// headBytes is how much Check needs of a file at most.
const headBytes = 4

// Check returns an error when a file is not of the format that its name promises.
func Check(f Format, r io.ReaderAt) error {
	head := make([]byte, headBytes)
	n, err := r.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	head = head[:n]
	var ok bool
	switch f {
	case Gzip:
		ok = bytes.HasPrefix(head, gzipMagic)
	case Zstd:
		ok = len(head) == 4 && (isFrame(head) || isSkippable(head))
	case Bzip2:
		ok = bytes.HasPrefix(head, []byte("BZh"))
	default:
		ok = true
	}
	switch {
	case ok:
		return nil
	case n == 0:
		return fmt.Errorf("it is empty, which no %s file is", f)
	}
	return fmt.Errorf("it does not begin as a %s file does", f)
}

// Error tells where unpacking failed.
type Error struct {
	Format Format
	Off    int64 // about where in the packed bytes: at most a block behind the fault
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s data at byte %d of the compressed file: %v", e.Format, e.Off, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

var (
	// ErrTruncated tells that packed bytes end where more must follow.
	ErrTruncated = errors.New("it ends too early: the file is truncated")
	// ErrTrailing tells that something else follows the packed bytes.
	ErrTrailing = errors.New("what follows is not compressed data")
	// ErrChecksum tells that what was unpacked is not what was packed.
	ErrChecksum = errors.New("the checksum is wrong: the file is damaged")

	errSize   = errors.New("the size is wrong: the file is damaged")
	errClosed = errors.New("the reader is closed")
)

// Options say how much unpacking may use. The zero value is one worker.
type Options struct {
	Workers  int   // goroutines that decompress; with up to 1 the reading one does it
	MemBytes int64 // bound on own memory; workers give way to it; 0: none
}

const (
	segmentBytes = 256 << 10
	chunkBytes   = 256 << 10

	// Of each worker, beside its decompressor: how far the file is read ahead, and how much
	// may be unpacked before its turn comes.
	aheadSegments = 8
	budgetChunks  = 16

	workerBytes = aheadSegments*segmentBytes + budgetChunks*chunkBytes + 1<<20
)

// workersFor returns how many workers the memory allows.
func (o Options) workersFor(f Format) int {
	if o.MemBytes == 0 {
		return max(o.Workers, 1)
	}
	fit := o.MemBytes / workerBytes
	if f == Zstd {
		// Half is for the run whose turn it is: it may need a large window.
		fit = o.MemBytes / 2 / (workerBytes + decoderBytes(windowAhead))
	}
	return int(max(min(fit, int64(o.Workers)), 1))
}

// NewReader returns what is inside r. An error of the packed bytes, or of reading them, is
// an *Error. The reader is for one goroutine; Close ends reading ahead, and waits for a
// read of r that is under way. It does not close r.
func NewReader(r io.Reader, f Format, o Options) io.ReadCloser { return newReader(r, f, o, 0) }

// newReader is NewReader for packed bytes that begin at an offset of their file.
func newReader(r io.Reader, f Format, o Options, off int64) io.ReadCloser {
	n := o.workersFor(f)
	c := newCodec(f, o, off)
	if n < 2 {
		return newSerial(r, c)
	}
	return newPipeline(r, c, n)
}
