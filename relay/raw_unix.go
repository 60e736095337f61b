//go:build unix

package relay

import (
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
)

// rawCopy copies between two sockets and holds a buffer only while it has bytes, not while it waits
// for them. Its functions are bound once, so a step allocates nothing.
type rawCopy struct {
	dst, src    syscall.RawConn
	passed      *atomic.Int64
	read, write func(fd uintptr) bool
	buf         *[copyBytes]byte
	from, to    int // buf[from:to] is still to be written
	err         error
}

// newRawCopy returns nil unless both are plain stream sockets. A type that merely promotes a
// socket's methods is not one: it may encrypt or count.
func newRawCopy(dst, src net.Conn, passed *atomic.Int64) *rawCopy {
	c := &rawCopy{dst: rawConn(dst), src: rawConn(src), passed: passed}
	if c.dst == nil || c.src == nil {
		return nil
	}
	c.read, c.write = c.readSome, c.writeAll
	return c
}

func rawConn(c net.Conn) syscall.RawConn {
	var raw syscall.RawConn
	var err error
	switch c := c.(type) {
	case *net.TCPConn:
		raw, err = c.SyscallConn()
	case *net.UnixConn:
		raw, err = c.SyscallConn()
	}
	if err != nil {
		return nil // it is closed; the first Read returns the error
	}
	return raw
}

// pass waits until the source has bytes and writes them all.
func (c *rawCopy) pass() (int64, error) {
	c.from, c.to, c.err = 0, 0, nil
	if err := c.src.Read(c.read); err != nil {
		return 0, err
	}
	if c.err != nil {
		return 0, c.err
	}
	err := c.dst.Write(c.write)
	if err == nil {
		err = c.err
	}
	c.release()
	return int64(c.from), err
}

func (c *rawCopy) release() {
	buffers.Put(c.buf)
	c.buf = nil
}

func (c *rawCopy) readSome(fd uintptr) (done bool) {
	c.buf = buffers.Get().(*[copyBytes]byte)
	n, err := syscall.Read(int(fd), c.buf[:])
	for err == syscall.EINTR {
		n, err = syscall.Read(int(fd), c.buf[:])
	}
	if n > 0 {
		c.to = n
		return true
	}
	c.release()
	switch err {
	case nil:
		c.err = io.EOF
	case syscall.EAGAIN:
		return false
	default:
		c.err = os.NewSyscallError("read", err)
	}
	return true
}

func (c *rawCopy) writeAll(fd uintptr) (done bool) {
	for c.from < c.to {
		n, err := syscall.Write(int(fd), c.buf[c.from:c.to])
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return false
		case err != nil:
			c.err = os.NewSyscallError("write", err)
			return true
		default:
			c.from += n
			c.passed.Add(int64(n))
		}
	}
	return true
}

// connsMax returns how many connections the limit of open files allows, after subtracting open
// descriptors, an eighth for pipes, and a few for everything else. Accepting more would be worse
// than letting clients wait: with a client on every descriptor, none is left to reach the target,
// and no client is served.
func connsMax() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return connsUnlimited
	}
	files := int(min(uint64(limit.Cur), 1<<30))
	open := 3
	if list, err := os.ReadDir("/dev/fd"); err == nil {
		open = len(list)
	}
	return max((files-files/8-open-8)/2, 1)
}
