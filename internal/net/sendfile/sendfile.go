// Package sendfile sends bytes of a file to a socket, or to another file, inside the kernel and
// from any offset.
//
// Sending from explicit offsets needs no cursor, so one open file serves many transfers at once. No
// call waits for a socket inside the kernel: the goroutine waits in the netpoller, and no thread
// blocks.
package sendfile

import (
	"os"
	"syscall"
)

// Sent is the result of a call.
type Sent struct {
	Bytes int64 // bytes that the destination accepted
	Calls int64 // system calls, including those that found the socket full
}

// Sender sends bytes of one file to one socket or file. The zero value needs a Reset. A reused
// Sender allocates nothing itself. It is not safe for concurrent use.
type Sender struct {
	dst, src syscall.RawConn
	toFile   bool
	name     string
	sem      chan struct{}

	// The state of one call: arguments, results, and the descriptor of the file.
	off       int64
	ownOffset bool
	n         int
	in        uintptr
	sent      Sent
	err       error
	dstErr    error

	// Bound once: a new closure for every call would be an allocation for every call.
	write func(fd uintptr) bool
	hold  func(fd uintptr)
	lock  func(fd uintptr) bool
}

// Reset makes s send from f to dst. dst is a socket or, with toFile, a regular file that is written
// at its own offset. A call that may wait for the disk holds a place in sem while it is in the
// kernel, but never while it waits for the socket. A nil sem sets no bound.
func (s *Sender) Reset(dst syscall.RawConn, f *os.File, toFile bool, sem chan struct{}) error {
	src, err := f.SyscallConn()
	if err != nil {
		return err
	}
	s.dst, s.src, s.toFile, s.name, s.sem = dst, src, toFile, f.Name(), sem
	return nil
}

// Clear drops the references to both ends.
func (s *Sender) Clear() {
	s.dst, s.src, s.name, s.sem, s.err, s.dstErr = nil, nil, "", nil, nil, nil
}
