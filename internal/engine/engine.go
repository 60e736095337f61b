// Package engine is the contract between the ways in which a file's bytes reach memory
// and the scan that looks at them. The ways themselves are the packages below it; one
// behavioural suite, enginetest, holds for all.
package engine

import (
	"errors"
	"fmt"
)

// Piece is a range of an input that is handed to one worker as a whole.
type Piece struct {
	Off int64 // first byte, absolute in the input
	Len int   // bytes that belong to the piece; at least 1
}

// End returns the offset behind the piece.
func (p Piece) End() int64 { return p.Off + int64(p.Len) }

// Block is a piece, or a part of one, in memory.
type Block struct {
	Off  int64  // offset of Data[0] in the input
	Data []byte // Data[:Len] belongs to the piece, what follows is context
	Len  int    // bytes of Data that belong to the piece; 0 when Err is set
	Err  *UnreadError

	// BrokeOff tells, of a stream, that the input ends here because it cannot be read any
	// further, as the error block says that follows: what the block ends in has no end.
	BrokeOff bool
}

// Next hands out the pieces that a worker is to read, lowest offset first; false means
// that there is none left for this reader. It is safe for concurrent use.
type Next func() (Piece, bool)

// Visit receives the blocks of a piece. Data is valid until Visit returns and must not be
// written to. Last tells that the piece is finished. Returning false ends the Run.
//
// The bytes of a mapping can turn out to be unreadable while they are looked at. The call
// is then left by a panic, which the engine recovers, and Visit is called again for the
// same Block.Off with what lies before the first byte that cannot be read; if that is
// nothing, only with the error block that follows. So a visitor holds no lock while it
// touches Data, counts a block when it is done with it, and does not keep twice what it
// finds twice: everything found at or behind Block.Off is found again.
type Visit func(p Piece, b Block, last bool) bool

// Engine reads one input. Its readers share what can be shared: a descriptor, a mapping.
type Engine interface {
	// Name is the word for the engine in flags and receipts.
	Name() string
	// Reader returns the access of one more worker.
	Reader() (Reader, error)
	// Close releases what the readers shared; they must have been closed before.
	Close() error
}

// Reader is one worker's access to the input. It is used by one goroutine at a time.
type Reader interface {
	// Run pulls pieces from next until there is none left or visit returns false, and
	// calls visit with their blocks. It may pull several pieces ahead of the one that it
	// visits. Every piece pulled is visited, unless visit returned false or Config.Stop
	// true before: its blocks come in order, without gap or overlap, and only the last of
	// them with last set. Pieces are visited in the order in which they were pulled.
	//
	// A block holds Config.AheadBytes of context behind its own bytes, fewer only where
	// the input ends or a range behind it cannot be read. What cannot be read is visited
	// as a block with Err set, and reading goes on behind it.
	//
	// A piece that lies behind the end of the input, or reaches over it because the file
	// shrank, has its missing bytes visited as a block with Err set. An input whose end is
	// not known beforehand (a stream) ends its Run at the end instead, after visiting the
	// piece that it broke off in with fewer bytes than Piece.Len.
	//
	// The error is for what concerns no range: it ends the whole scan.
	Run(next Next, visit Visit) error
	// Close releases what the reader holds. No read is under way when it returns.
	Close() error
}

// Config is what the plan decides about an engine.
type Config struct {
	PieceBytes int  // largest Piece.Len that next will hand out
	AheadBytes int  // context wanted behind a piece
	BlockBytes int  // size of one direct read; uring only
	Depth      int  // direct reads in flight for each worker; uring only
	Populate   bool // fault a piece in by one system call before visiting it; mmap only

	// SpareBytes is own memory that the bound leaves beside what the readers take, for a
	// source that needs some itself, as a decompressor does; stream only.
	SpareBytes int64

	// Lines cuts the blocks of a slow stream before a line feed rather than AheadBytes
	// before the last byte that has arrived: whole lines are seen as they come.
	Lines bool

	// Stop is true when the scan is over; an engine that waits for bytes looks at it at
	// least every 50 ms. It may be nil.
	Stop func() bool
}

// ErrEnded is the cause of an UnreadError where an input ends before a piece does.
var ErrEnded = errors.New("input ends before (it may have shrunk while it was read)")

// UnreadError tells which range of an input could not be read, and why.
type UnreadError struct {
	Name string // of the input
	Off  int64
	Len  int64 // 0 when nobody knows how much would have followed: a stream broke off
	Err  error
}

func (e *UnreadError) Error() string {
	if e.Len == 0 {
		return fmt.Sprintf("read %s at %d: %v", e.Name, e.Off, e.Err)
	}
	return fmt.Sprintf("read %s at %d: %d bytes unread: %v", e.Name, e.Off, e.Len, e.Err)
}

func (e *UnreadError) Unwrap() error { return e.Err }

// RefusedError tells why an engine cannot read an input on this machine.
type RefusedError struct {
	Engine string
	Name   string // of the input
	Reason string // what to know, and what to do where something can be done
	Err    error  // the system's own word, nil where there is none
}

func (e *RefusedError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("engine %s cannot read %s: %s", e.Engine, e.Name, e.Reason)
	}
	return fmt.Sprintf("engine %s cannot read %s: %s: %v", e.Engine, e.Name, e.Reason, e.Err)
}

func (e *RefusedError) Unwrap() error { return e.Err }
