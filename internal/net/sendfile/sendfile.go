// Package sendfile sends bytes of a file to a socket, or to another file, inside the kernel,
// from any offset.
//
// A file that is sent from explicit offsets keeps no cursor, so one open file serves many
// transfers at once. Nothing waits for a socket inside the kernel: the goroutine waits, and
// no thread with it.
package sendfile

import (
	"os"
	"syscall"
)

// Sent is what a call did.
type Sent struct {
	Bytes int64
	Calls int64 // system calls, also those that found the socket full
}

// Sender sends bytes of one file to one socket or file. The zero value is ready for Reset; a Sender
// that is used again allocates nothing but what the two ends do. It is not safe for
// concurrent use.
type Sender struct {
	dst, src syscall.RawConn
	toFile   bool
	name     string
	sem      chan struct{}

	// One call: its question, its answer, and the descriptor of the file meanwhile.
	off       int64
	ownOffset bool
	n         int
	in        uintptr
	sent      Sent
	err       error
	dstErr    error

	// Bound once, as a closure made for every call would be an allocation for every call.
	write func(fd uintptr) bool
	hold  func(fd uintptr)
	lock  func(fd uintptr) bool
}

// Reset makes s send from f to dst: a socket, or with toFile a regular file, from that one's
// own offset on. A call that may wait for the disk holds a place in gate for as long as it is
// in the kernel, never while it waits for the socket; a nil gate bounds nothing.
func (s *Sender) Reset(dst syscall.RawConn, f *os.File, toFile bool, gate chan struct{}) error {
	src, err := f.SyscallConn()
	if err != nil {
		return err
	}
	s.dst, s.src, s.toFile, s.name, s.sem = dst, src, toFile, f.Name(), gate
	return nil
}

// Clear lets go of the two ends.
func (s *Sender) Clear() {
	s.dst, s.src, s.name, s.sem, s.err, s.dstErr = nil, nil, "", nil, nil, nil
}
