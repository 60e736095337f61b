package splice

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// One splice asks for as much as fits into a pipe.
	stepBytes = largeBytes
	// A destination that was full for this long is slow. It is longer than the pauses of a reader
	// that keeps up, and short enough to free the pipe soon.
	slowWait = 100 * time.Millisecond
)

// Splicer moves bytes from one socket to another, step by step. It is not safe for concurrent use.
//
// A step takes a pipe, fills it from the source, drains it into the destination, and returns it to
// the pool. If the source has nothing, the step returns the pipe before it waits. It asks by splice
// itself: that costs no more than another call, and saves a second call when there are bytes. If
// the destination accepts less than was put in, the step keeps the pipe until the rest is accepted.
// A slow reader would keep it for ever; so before the next step the Splicer waits until the
// destination has room, and takes no more from the source than fits. A reader that is merely behind
// does not count as slow: filling its socket completely makes fewer and longer waits.
type Splicer struct {
	dst, src syscall.RawConn
	pipes    *PipePool
	passed   *atomic.Int64
	moved    Moved

	// The rest is the state of a step, kept here so that steps allocate nothing.
	fill, drain, room func(fd uintptr) bool
	pipe              *pipe
	poll              [1]unix.PollFd
	want              int
	full              time.Time // since when the destination accepts nothing; zero: it accepts
	slow              bool      // the destination was full for slowWait in the last step
	raise, lower      func(fd uintptr)
	mark              int  // of the source, before raise
	silent, loud      bool // the source's mark is raised; must not be raised
	err               error
}

// NewSplicer returns a Splicer between two stream sockets. It adds to passed, unless that is nil,
// the bytes that the destination accepts, at once. The error is errors.ErrUnsupported if one of the
// two is not a stream socket.
func NewSplicer(dst, src syscall.RawConn, pipes *PipePool, passed *atomic.Int64) (*Splicer, error) {
	for _, c := range []syscall.RawConn{src, dst} {
		if err := isStream(c); err != nil {
			return nil, err
		}
	}
	l := &Splicer{dst: dst, src: src, pipes: pipes, passed: passed}
	l.fill, l.drain, l.room = l.fillPipe, l.drainPipe, l.hasRoom
	l.raise, l.lower = l.raiseMark, l.lowerMark
	return l, nil
}

func isStream(c syscall.RawConn) error {
	var kind int
	var err error
	if cerr := c.Control(func(fd uintptr) {
		kind, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TYPE)
	}); cerr != nil {
		return cerr
	}
	if err != nil || kind != unix.SOCK_STREAM {
		return fmt.Errorf("splice: not a stream socket: %w", errors.ErrUnsupported)
	}
	return nil
}

// Moved returns what the Splicer has moved so far.
func (l *Splicer) Moved() Moved { return l.moved }

// Pass waits until the source has bytes, moves what is there, at most max bytes, and returns how
// many the destination accepted. It returns io.EOF if the source has ended, and ErrNoPipe, with
// nothing moved, if no pipe is available.
func (l *Splicer) Pass(max int64) (int64, error) {
	l.want, l.err = int(min(max, stepBytes)), nil
	if l.slow {
		if err := l.dst.Write(l.room); err != nil {
			return 0, err
		}
	}
	switch err := l.src.Read(l.fill); {
	case err != nil:
		return 0, err
	case l.err != nil:
		return 0, l.err
	case l.pipe == nil:
		return 0, io.EOF
	}
	took := l.pipe.inside
	// If the source has less than there is room for, the source is the slower of the two.
	l.slow = l.slow && took == l.want
	l.full = time.Time{}
	err := l.dst.Write(l.drain)
	l.unsilence()
	if !l.full.IsZero() {
		l.slow = time.Since(l.full) > slowWait
	}
	if err == nil {
		err = l.err
	}
	left := l.pipe.inside
	l.moved.Lost += int64(left)
	l.pipes.put(l.pipe)
	l.pipe = nil
	return int64(took - left), err
}

// fillPipe takes a pipe and fills it with what the source has. It keeps the pipe only if there were
// bytes.
func (l *Splicer) fillPipe(fd uintptr) (done bool) {
	p := l.pipes.take()
	if p == nil {
		l.err = ErrNoPipe
		return true
	}
	n, err := l.splice(int(fd), p.w, l.want)
	if n > 0 {
		p.inside = n
		l.pipe = p
		return true
	}
	l.pipes.put(p)
	switch err {
	case nil:
		return true // the source ended
	case unix.EAGAIN:
		return false // the pipe was empty, so it was the socket that had nothing
	case unix.EINVAL, unix.EOPNOTSUPP:
		l.err = fmt.Errorf("splice from this socket: %w", errors.ErrUnsupported)
	default:
		l.err = os.NewSyscallError("splice", err)
	}
	return true
}

// drainPipe moves the pipe's bytes to the destination until that accepts no more.
func (l *Splicer) drainPipe(fd uintptr) (done bool) {
	for l.pipe.inside > 0 {
		n, err := l.splice(l.pipe.r, int(fd), l.pipe.inside)
		if err == unix.EAGAIN {
			if l.full.IsZero() {
				l.full = time.Now()
				l.silence()
			}
			return false
		}
		if err == nil && n == 0 {
			err = unix.EIO // a socket that accepts nothing without an error
		}
		if err != nil {
			l.err = os.NewSyscallError("splice", err)
			return true
		}
		l.pipe.inside -= n
		l.moved.Bytes += int64(n)
		if l.passed != nil {
			l.passed.Add(int64(n))
		}
	}
	return true
}

// hasRoom reports whether the destination is writable, which it is once a third of its buffer is
// free, and limits the step to that much. Asking by poll also arms the event that ends the wait if
// it is not.
func (l *Splicer) hasRoom(fd uintptr) bool {
	l.poll[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLOUT}
	if n, err := unix.Poll(l.poll[:], 0); n == 0 && err == nil {
		return false
	}
	if size, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF); err == nil {
		l.want = min(l.want, max(size/3, 4<<10))
	}
	return true
}

// splice moves up to n bytes from one descriptor to another and never blocks. So it makes a raw
// system call, without telling the scheduler: with a single CPU the scheduler assumes that a call
// of more than 20 us blocks, and wakes a thread to take its place.
func (l *Splicer) splice(from, to, n int) (int, error) {
	for {
		l.moved.Calls++
		m, _, errno := unix.RawSyscall6(unix.SYS_SPLICE, uintptr(from), 0, uintptr(to), 0,
			uintptr(n), unix.SPLICE_F_MOVE|unix.SPLICE_F_NONBLOCK)
		switch errno {
		case 0:
			return int(m), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

// While a step waits for its destination, every segment that arrives at the source wakes the process
// for nothing: the runtime watches all sockets for both directions. With a reader that is the slower side,
// these were most wake-ups, and a fifth of a relay's processor time. So meanwhile the source reports
// bytes only once half of its buffer is full (SO_RCVLOWAT). It reports its end and its errors as ever.

// silence keeps the source from reporting that bytes arrived, until unsilence. A refusal by the kernel
// costs wake-ups only.
func (l *Splicer) silence() {
	if l.loud || l.src.Control(l.raise) != nil {
		return
	}
	l.silent = true
}

func (l *Splicer) unsilence() {
	if l.silent {
		l.silent = false
		_ = l.src.Control(l.lower) // an error means that it is closed
	}
}

// raiseMark sets the mark to half of the buffer, above which the kernel bounds it anyway. Where bytes take
// much memory, as in small segments, the kernel enlarges the buffer to match; such a source stays loud,
// so that this happens once.
func (l *Splicer) raiseMark(fd uintptr) {
	size, sizeOK := socketOption(fd, unix.SO_RCVBUF)
	mark, markOK := socketOption(fd, unix.SO_RCVLOWAT)
	if !sizeOK || !markOK || mark >= size/2 || !setSocketOption(fd, unix.SO_RCVLOWAT, size/2) {
		l.loud = true
		return
	}
	l.mark = mark
	if now, ok := socketOption(fd, unix.SO_RCVBUF); !ok || now > size {
		l.loud = true
	}
}

// lowerMark restores the mark. If there are bytes, the kernel then reports them.
func (l *Splicer) lowerMark(fd uintptr) { setSocketOption(fd, unix.SO_RCVLOWAT, l.mark) }

// The next two make raw system calls. An ordinary one wakes the runtime's thread that looks for calls that
// block; with four of them for every wait, that thread took a twentieth of the time.

func socketOption(fd uintptr, name int) (int, bool) {
	var value int32
	length := uint32(unsafe.Sizeof(value))
	_, _, errno := unix.RawSyscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, uintptr(name),
		uintptr(unsafe.Pointer(&value)), uintptr(unsafe.Pointer(&length)), 0)
	return int(value), errno == 0
}

func setSocketOption(fd uintptr, name, to int) bool {
	value := int32(to)
	_, _, errno := unix.RawSyscall6(unix.SYS_SETSOCKOPT, fd, unix.SOL_SOCKET, uintptr(name),
		uintptr(unsafe.Pointer(&value)), unsafe.Sizeof(value), 0)
	return errno == 0
}
