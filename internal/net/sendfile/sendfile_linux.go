package sendfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// bytesMax is what the kernel moves in one call at most: the largest int32, less a page.
const bytesMax = 0x7ffff000

// Send sends up to n bytes from off on, and returns as soon as some went: a caller that
// bounds the time between two steps can do so. No bytes and no error mean that the file ends
// at off or before. Where these two ends cannot do it, it returns errors.ErrUnsupported and
// has moved nothing. The deadline for writing of the socket holds.
func (s *Sender) Send(off, n int64) (Sent, error) {
	s.off, s.ownOffset = off, false
	return s.run(n)
}

// SendNext is Send from the file's own offset, which it moves on.
func (s *Sender) SendNext(n int64) (Sent, error) {
	s.ownOffset = true
	return s.run(n)
}

// run holds the file's descriptor, then writes. With explicit offsets a reference is enough,
// and any number of senders hold one; the file's own offset belongs to one reader at a time.
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

// attempt tries once, and reports whether there is nothing to wait for.
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
	var off *int64 // nil: the file's own
	if !s.ownOffset {
		off = &s.off
	}
	if s.toFile {
		return unix.CopyFileRange(int(s.in), off, out, nil, s.n, 0)
	}
	return unix.Sendfile(out, int(s.in), off, s.n)
}

// fault is the error of the call, in the caller's terms.
func (s *Sender) callError() error {
	switch s.err {
	case nil:
		return nil
	case unix.EINVAL, unix.ESPIPE, unix.ENOSYS, unix.EOPNOTSUPP:
		// The file is of a kind that the kernel cannot send from (a pipe, a terminal, some
		// of /proc), or the other end is none that it can send to.
		return errors.ErrUnsupported
	}
	if !s.toFile {
		return &os.PathError{Op: "sendfile", Path: s.name, Err: s.err}
	}
	switch s.err {
	case unix.EXDEV, unix.EPERM, unix.EIO, unix.EBADF, unix.ETXTBSY:
		// Two file systems, before Linux 5.19 or where their drivers want it so; a container's
		// filter of calls; CIFS, whose copy offload fails with EIO; O_APPEND set after the file
		// was opened. If it is a fault of the disk, a plain read or write meets it as well.
		return errors.ErrUnsupported
	}
	return &os.PathError{Op: "copy_file_range", Path: s.name, Err: s.err}
}
