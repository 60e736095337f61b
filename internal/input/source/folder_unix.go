//go:build unix

package source

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Folder is an open folder. Names are looked up in it, so it does not matter how long its path is, or what takes its
// place meanwhile, and no symbolic link is followed. It may be used by several goroutines, but for List.
type Folder struct {
	path string // with the separator at its end
	fd   int
}

// OpenFolder opens a folder by its path, or that to which a symbolic link leads.
func OpenFolder(path string) (*Folder, error) { return openFolder(unix.AT_FDCWD, path, path, 0) }

// Folder opens a folder in this one.
func (f *Folder) Folder(name string) (*Folder, error) {
	return openFolder(f.fd, name, f.Path(name), unix.O_NOFOLLOW)
}

// Outer opens the folder that this one is in.
func (f *Folder) Outer() (*Folder, error) {
	return openFolder(f.fd, "..", f.path[:strings.LastIndexByte(f.path[:len(f.path)-1], '/')+1], unix.O_NOFOLLOW)
}

func openFolder(at int, name, path string, flags int) (*Folder, error) {
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK|unix.O_CLOEXEC|flags, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &Folder{path: withSeparator(path), fd: fd}, nil
}

// withSeparator returns the path of a folder with a separator at its end.
func withSeparator(path string) string {
	if strings.HasSuffix(path, "/") {
		return path
	}
	return path + "/"
}

// Path returns the path of a name in the folder.
func (f *Folder) Path(name string) string { return f.path + name }

// Close closes the folder.
func (f *Folder) Close() { unix.Close(f.fd) } // nothing was written

// List appends what is in the folder, sorted by the bytes of the names. It may be called once.
func (f *Folder) List(entries []Entry) ([]Entry, error) {
	first := len(entries)
	entries, err := f.list(entries)
	if err != nil {
		return entries[:first], &fs.PathError{Op: "list", Path: f.path, Err: err}
	}
	slices.SortFunc(entries[first:], byName)
	return entries, nil
}

// Info returns what the folder says about a name; "." is the folder itself.
func (f *Folder) Info(name string) (Info, error) {
	var stat unix.Stat_t
	_, err := ignoringEINTR(func() (int, error) {
		return 0, unix.Fstatat(f.fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW)
	})
	if err != nil {
		return Info{}, &fs.PathError{Op: "stat", Path: f.Path(name), Err: err}
	}
	return infoOf(&stat), nil
}

// infoOf converts the answer of the system. The types of its fields differ between systems.
func infoOf(stat *unix.Stat_t) Info {
	return Info{Mode: modeOf(uint32(stat.Mode)), Bytes: stat.Size, Owner: stat.Uid, Group: stat.Gid,
		Modified: time.Unix(int64(stat.Mtim.Sec), int64(stat.Mtim.Nsec)), Device: uint64(stat.Rdev),
		Links: uint64(stat.Nlink), ID: FileID{uint64(stat.Dev), uint64(stat.Ino)}}
}

// modeOf converts the system's mode to that of package fs, as package os does.
func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFREG:
	default:
		m |= fs.ModeIrregular
	}
	for _, bit := range []struct {
		of uint32
		to fs.FileMode
	}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}} {
		if mode&bit.of != 0 {
			m |= bit.to
		}
	}
	return m
}

// Target returns what a symbolic link says.
func (f *Folder) Target(name string) (string, error) {
	for b := make([]byte, 256); ; b = make([]byte, 2*len(b)) {
		n, err := ignoringEINTR(func() (int, error) { return unix.Readlinkat(f.fd, name, b) })
		if err != nil {
			return "", &fs.PathError{Op: "readlink", Path: f.Path(name), Err: err}
		}
		if n < len(b) {
			return string(b[:n]), nil
		}
	}
}

// Opened is a regular file that a folder has opened.
type Opened struct{ fd int }

// Open opens a regular file, without waiting for anything else that has taken its place.
func (f *Folder) Open(name string) (Opened, Info, error) {
	fail := func(err error) (Opened, Info, error) {
		return Opened{}, Info{}, &fs.PathError{Op: "open", Path: f.Path(name), Err: err}
	}
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Openat(f.fd, name,
			unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY|unix.O_NOFOLLOW, 0)
	})
	switch {
	case err == unix.ELOOP || err == unix.ENXIO: // a symbolic link; a socket
		return fail(ErrNotRegular)
	case err != nil:
		return fail(err)
	}
	var stat unix.Stat_t
	_, err = ignoringEINTR(func() (int, error) { return 0, unix.Fstat(fd, &stat) })
	if err == nil && stat.Mode&unix.S_IFMT != unix.S_IFREG {
		err = ErrNotRegular
	}
	if err != nil {
		unix.Close(fd) // nothing was written
		return fail(err)
	}
	return Opened{fd}, infoOf(&stat), nil
}

// ReadAt reads len(p) bytes, or fewer at the end of the file, which is no error.
func (o Opened) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		got, err := ignoringEINTR(func() (int, error) { return unix.Pread(o.fd, p[n:], off+int64(n)) })
		if err != nil || got == 0 {
			return n, err
		}
		n += got
	}
	return n, nil
}

// Close closes the file.
func (o Opened) Close() { unix.Close(o.fd) } // nothing was written

// OS returns the file under a name. It, and not Close, then closes it.
func (o Opened) OS(name string) *os.File { return os.NewFile(uintptr(o.fd), name) }
