package limits

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// directWays are the sizes and numbers of direct reads in flight to try, the usual one first: 4 MiB
// in flight is several times bandwidth times latency of fast storage.
var directWays = [...]struct{ blockBytes, depth int }{
	{512 << 10, 8}, {512 << 10, 32}, {128 << 10, 32}, {1 << 20, 8},
}

// directFaster is how many times faster than the usual way another way must be. On most storage
// they are close to each other, and noise would decide.
const directFaster = 1.1

// directSlow is how many times longer than a figure should the usual way may take before the others
// are skipped: a few reads keep such slow storage busy.
const directSlow = 4

// Buffered reads benefit from the kernel's readahead, and need fewer readers.
const (
	coldPieceBytes = 1 << 20
	coldReaders    = 4
)

// dataBytesMin is the shortest range of a user's file worth reading from.
const dataBytesMin = 16 << 20

// target is the range for cold reads.
type target struct {
	f     *os.File
	off   int64
	bytes int
	ours  bool // a temporary file, which may be dropped from the page cache
}

// storage measures cold reads of the path if it is a file or device with enough data, otherwise of
// the temporary file.
func (r *run) storage(t *temporary) error {
	goal, err := r.target(t)
	if err != nil {
		r.absent(err.Error(), &r.c.DirectRead, &r.c.ColdRead)
		return nil
	}
	if !goal.ours {
		defer goal.f.Close() // it was only read
	}
	if err := r.directReads(goal); err != nil {
		return err
	}
	return r.coldReads(goal)
}

func (r *run) target(t *temporary) (target, error) {
	info, err := os.Stat(r.path)
	if err != nil {
		return target{}, err
	}
	if mode := info.Mode(); mode.IsRegular() || mode&os.ModeDevice != 0 {
		f, err := os.Open(r.path)
		if err != nil {
			return target{}, err
		}
		off, n := firstData(f, int64(r.sizes.fileBytes))
		if n >= dataBytesMin {
			return target{f: f, off: off, bytes: int(n)}, inMemory(f)
		}
		if err := f.Close(); err != nil {
			return target{}, err
		}
	}
	if device, err := deviceOf(fmt.Sprintf("/proc/self/fd/%d", t.f.Fd())); err != nil {
		return target{}, err
	} else if device != r.c.Identity.Device {
		return target{}, fmt.Errorf("no temporary file could be created at %s, and it is no file of %d MiB",
			r.path, dataBytesMin>>20)
	}
	if err := t.f.Sync(); err != nil { // only clean pages can be dropped
		return target{}, err
	}
	return target{f: t.f, bytes: t.bytes, ours: true}, inMemory(t.f)
}

// inMemory returns an error for files that are not on any storage.
func inMemory(f *os.File) error {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &fs); err != nil {
		return os.NewSyscallError("fstatfs", err)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() && (fs.Type == unix.TMPFS_MAGIC || fs.Type == unix.RAMFS_MAGIC) {
		return errors.New("the file system is in memory and has no storage")
	}
	return nil
}

// firstData returns the first range of at most limit bytes that is not a hole, with an offset
// aligned for direct reads. For a device, or a file system that does not report holes, that is its
// beginning.
func firstData(f *os.File, limit int64) (off, n int64) {
	fd := int(f.Fd())
	end, err := unix.Seek(fd, 0, io.SeekEnd)
	if err != nil {
		return 0, 0
	}
	data, err := unix.Seek(fd, 0, unix.SEEK_DATA)
	if err != nil {
		return 0, min(end, limit) &^ (coldPieceBytes - 1)
	}
	if hole, err := unix.Seek(fd, data, unix.SEEK_HOLE); err == nil {
		end = hole
	}
	off = (data + coldPieceBytes - 1) &^ (coldPieceBytes - 1)
	return off, max(0, min(end-off, limit)) &^ (coldPieceBytes - 1)
}

// windows iterates over a target in windows of at most coldBytes.
type windows struct {
	target
	bytesEach int
	next      int
}

// take returns the offset and length of the next window; after the last one it starts over.
func (w *windows) take() (off int64, n int, first bool) {
	if w.next >= w.bytes {
		w.next = 0
	}
	off, n, first = w.off+int64(w.next), min(w.bytesEach, w.bytes-w.next), w.next == 0
	w.next += n
	return off, n, first
}

// windowBytes makes the windows of a small file small too; on slow storage the file is small.
func (r *run) windowBytes(goal target) int {
	return max(4096, min(r.sizes.coldBytes, goal.bytes/8)&^4095)
}

func (r *run) directReads(goal target) error {
	// The descriptor is reopened through its number, because the name may be gone.
	f, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", goal.f.Fd()),
		os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		r.absent(fmt.Sprintf("no direct reads: %v", err), &r.c.DirectRead)
		return nil
	}
	defer f.Close() // it was only read
	c := r.c
	var best Figure
	for _, way := range directWays {
		c.DirectRead = Figure{}
		w := windows{target: goal, bytesEach: r.windowBytes(goal)}
		began := time.Now()
		err := r.reads(&c.DirectRead, way.depth, way.blockBytes, f, func() (int64, int, error) {
			off, n, _ := w.take()
			return off, n, nil
		})
		if err != nil {
			return err
		}
		switch now := c.DirectRead; {
		case best.Samples == 0, now.Usable() && now.Median > directFaster*best.Median:
			best, c.DirectBlockBytes, c.DirectDepth = now, way.blockBytes, way.depth
		case now.Samples == 0: // but the usual way was measured
			delete(c.Absent, r.row(&c.DirectRead).key)
		}
		if best.Samples == 0 || time.Since(began) > directSlow*r.sizes.figureTime {
			break
		}
	}
	if c.DirectRead = best; best.Samples == 0 {
		c.DirectBlockBytes, c.DirectDepth = 0, 0
	}
	return nil
}

// coldReads drops the target from the page cache whenever it starts over. A user's file is dropped
// only if measuring brought it in.
func (r *run) coldReads(goal target) error {
	if !goal.ours {
		switch resident, err := residentBytes(goal); {
		case err != nil:
			r.absent(fmt.Sprintf("cannot tell what is in the page cache: %v", err), &r.c.ColdRead)
			return nil
		case resident > 0:
			r.absent("the file is in the page cache, and only its users should drop it from there",
				&r.c.ColdRead)
			return nil
		}
		defer drop(goal) // best effort: the pages are clean, nothing is lost if they stay
	}
	w := windows{target: goal, bytesEach: r.windowBytes(goal)}
	return r.reads(&r.c.ColdRead, coldReaders, coldPieceBytes, goal.f,
		func() (int64, int, error) {
			off, n, first := w.take()
			if !first {
				return off, n, nil
			}
			if err := drop(goal); err != nil {
				return 0, 0, err
			}
			if left, err := residentBytes(goal); err == nil && left > int64(goal.bytes/10) {
				return 0, 0, errors.New("the file stays in the page cache")
			}
			return off, n, nil
		})
}

// reads measures reading the windows that next returns, with this many readers.
func (r *run) reads(into *Figure, readers, pieceBytes int, f *os.File,
	next func() (off int64, n int, err error)) error {
	buffers, free, err := allocEach(readers, pieceBytes)
	if err != nil {
		r.absent(err.Error(), into)
		return nil
	}
	defer free()
	return r.figure(into, func() (float64, error) {
		start, n, err := next()
		if err != nil {
			return 0, err
		}
		return r.sweep(readers, n, pieceBytes, func(w, off, n int) error {
			_, err := f.ReadAt(buffers[w][:n], start+int64(off))
			return err
		})
	})
}

func drop(t target) error {
	err := unix.Fadvise(int(t.f.Fd()), t.off, int64(t.bytes), unix.FADV_DONTNEED)
	return os.NewSyscallError("fadvise", err)
}

// residentBytes returns how much of the target is in the page cache. It needs Linux 6.5.
func residentBytes(t target) (int64, error) {
	asked := unix.CachestatRange{Off: uint64(t.off), Len: uint64(t.bytes)}
	var state unix.Cachestat_t
	if err := unix.Cachestat(uint(t.f.Fd()), &asked, &state, 0); err != nil {
		return 0, os.NewSyscallError("cachestat", err)
	}
	return int64(state.Cache) * int64(os.Getpagesize()), nil
}
