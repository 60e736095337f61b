package uring

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/engine/uring/ring"
	"github.com/thresh-dev/thresh/internal/input/source"
	"golang.org/x/sys/unix"
)

// alignBytesMin is the least alignment of addresses and lengths of direct reads. Many devices
// accept 512, but read 4096 bytes at a time from their medium.
const alignBytesMin = 4096

// openDirect opens the file a second time for direct reads and returns their alignment.
func openDirect(f *source.File) (fd int, align int64, err error) {
	fd, err = unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.FD()),
		unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	switch {
	case err == unix.EINVAL:
		return -1, 0, refusal(f, "its file system does not support direct reads", err)
	case err != nil:
		return -1, 0, refusal(f, "it cannot be opened again for direct reads", err)
	}
	align, err = directAlign(f, fd)
	if err != nil {
		unix.Close(fd)
		return -1, 0, err
	}
	return fd, align, nil
}

// directAlign returns the alignment of direct reads. It queries the alignment and also tries it,
// because not every file system reports it.
func directAlign(f *source.File, fd int) (int64, error) {
	// The node of a block device is in memory too (devtmpfs), but the device is not.
	if f.Kind == source.Regular && inMemory(fd) {
		return 0, refusal(f, "its file system is in memory", nil)
	}
	align := int64(alignBytesMin)
	var stat unix.Statx_t
	err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &stat)
	if err == nil && stat.Mask&unix.STATX_DIOALIGN != 0 {
		if stat.Dio_offset_align == 0 {
			return 0, refusal(f, "its file system reads this file through the page cache only", nil)
		}
		align = max(align, int64(stat.Dio_offset_align), int64(stat.Dio_mem_align))
	}
	buffer, err := anon.Map(int(align))
	if err != nil {
		return 0, err
	}
	_, err = unix.Pread(fd, buffer[:align], 0)
	if err := anon.Unmap(buffer); err != nil {
		return 0, err
	}
	if err == unix.EINVAL || err == unix.EOPNOTSUPP {
		return 0, refusal(f, "its file system refuses direct reads", err)
	}
	return align, nil // other errors concern the first bytes; the scan will report them
}

func inMemory(fd int) bool {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil {
		return false // the test read in directAlign decides
	}
	return uint32(fs.Type) == unix.TMPFS_MAGIC || uint32(fs.Type) == unix.RAMFS_MAGIC
}

// Probe returns nil if the engine can read the file, and otherwise a RefusedError with the reason.
func Probe(f *source.File) error {
	e, err := open(f, engine.Config{})
	if err != nil {
		return err
	}
	return e.Close()
}

// tryRing creates a ring and closes it again.
func tryRing(f *source.File) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, err := ring.New(-1, 1)
	if err != nil {
		return ringRefusal(f, err)
	}
	return r.Close()
}

// ringRefusal returns a RefusedError that explains why the kernel did not create a ring.
func ringRefusal(f *source.File, err error) error {
	reason := "the kernel did not create a ring"
	switch {
	case errors.Is(err, unix.EPERM):
		reason = "io_uring is forbidden here, perhaps by the seccomp filter of a container"
		setting, readErr := os.ReadFile("/proc/sys/kernel/io_uring_disabled")
		if v := strings.TrimSpace(string(setting)); readErr == nil && v != "0" {
			reason = "io_uring is turned off by the sysctl kernel.io_uring_disabled=" + v
		}
	case errors.Is(err, unix.ENOSYS):
		reason = "this kernel has no io_uring, or a filter hides it"
	case errors.Is(err, unix.EINVAL), errors.Is(err, ring.ErrOldKernel):
		reason = "io_uring needs Linux 5.6 or newer"
	case errors.Is(err, unix.ENOMEM):
		reason = "there is not enough memory for a ring; raise the limit of locked memory (ulimit -l)"
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		reason = "too many files are open; raise the limit (ulimit -n)"
	}
	return refusal(f, reason, err)
}

func refusal(f *source.File, reason string, err error) error {
	return &engine.RefusedError{Engine: "uring", Name: f.Name, Reason: reason, Err: err}
}
