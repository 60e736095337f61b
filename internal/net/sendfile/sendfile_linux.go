package sendfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// bytesMax is the most that the kernel moves in one call: the largest int32, less a page.
const bytesMax = 0x7ffff000

// Send sends up to n bytes of the file, starting at off. It returns as soon as some were sent, so
// that callers can bound the time between two steps. No bytes without an error mean that the file
// ends at off or before. If these two ends do not support the call, Send returns
// errors.ErrUnsupported and has moved nothing. The socket's write deadline applies.
func (s *Sender) Send(off, n int64) (Sent, error) {
	s.off, s.ownOffset = off, false
	return s.run(n)
}

// SendNext is Send from the file's own offset, which it advances.
func (s *Sender) SendNext(n int64) (Sent, error) {
	s.ownOffset = true
	return s.run(n)
}

// run holds the file's descriptor while it writes. With explicit offsets a reference is enough, of
// which any number of senders can have one; the file's own offset needs the read lock.
func (s *Sender) run(n int64) (Sent, error) {
	if s.write == nil {
		s.write, s.hold, s.lock = s.attempt, s.held, s.locked
	}
	s.n, s.sent, s.err, s.dstErr = int(min(n, bytesMax)), Sent{}, nil, nil
	if s.n <= 0 {
		return Sent{}, nil
	}
	var err error
	if s.ownOffset {
		err = s.src.Read(s.lock)
	} else {
		err = s.src.Control(s.hold)
	}
	if err == nil {
		err = s.dstErr
	}
	if err == nil {
		err = s.callError()
	}
	return s.sent, err
}

func (s *Sender) held(fd uintptr) {
	s.in = fd
	s.dstErr = s.dst.Write(s.write)
}

func (s *Sender) locked(fd uintptr) bool {
	s.held(fd)
	return true
}

// attempt makes one call and reports whether it is done, without waiting for the socket.
func (s *Sender) attempt(out uintptr) bool {
	for {
		n, err := s.call(int(out))
		s.sent.Calls++
		if err == unix.EINTR {
			continue // a signal came before the first byte
		}
		if err == unix.EAGAIN {
			return false // the socket is full
		}
		s.sent.Bytes, s.err = int64(max(n, 0)), err
		return true
	}
}

func (s *Sender) call(out int) (int, error) {
	if s.sem != nil {
		s.sem <- struct{}{}
		defer func() { <-s.sem }()
	}
	var off *int64 // nil: the file's own offset
	if !s.ownOffset {
		off = &s.off
	}
	if s.toFile {
		return unix.CopyFileRange(int(s.in), off, out, nil, s.n, 0)
	}
	return unix.Sendfile(out, int(s.in), off, s.n)
}

// callError translates the error of the system call for the caller.
func (s *Sender) callError() error {
	switch s.err {
	case nil:
		return nil
	case unix.EINVAL, unix.ESPIPE, unix.ENOSYS, unix.EOPNOTSUPP:
		// The kernel cannot send from a file of this kind (a pipe, a terminal, some of /proc), or
		// cannot send to the other end.
		return errors.ErrUnsupported
	}
	if !s.toFile {
		return &os.PathError{Op: "sendfile", Path: s.name, Err: s.err}
	}
	switch s.err {
	case unix.EXDEV, unix.EPERM, unix.EIO, unix.EBADF, unix.ETXTBSY:
		// EXDEV: two file systems, before Linux 5.19 or if their drivers do not allow it. EPERM: a
		// container's system call filter. EIO: CIFS, whose copy offload fails that way. EBADF:
		// O_APPEND was set after the file was opened. If the disk has failed, a plain read or write
		// gets the error, too.
		return errors.ErrUnsupported
	}
	return &os.PathError{Op: "copy_file_range", Path: s.name, Err: s.err}
}
