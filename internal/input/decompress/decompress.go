// Package decompress gives out what is inside compressed files, in order and as fast as the
// cores allow: gzip (also of many members, and BGZF), Zstandard, bzip2, xz, LZ4, and the
// members of zip archives. It recognises them by how they begin.
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
package decompress

import (
	"errors"
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Format is how bytes are packed.
type Format uint8

// The formats. Deflate and Stored are those of members of zip archives.
const (
	Plain Format = iota // not compressed
	Gzip
	Zstd
	Bzip2
	Xz
	LZ4
	Zip // an archive, of which OpenMember reads the members
	Deflate
	Stored
)

// String returns the format's usual name.
func (f Format) String() string { return formatNames[f] }

var formatNames = [...]string{"not compressed", "gzip", "zstd", "bzip2", "xz", "lz4", "zip", "deflate", "stored"}

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

var (
	segmentBytes = threshold.New("unpack: segment", 256<<10, 1)
	chunkBytes   = threshold.New("unpack: chunk", 256<<10, 1)

	// Of each worker, beside its decompressor: how far the file is read ahead, and how much
	// may be unpacked before its turn comes.
	aheadSegments = threshold.New("unpack: segments read ahead", 8, 1)
	budgetChunks  = threshold.New("unpack: chunks ahead", 16, 1)
)

// workerBytes is the memory of a worker beside its decompressor.
func workerBytes() int64 {
	return int64(aheadSegments.Get()*segmentBytes.Get() + budgetChunks.Get()*chunkBytes.Get() + 1<<20)
}

// workersFor returns how many workers the memory allows.
func (o Options) workersFor(f Format) int {
	workers := int64(max(o.Workers, 1))
	if !f.many() {
		workers = min(workers, 2) // one reads ahead, and one decompresses
	}
	if o.MemBytes == 0 {
		return int(workers)
	}
	fit := o.MemBytes / workerBytes()
	switch f {
	case Zstd:
		// Half is for the run whose turn it is: it may need a large window.
		fit = o.MemBytes / 2 / (workerBytes() + decoderBytes(int64(windowAhead.Get())))
	case Xz:
		fit = (o.MemBytes - decoderBytes(0) - dictionaryUsual) / workerBytes()
	}
	return int(max(min(fit, workers), 1))
}

// dictionaryUsual is the largest dictionary of the presets of xz.
const dictionaryUsual = 64 << 20

// many reports whether several runs can be found in the format's files.
func (f Format) many() bool { return f == Gzip || f == Zstd }

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
