package source

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

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

// hasBlocks reports whether the file system has allocated any blocks for a file.
func hasBlocks(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Blocks > 0
}

// Head reads the first bytes of a regular file, at most len(b). If they are not in the page cache,
// it turns off readahead, and returns the range that the read brought into the page cache.
func (f *File) Head(b []byte) (n int, brought Range, err error) {
	b = b[:min(int64(len(b)), f.Bytes)]
	head := Range{0, int64(len(b))}
	// If the page cache cannot be queried, the bytes are read all the same.
	if cached, err := f.CachedBytes(head); err == nil && cached < head.Len() && head.Len() > 0 {
		brought = Range{0, int64(os.Getpagesize())}
		// Errors are ignored: without the advice, the kernel only reads and keeps more.
		_ = unix.Fadvise(f.FD(), 0, 0, unix.FADV_RANDOM)
		defer func() { _ = unix.Fadvise(f.FD(), 0, 0, unix.FADV_NORMAL) }()
	}
	n, err = f.ReadAt(b, 0)
	if err == io.EOF {
		err = nil // the file shrank
	}
	return n, brought, err
}

// denseBytesMin is the least file that is asked whether it can have holes.
const denseBytesMin = 4 << 20

// isDense reports whether a file in tmpfs has as many blocks as bytes. Such a file has no holes, and
// tmpfs looks at every page to find none: 4 ms for 375 MB. Other file systems have a list of what is
// written, and may have blocks that were reserved and never written, which count as holes.
func isDense(f *os.File, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Size() < denseBytesMin || stat.Blocks*statBlockBytes < info.Size() {
		return false
	}
	var system unix.Statfs_t
	err := unix.Fstatfs(int(f.Fd()), &system)
	return err == nil && uint32(system.Type) == unix.TMPFS_MAGIC
}

const statBlockBytes = 512 // of the system call stat, whatever the file system's are

// Written is NextData of a file alone.
//
// SEEK_DATA moves the position of the descriptor. That does no harm, because no engine uses the
// position of a file that can have holes.
func (f *File) Written(off, end int64) (Range, error) {
	if f.Kind != Regular || f.dense || off >= end {
		return Range{off, end}, nil
	}
	data, err := seek(f.FD(), off, unix.SEEK_DATA)
	switch {
	case err == unix.ENXIO: // no data from off on: a hole up to the end, or the file shrank
		if size, err := seek(f.FD(), 0, unix.SEEK_END); err != nil || size < end {
			return Range{off, end}, nil // the engine will find and report the error
		}
		return Range{end, end}, nil
	case err != nil: // the file system has no holes, or a sandbox forbids the call
		return Range{off, end}, nil
	case data >= end:
		return Range{end, end}, nil
	}
	hole, err := seek(f.FD(), data, unix.SEEK_HOLE)
	if err != nil {
		return Range{data, end}, nil // the end of the data is unknown: treat the rest as data
	}
	return Range{data, min(hole, end)}, nil
}

func seek(fd int, off int64, whence int) (int64, error) {
	return ignoringEINTR(func() (int64, error) { return unix.Seek(fd, off, whence) })
}

// diskOf returns the number of the disk that a file is on, or that it is, and whether the kernel says that it rotates.
func diskOf(f *os.File) (number string, rotates bool) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil {
		return "", false
	}
	dev := stat.Dev
	if stat.Mode&unix.S_IFMT == unix.S_IFBLK {
		dev = stat.Rdev
	}
	folder, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(dev), unix.Minor(dev)))
	if err != nil {
		return "", false
	}
	if _, err := os.Stat(filepath.Join(folder, "partition")); err == nil {
		folder = filepath.Dir(folder)
	}
	text, err := os.ReadFile(filepath.Join(folder, "queue/rotational"))
	_, loops := os.Stat(filepath.Join(folder, "loop"))
	return folder, err == nil && strings.TrimSpace(string(text)) == "1" && loops != nil
}
