package source

import (
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"
)

// SmallReader reads small files whole. It is for one goroutine at a time.
//
// It makes only four system calls per file. An os.File makes several more, for a poller that
// regular files do not need. SmallReader opens files relative to their folder and keeps the folder
// open from one file to the next, because looking up a long path takes the kernel longer than
// reading a page.
type SmallReader struct {
	buf    []byte
	head   [headBytes]byte
	folder string // with the separator at its end
	fd     int    // of the folder, if there is one
}

// NewSmallReader returns a reader of files of up to bytesMax bytes.
func NewSmallReader(bytesMax int) *SmallReader { return &SmallReader{buf: make([]byte, bytesMax)} }

// Read returns the bytes of a regular file. They are valid until the next Read. It returns
// ErrNotSmall for a file that is too large, together with its first bytes, for anything that is not
// a regular file, and for a file that claims to be empty and is not.
func (r *SmallReader) Read(name string) ([]byte, error) {
	fail := func(op string, err error) ([]byte, error) { return nil, &fs.PathError{Op: op, Path: name, Err: err} }
	fd, err := r.open(name)
	if err != nil {
		return fail("open", err)
	}
	defer unix.Close(fd) // nothing was written
	var stat unix.Stat_t
	if _, err := ignoringEINTR(func() (int, error) { return 0, unix.Fstat(fd, &stat) }); err != nil {
		return fail("stat", err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, ErrNotSmall
	}
	if stat.Size > int64(len(r.buf)) {
		// The scan will meet an error again and report it.
		n, err := ignoringEINTR(func() (int, error) { return unix.Pread(fd, r.head[:], 0) })
		if err != nil {
			n = 0
		}
		return r.head[:n], ErrNotSmall
	}
	n := 0
	for want := int(stat.Size); n < want || want == 0; {
		got, err := ignoringEINTR(func() (int, error) { return unix.Read(fd, r.buf[n:max(want, 1)]) })
		if err != nil {
			return fail("read", err)
		}
		if got == 0 {
			break // the end of the file, which may have shrunk
		}
		if want == 0 {
			return nil, ErrNotSmall
		}
		n += got
	}
	return r.buf[:n], nil
}

// open opens a file without waiting, like openFile. If the file is not in the folder that is kept
// open, another folder may have replaced that one, so open tries the whole path.
func (r *SmallReader) open(name string) (fd int, err error) {
	if cut := strings.LastIndexByte(name, '/') + 1; cut > 0 && cut < len(name) && r.enter(name[:cut]) {
		if fd, err := openAt(r.fd, name[cut:]); err != unix.ENOENT {
			return fd, err
		}
		r.leave()
	}
	return openAt(unix.AT_FDCWD, name)
}

func openAt(folder int, name string) (fd int, err error) {
	return ignoringEINTR(func() (int, error) {
		return unix.Openat(folder, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	})
}

// enter opens a folder and keeps it open. It returns false if that fails; opening the file by its
// whole path then returns the error.
func (r *SmallReader) enter(folder string) bool {
	if r.folder == folder {
		return true
	}
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return false
	}
	r.leave()
	r.folder, r.fd = folder, fd
	return true
}

func (r *SmallReader) leave() {
	if r.folder != "" {
		unix.Close(r.fd) // nothing was written
		r.folder = ""
	}
}

// Close closes the folder.
func (r *SmallReader) Close() { r.leave() }
