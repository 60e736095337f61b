package follow

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// watch asks the system what happens to a file and in its folder. A nil watch knows nothing.
type watch struct {
	f      *os.File
	fd     int
	buf    []byte
	base   []byte // the name of the path in its folder
	folder int
	wd     int  // of the file
	stirs  bool // something happened to the path
}

// newWatch returns a watch for a path, nil if the system allows no more.
func newWatch(path string) *watch {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	w := &watch{f: os.NewFile(uintptr(fd), "inotify"), fd: fd, buf: make([]byte, 4<<10),
		base: []byte(filepath.Base(path)), wd: -1}
	w.folder, err = unix.InotifyAddWatch(fd, filepath.Dir(path),
		unix.IN_CREATE|unix.IN_MOVED_FROM|unix.IN_MOVED_TO|unix.IN_DELETE|unix.IN_ONLYDIR)
	if err != nil {
		w.folder = -1
	}
	return w
}

// file watches an open file in place of the one before. Without it there are only looks.
func (w *watch) file(f *os.File) {
	if w == nil {
		return
	}
	if w.wd >= 0 && w.wd != w.folder {
		_, _ = unix.InotifyRmWatch(w.fd, uint32(w.wd)) // it is gone if the file is
	}
	wd, err := unix.InotifyAddWatch(w.fd, fmt.Sprintf("/proc/self/fd/%d", f.Fd()),
		unix.IN_MODIFY|unix.IN_ATTRIB|unix.IN_MOVE_SELF)
	if w.wd = wd; err != nil {
		w.wd = -1
	}
}

// moved reports, once, whether something happened to the path.
func (w *watch) moved() bool {
	if w == nil || !w.stirs {
		return false
	}
	w.stirs = false
	return true
}

// wait returns when something has happened, or after some time, and whether something may have happened.
func (w *watch) wait(ctx context.Context, longest time.Duration) bool {
	blind := w == nil || w.wd < 0
	if blind {
		pause(ctx, longest)
	}
	if w == nil {
		return true
	}
	end := time.Now().Add(longest)
	if blind {
		end = time.Now().Add(time.Millisecond) // for what happened to the path
	}
	if w.f.SetReadDeadline(end) != nil {
		return true
	}
	n, err := w.f.Read(w.buf)
	if err != nil {
		return blind // the time is over
	}
	for b := w.buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
		wd, mask := int(int32(binary.NativeEndian.Uint32(b))), binary.NativeEndian.Uint32(b[4:])
		name := b[unix.SizeofInotifyEvent:]
		name = name[:binary.NativeEndian.Uint32(b[12:])]
		b = b[unix.SizeofInotifyEvent+len(name):]
		switch {
		case wd == w.folder && bytes.Equal(bytes.TrimRight(name, "\x00"), w.base),
			mask&(unix.IN_Q_OVERFLOW|unix.IN_MOVE_SELF|unix.IN_ATTRIB) != 0:
			w.stirs = true
		}
	}
	return true
}

func (w *watch) close() error {
	if w == nil {
		return nil
	}
	return w.f.Close()
}

// openFlags are those with which a file is opened; plain forbids a link.
func openFlags(plain bool) int {
	if plain {
		return unix.O_NONBLOCK | unix.O_NOFOLLOW
	}
	return unix.O_NONBLOCK
}

// born returns when a file was made, 0 if the file system does not know.
func born(f *os.File) int64 { return birth(int(f.Fd()), "", unix.AT_EMPTY_PATH) }

// bornPath is born of what is at a path.
func bornPath(path string) int64 { return birth(unix.AT_FDCWD, path, 0) }

func birth(fd int, path string, flags int) int64 {
	var st unix.Statx_t
	if unix.Statx(fd, path, flags, unix.STATX_BTIME, &st) != nil || st.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
}
