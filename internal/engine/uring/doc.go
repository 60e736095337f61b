// Package uring reads files with direct reads, which bypass the page cache. Each worker has its own
// io_uring, so that the storage always has several requests in its queue. The engine is for files
// that are not in the page cache; for cached files pread and mmap are faster.
//
// A worker pulls pieces ahead, cuts them into blocks, and keeps a fixed number of blocks in flight.
// Its memory is that number times the block size. A block is read together with its context and
// rounded to the alignment. So adjacent blocks read a few kilobytes twice, but no block waits for
// another.
//
// If the ring cannot read a block (an error, a range that was truncated, a read that stays short),
// the pread engine reads it again, because it can skip unreadable parts.
package uring

// The defaults are a read size that suits any storage queue, and enough reads in flight to keep a
// local disk busy.
const (
	DefaultBlockBytes = 512 << 10
	DefaultDepth      = 16
)

// Stats counts what an engine did. It is the evidence that direct reads took place.
type Stats struct {
	Reads     int64 // direct reads that returned bytes
	Bytes     int64 // bytes they returned, including alignment and context
	Resubmits int64 // reads that were submitted again
	Rescued   int64 // blocks that the pread engine read instead
}
