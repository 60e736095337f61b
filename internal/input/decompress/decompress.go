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
	"io"

	"github.com/thresh-dev/thresh/internal/threshold"
)

var (
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

// NewReader returns a reader of the decompressed content of r. An error in the compressed data, or
// of a read of r, is a *failure.DamageError. The reader is for one goroutine. Close stops reading ahead and
// waits for a read of r that is in progress. It does not close r.
func NewReader(r io.Reader, f Format, o Options) io.ReadCloser { return newReader(r, f, o, 0) }

// newReader is NewReader for compressed data that begins at an offset of its file.
func newReader(r io.Reader, f Format, o Options, off int64) io.ReadCloser {
	c := newCodec(f, o, off)
	n := c.workers(o)
	if n < 2 {
		return newSerial(r, c)
	}
	return newPipeline(r, c, n)
}
