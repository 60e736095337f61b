package source

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// ReadSmall reads a regular file whole. It returns ErrNotSmall for one that is larger than
// buf, and for all that is no regular file or claims to be empty and is not.
//
// It makes four system calls and nothing else: an os.File costs several more, for a poller
// that regular files have no use for.
func ReadSmall(name string, buf []byte) (data []byte, err error) {
	fail := func(op string, err error) ([]byte, error) { return nil, &fs.PathError{Op: op, Path: name, Err: err} }
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Open(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	})
	if err != nil {
		return fail("open", err)
	}
	defer unix.Close(fd) // nothing was written
	var stat unix.Stat_t
	if _, err := ignoringEINTR(func() (int, error) { return 0, unix.Fstat(fd, &stat) }); err != nil {
		return fail("stat", err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG || stat.Size > int64(len(buf)) {
		return nil, ErrNotSmall
	}
	n := 0
	for want := int(stat.Size); n < want || want == 0; {
		got, err := ignoringEINTR(func() (int, error) { return unix.Read(fd, buf[n:max(want, 1)]) })
		if err != nil {
			return fail("read", err)
		}
		if got == 0 {
			break // the end, or the file shrank
		}
		if want == 0 {
			return nil, ErrNotSmall
		}
		n += got
	}
	return buf[:n], nil
}
