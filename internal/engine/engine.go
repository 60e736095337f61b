// Package engine is the contract between the scan, which searches bytes, and the engines, which
// bring an input's bytes into memory. The engines are the packages below this one. All must pass
// the same test suite, package enginetest.
package engine

import (
	"errors"
	"syscall"
	"time"

	"github.com/thresh-dev/thresh/failure"
)

// Piece is a range of an input that one worker gets as a whole.
type Piece struct {
	Off int64 // first byte, absolute in the input
	Len int   // bytes that belong to the piece; at least 1
}

// End returns the offset behind the piece.
func (p Piece) End() int64 { return p.Off + int64(p.Len) }

// Block is a piece, or a part of one, in memory.
type Block struct {
	Off  int64  // offset of Data[0] in the input
	Data []byte // Data[:Len] belongs to the piece, the rest is context
	Len  int    // bytes of Data that belong to the piece; 0 if Err is set
	Err  *failure.UnreadError

	// Other is what the other input of a comparison has in the place of Data[:Len]: fewer bytes if it ends there.
	Other []byte

	// BrokeOff is set if a stream ends with this block because of a read error, which the next
	// block reports. A record or line at the end of the block may then be incomplete.
	BrokeOff bool
}

// Next returns the next piece for a reader, lowest offset first, or false if no piece is left for
// it. It is safe for concurrent use.
type Next func() (Piece, bool)

// Each calls visit for piece after piece, until none is left, or visit returns false or an error.
func (next Next) Each(visit func(Piece) (goOn bool, err error)) error {
	for {
		p, ok := next()
		if !ok {
			return nil
		}
		if goOn, err := visit(p); err != nil || !goOn {
			return err
		}
	}
}

// Visit receives the blocks of a piece. Data is valid until Visit returns and must not be
// modified. Last is true for the last block of the piece. Returning false ends the Run.
//
// Bytes of a mapping can become unreadable during a visit. The visit then panics and the engine
// recovers. It calls Visit again for the same Block.Off with the bytes before the first unreadable
// one, if there are any, and then with an error block for the rest. Therefore a visitor holds no
// lock while it touches Data, counts a block only when it is done with it, and keeps only one copy
// of what it finds twice: everything found at or behind Block.Off is found again.
type Visit func(p Piece, b Block, last bool) bool

// Engine reads one input. Its readers share a descriptor or a mapping.
type Engine interface {
	// Name returns the engine's name in flags and receipts.
	Name() string
	// Reader returns a reader for one more worker.
	Reader() (Reader, error)
	// Close releases what the readers shared. All readers must have been closed before.
	Close() error
}

// Reader is one worker's access to the input. It is used by one goroutine at a time.
type Reader interface {
	// Run pulls pieces from next until none is left or visit returns false, and calls visit
	// with their blocks. It may pull several pieces ahead of the one it visits. It visits every
	// piece it pulled, in the order in which it pulled them, unless visit returned false or
	// Config.Stop returned true before. The blocks of a piece come in order, without gap or
	// overlap, and last is set only for the last of them.
	//
	// A block has Config.AheadBytes of context behind its own bytes, and fewer only if the
	// input ends or a range behind it cannot be read. A range that cannot be read is visited as
	// a block with Err set, and reading goes on behind it.
	//
	// A piece may lie behind the end of the input, or reach over it because the file shrank. Its
	// missing bytes are visited as a block with Err set. A stream, whose end is not known in
	// advance, ends its Run at the end instead; the last piece it visits may have fewer bytes
	// than Piece.Len.
	//
	// Run returns an error only if the error concerns no particular range. It ends the scan.
	Run(next Next, visit Visit) error
	// Close releases the reader's resources. No read is in flight when it returns.
	Close() error
}

// Releaser is a Reader of a mapping. Release takes the pages of a visited piece out of the mapping, which closing the
// engine does otherwise.
type Releaser interface{ Release(p Piece) }

// Config is the plan's configuration of an engine.
type Config struct {
	PieceBytes int // largest Piece.Len that next returns
	AheadBytes int // bytes of context behind a piece
	BlockBytes int // size of one read; uring, and pread and ranges if it is not 0
	// Depth is how much each worker reads ahead: reads in flight of uring; pieces of mmap that are
	// faulted in before their visit, 0 for none. Of ranges it is how many are requested at once at most.
	Depth int

	// SpareBytes is the part of the memory bound that the readers do not use. It is for
	// sources that need memory of their own, such as decompressors; stream only.
	SpareBytes int64

	// Lines makes the blocks of a slow stream end before a line feed, instead of AheadBytes
	// before the last byte that has arrived, so that whole lines are visited as they arrive.
	Lines bool

	// Stop returns true when the scan is over. An engine that waits for bytes calls it at least
	// every 50 ms. It may be nil.
	Stop func() bool
}

// Network is what an engine knows about the way to a remote object.
type Network struct {
	Connections int           // ranges requested at once
	Latency     time.Duration // until an answer begins
	Throttled   int64         // how often the server asked for fewer requests
	Reason      string        // for so many connections; "" if none was tried
}

// ConcernsAll reports whether all reads of a descriptor would fail in the same way.
func ConcernsAll(err error) bool {
	for _, e := range []syscall.Errno{syscall.EBADF, syscall.EINVAL, syscall.EISDIR, syscall.ESPIPE,
		syscall.EFAULT, syscall.ENOMEM, syscall.EACCES, syscall.EPERM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
