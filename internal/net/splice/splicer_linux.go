package splice

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// What one splice asks for: all that a pipe has room for.
	stepBytes = largeBytes
	// A destination that was full for that long is slow. It is longer than a reader that
	// keeps up pauses, and short enough for pipes to be back soon.
	slowWait = 100 * time.Millisecond
)

// Line passes bytes from one socket to another, step by step. One goroutine may use it.
//
// A step takes a pipe, fills it from the source, empties it into the destination and gives
// it back. Where the source has nothing, the pipe goes back before the wait; to ask by
// splice itself costs no more than to ask by another call, and needs no second one when
// there is something. Where the destination takes less than was put in, the pipe is kept
// until it takes the rest. A slow reader would keep it for ever; so before the next step
// the line waits for room, and takes from the source no more than there is room for. A
// reader that is merely behind is not slow: to fill its socket to the brim makes fewer
// and longer waits.
type Splicer struct {
	dst, src syscall.RawConn
	pipes    *PipePool
	passed   *atomic.Int64
	moved    Moved

	// The rest is the state of a step, kept here so that a step allocates nothing.
	fill, drain, room func(fd uintptr) bool
	pipe              *pipe
	poll              [1]unix.PollFd
	want              int
	full              time.Time // since when the destination takes nothing; zero: it does
	slow              bool      // the destination was full for long in the last step
	err               error
}

// NewLine returns a line between two stream sockets, which adds to passed, unless it is
// nil, what the destination takes as soon as it takes it. It returns errors.ErrUnsupported
// where one of the two is no such socket.
func NewSplicer(dst, src syscall.RawConn, pipes *PipePool, passed *atomic.Int64) (*Splicer, error) {
	for _, c := range []syscall.RawConn{src, dst} {
		if err := isStream(c); err != nil {
			return nil, err
		}
	}
	l := &Splicer{dst: dst, src: src, pipes: pipes, passed: passed}
	l.fill, l.drain, l.room = l.fillPipe, l.drainPipe, l.hasRoom
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
		return fmt.Errorf("splice: no stream socket: %w", errors.ErrUnsupported)
	}
	return nil
}

// Moved returns what the line has passed on since it was made.
func (l *Splicer) Moved() Moved { return l.moved }

// Pass waits until the source has bytes, passes on what is there, at most max bytes, and
// returns how many the destination took. It returns io.EOF when the source has ended, and
// ErrNoPipe, with nothing moved, when there is no pipe to be had.
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
	// A source that has less than there is room for is the slower of the two.
	l.slow = l.slow && took == l.want
	l.full = time.Time{}
	err := l.dst.Write(l.drain)
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

// fillPipe takes a pipe and what the source has, or leaves none taken.
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
		return true // the end
	case unix.EAGAIN:
		return false // the pipe was empty, so it is the socket that has nothing
	case unix.EINVAL, unix.EOPNOTSUPP:
		l.err = fmt.Errorf("splice from this socket: %w", errors.ErrUnsupported)
	default:
		l.err = os.NewSyscallError("splice", err)
	}
	return true
}

// drainPipe empties the pipe, or as much of it as the destination takes.
func (l *Splicer) drainPipe(fd uintptr) (done bool) {
	for l.pipe.inside > 0 {
		n, err := l.splice(l.pipe.r, int(fd), l.pipe.inside)
		if err == unix.EAGAIN {
			if l.full.IsZero() {
				l.full = time.Now()
			}
			return false
		}
		if err == nil && n == 0 {
			err = unix.EIO // a socket that takes nothing and does not say why
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

// hasRoom asks whether the destination is writable, which is when a third of its buffer is
// free, and lets the step take no more than that. To ask by poll arms the event that ends
// the wait where it is not.
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

// splice moves up to n bytes from one descriptor to another and never waits. So it need
// not tell the scheduler that it may: with a single CPU the scheduler takes each call of
// more than 20 us for one that waits, and wakes a thread to take its place.
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

// Move passes n bytes from src to dst, or fewer when src ends. It returns
// errors.ErrUnsupported, with nothing moved, where these two cannot be spliced, and
// ErrNoPipe, which is an errors.ErrUnsupported as well, when there are no more pipes: then
// Moved.Bytes have moved and the rest is to be copied. Whatever the error, Moved.Bytes is
// what dst took, and nothing stays in flight: bytes that src gave and dst no longer took
// are Moved.Lost, and gone.
func Move(dst, src syscall.RawConn, n int64, pipes *PipePool) (Moved, error) {
	l, err := NewSplicer(dst, src, pipes, nil)
	if err != nil {
		return Moved{}, err
	}
	for left := n; left > 0; {
		m, err := l.Pass(left)
		left -= m
		if err == io.EOF {
			break
		}
		if err != nil {
			return l.Moved(), err
		}
	}
	return l.Moved(), nil
}
