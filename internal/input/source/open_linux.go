package source

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openFile opens a file without waiting: with O_NONBLOCK, opening a FIFO without a writer returns
// at once. It then clears the flag, because reads of a pipe must wait; the stream engine polls
// before it reads, so that a cancelled scan does not hang.
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

// deviceBytes returns the size of a block device. It seeks to the end, which also works with drivers
// that lack BLKGETSIZE64.
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
