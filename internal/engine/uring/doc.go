// Package uring reads files past the page cache: direct reads through an io_uring for each
// worker, so that the storage always has several requests to work on. It is for files that
// are not in the page cache; of those that are, pread and mmap are faster.
//
// A worker pulls pieces ahead, cuts them into blocks, and keeps a fixed number of blocks
// in flight; memory is that number times the size of a block. A block is read with its
// context, rounded to the alignment: neighbours so read a few kilobytes twice, and no
// block waits for another.
//
// What the ring cannot read (an error, a range that shrank away, a short read that stays
// short) is read again by the pread engine, which knows how to read around errors.
package uring

// Direct reads of a size that fits a queue of any storage, and enough of them that a local
// disk is never without work.
const (
	DefaultBlockBytes = 512 << 10
	DefaultDepth      = 16
)

// Stats tells what an engine did: evidence that direct reads took place.
type Stats struct {
	Reads     int64 // direct reads that completed with bytes
	Bytes     int64 // that they read, alignment and context included
	Resubmits int64 // reads that were asked for again
	Rescued   int64 // blocks that the pread engine read instead
}
