package stream

import (
	"fmt"
	"io"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"golang.org/x/sys/unix"
)

// pipeBytes is the size requested for the buffer of a pipe. It is the largest that an unprivileged
// user gets by default. With the default of 64 KiB, both ends often wait for each other.
const pipeBytes = 1 << 20

// polledInput waits in poll(2), so that a wait ends when the scan does.
type polledInput struct{ file *source.File }

func newInput(f *source.File) input {
	if f.OS() == nil {
		return readerInput(f.Reader())
	}
	// The error does not matter: EBADF means that it is not a pipe, EPERM that the user is at the
	// limit for pipe buffers. Reads work with any buffer.
	_, _ = unix.FcntlInt(uintptr(f.FD()), unix.F_SETPIPE_SZ, pipeBytes)
	return polledInput{f}
}

func (in polledInput) read(p []byte, wait time.Duration) (n int, idle bool, err error) {
	fds := []unix.PollFd{{Fd: int32(in.file.FD()), Events: unix.POLLIN}}
	ready, err := unix.Poll(fds, int((wait + time.Millisecond - 1).Milliseconds()))
	switch {
	case err == unix.EINTR:
		return 0, false, nil
	case err != nil:
		return 0, false, fmt.Errorf("poll: %w", err)
	case ready == 0:
		return 0, true, nil
	}
	n, err = unix.Read(in.file.FD(), p)
	switch {
	case err == unix.EINTR || err == unix.EAGAIN:
		return 0, false, nil // another process reads the same pipe and was faster
	case err != nil:
		return 0, false, err
	case n == 0:
		return 0, false, io.EOF
	}
	return n, false, nil
}

// NewReader returns a reader of a stream for a decompressor. While it waits it calls stop every
// 40 ms. When stop returns true, Read returns ErrStopped.
func NewReader(f *source.File, stop func() bool) io.Reader {
	return &stoppableReader{newInput(f), stop}
}

type stoppableReader struct {
	in   input
	stop func() bool
}

func (r *stoppableReader) Read(p []byte) (int, error) {
	for len(p) > 0 {
		if r.stop() {
			return 0, ErrStopped
		}
		if n, _, err := r.in.read(p, stopEvery); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}
