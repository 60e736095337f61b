package direct

import (
	"fmt"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/input/source"
	"golang.org/x/sys/unix"
)

// Open returns the engine for a regular file or a block device. It returns a RefusedError if the file
// system does not support direct reads. The file must stay open until the engine is closed. The engine
// has a method SectorBytes.
func Open(f *source.File, c engine.Config) (engine.Engine, error) {
	if f.Kind == source.Stream || f.OS() == nil {
		return nil, &failure.EngineError{Engine: "direct", Name: f.Name, Reason: "it is not a file or a block device"}
	}
	fd, align, err := OpenFD(f, "direct")
	if err != nil {
		return nil, err
	}
	return newEngine(device{
		name: f.Name, bytes: f.Bytes, align: align,
		read: func(p []byte, off int64) (int, error) { return pread(fd, p, off) },
		close: func() error {
			if err := unix.Close(fd); err != nil {
				return fmt.Errorf("close %s after direct reads: %w", f.Name, err)
			}
			return nil
		},
	}, c), nil
}

func pread(fd int, p []byte, off int64) (int, error) {
	for {
		n, err := unix.Pread(fd, p, off)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// OpenFD opens a file a second time for direct reads, for the named engine. It returns the
// descriptor, and the alignment of offsets, lengths and addresses.
func OpenFD(f *source.File, engineName string) (fd int, align int64, err error) {
	refuse := func(reason string, err error) (int, int64, error) {
		return -1, 0, &failure.EngineError{Engine: engineName, Name: f.Name, Reason: reason, Err: err}
	}
	fd, err = unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.FD()),
		unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	switch {
	case err == unix.EINVAL:
		return refuse("its file system does not support direct reads", err)
	case err != nil:
		return refuse("it cannot be opened again for direct reads", err)
	}
	align, reason, err := alignment(f, fd)
	if err != nil || reason != "" {
		unix.Close(fd)
		if reason == "" {
			return -1, 0, err
		}
		return refuse(reason, err)
	}
	return fd, align, nil
}

// alignBytes is the alignment where the system does not tell: that of most file systems' blocks.
const alignBytes = 4096

// alignment returns the alignment of direct reads, or the reason why there are none. It queries the
// alignment and also tries it, because not every file system reports it.
func alignment(f *source.File, fd int) (align int64, reason string, err error) {
	// The node of a block device is in memory too (devtmpfs), but the device is not.
	if f.Kind == source.Regular && inMemory(fd) {
		return 0, "its file system is in memory", nil
	}
	align = alignBytes
	var stat unix.Statx_t
	err = unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &stat)
	switch known := err == nil && stat.Mask&unix.STATX_DIOALIGN != 0; {
	case known && stat.Dio_offset_align == 0:
		return 0, "its file system reads this file through the page cache only", nil
	case known:
		align = int64(max(stat.Dio_offset_align, stat.Dio_mem_align))
	case f.Kind == source.Device:
		if sector, err := unix.IoctlGetUint32(fd, unix.BLKSSZGET); err == nil && sector > 0 {
			align = int64(sector)
		}
	}
	buffer, err := anon.Map(int(align))
	if err != nil {
		return 0, "", err
	}
	_, readErr := pread(fd, buffer[:align], 0)
	if err := anon.Unmap(buffer); err != nil {
		return 0, "", err
	}
	if readErr == unix.EINVAL || readErr == unix.EOPNOTSUPP {
		return 0, "its file system refuses direct reads", readErr
	}
	return align, "", nil // other errors concern the first bytes; the scan will report them
}

func inMemory(fd int) bool {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil {
		return false // the test read of alignment decides
	}
	return uint32(fs.Type) == unix.TMPFS_MAGIC || uint32(fs.Type) == unix.RAMFS_MAGIC
}
