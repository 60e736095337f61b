package source

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openFile opens a file without waiting: O_NONBLOCK returns at once from a FIFO that
// nobody writes to. The flag is taken off again, because a read of a pipe shall wait, in
// a poll that cancellation can end.
func openFile(name string) (*os.File, error) {
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Open(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// deviceBytes asks by seeking, which also the drivers answer that lack BLKGETSIZE64.
func deviceBytes(f *os.File) (int64, error) {
	return unix.Seek(int(f.Fd()), 0, unix.SEEK_END)
}

func ignoringEINTR[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if err != unix.EINTR {
			return v, err
		}
	}
}
