// Package decompress reads the content of compressed files, in order and as fast as the cores
// allow: gzip (including several members, and BGZF), Zstandard, bzip2, xz, LZ4, and the members of
// zip archives. It recognises the format by the first bytes.
//
// Libraries do the decompression, except that of gzip (kernel/inflate is faster) and of bzip2 (no
// library decodes its blocks one by one). This package keeps several decompressors busy with one
// file. A goroutine reads ahead into a bounded window of segments. If a gzip member or a zstd frame
// begins in a segment, an idle worker starts a run there. The run decompresses from that place to
// the first end of a member behind the segment, into chunks from a bounded budget. The reader
// delivers the run that begins at the start of the file, then the run that begins where that one
// ended, and so on. A run that begins anywhere else was a wrong guess, and is dropped. So the
// output is always that of a single decompressor, whatever was guessed.
//
//	segments   |----0----|----1----|----2----|----3----|
//	members    [      ][     ][         ][        ][   ]
//	runs       0---------------->                        delivered as it is made
//	                          2---------->               adopted, because run 0 ended there
//	                                     3-------------->
//
// The start of a zstd frame is known for certain, because the headers of frames and blocks contain
// their lengths. A gzip member has no such header: three bytes and a flag look like one, and every
// 16 MiB of compressed data contains such bytes by chance. A run that begins at them almost always
// fails soon, and is not adopted if it does not. The same holds for the blocks of bzip2, which begin at
// any bit; what a run must know to go on from there is a joint. The blocks of a long gzip member need the
// content before them: see blocks.go.
package decompress

import (
	"errors"
	"fmt"
	"io"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// Format is a format of compression.
type Format uint8

// The formats. Deflate and Stored occur only in zip archives.
const (
	Plain Format = iota // not compressed
	Gzip
	Zstd
	Bzip2
	Xz
	LZ4
	Zip // an archive; OpenMember reads its members
	Deflate
	Stored
)

// String returns the format's usual name.
func (f Format) String() string { return formatNames[f] }

var formatNames = [...]string{"not compressed", "gzip", "zstd", "bzip2", "xz", "lz4", "zip", "deflate", "stored"}

// Error reports where decompression failed.
type Error struct {
	Format Format
	Off    int64 // approximate offset in the compressed file: at most a block behind the fault
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s data at byte %d of the compressed file: %v", e.Format, e.Off, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

var (
	// ErrTruncated means that the compressed data ends where more must follow.
	ErrTruncated = errors.New("it ends too early: the file is truncated")
	// ErrTrailing means that other data follows the compressed data.
	ErrTrailing = errors.New("what follows is not compressed data")
	// ErrChecksum means that the decompressed data does not have the checksum of the original.
	ErrChecksum = errors.New("the checksum is wrong: the file is damaged")

	errSize   = errors.New("the size is wrong: the file is damaged")
	errClosed = errors.New("the reader is closed")
)

// Options limit the resources of decompression. The zero value is one worker.
type Options struct {
	Workers  int   // goroutines that decompress; up to 1: the goroutine that reads
	MemBytes int64 // bound on memory, which may reduce the workers; 0: none
}

var (
	segmentBytes = threshold.New("decompress: segment", 256<<10, 1)
	chunkBytes   = threshold.New("decompress: chunk", 256<<10, 2) // at least a symbol

	// The first chunk of a run, which is smaller so that it is searched sooner. Each is twice as long as the
	// one before.
	firstChunkBytes = threshold.New("decompress: first chunk", 64<<10, 2)

	// Segments to read ahead and chunks to decompress ahead, for each worker.
	aheadSegments = threshold.New("decompress: segments read ahead", 8, 1)
	budgetChunks  = threshold.New("decompress: chunks ahead", 16, 1)
)

// workerBytes is the memory of a worker without its decompressor.
func workerBytes() int64 {
	return int64(aheadSegments.Get()*segmentBytes.Get() + budgetChunks.Get()*chunkBytes.Get() + 1<<20)
}

// workersFor returns how many workers the options allow for a format.
func (o Options) workersFor(f Format) int {
	workers := int64(max(o.Workers, 1))
	if !f.parallel() {
		workers = min(workers, 2) // one reads ahead, and one decompresses
	}
	if o.MemBytes == 0 {
		return int(workers)
	}
	fit := o.MemBytes / workerBytes()
	switch f {
	case Zstd:
		// Half of the memory is for the current run, which may need a large window.
		fit = o.MemBytes / 2 / (workerBytes() + decoderBytes(int64(windowAhead.Get())))
	case Bzip2:
		fit = (o.MemBytes - bzip2BlockBytes) / (workerBytes() + bzip2BlockBytes)
	case Xz:
		fit = (o.MemBytes - decoderBytes(0) - dictionaryUsual) / workerBytes()
	}
	return int(max(min(fit, workers), 1))
}

// dictionaryUsual is the largest dictionary of the presets of xz.
const dictionaryUsual = 64 << 20

// parallel reports whether files of the format may have several runs.
func (f Format) parallel() bool { return f == Gzip || f == Zstd || f == Bzip2 }

// NewReader returns a reader of the decompressed content of r. An error in the compressed data, or
// of a read of r, is an *Error. The reader is for one goroutine. Close stops reading ahead and
// waits for a read of r that is in progress. It does not close r.
func NewReader(r io.Reader, f Format, o Options) io.ReadCloser { return newReader(r, f, o, 0) }

// newReader is NewReader for compressed data that begins at an offset of its file.
func newReader(r io.Reader, f Format, o Options, off int64) io.ReadCloser {
	n := o.workersFor(f)
	c := newCodec(f, o, off)
	if n < 2 {
		return newSerial(r, c)
	}
	return newPipeline(r, c, n)
}
