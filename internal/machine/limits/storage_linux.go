package limits

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// directWays are the sizes and numbers of direct reads in flight that are tried, the usual
// one first: 4 MiB in flight are several times bandwidth times latency of fast storage.
var directWays = [...]struct{ blockBytes, depth int }{
	{512 << 10, 8}, {512 << 10, 32}, {128 << 10, 32}, {1 << 20, 8},
}

// directFaster is by how much another way must be faster than the usual one. They are
// close to each other on most storage, and then the noise would choose.
const directFaster = 1.1

// directSlow is how many times longer than a figure should the usual way may take, before
// the others are left out: storage so slow is busy with few reads.
const directSlow = 4

// Buffered reads have the kernel's readahead to help them, and want fewer readers.
const (
	coldPieceBytes = 1 << 20
	coldReaders    = 4
)

// dataBytesMin is the shortest range of a user's file worth reading from.
const dataBytesMin = 16 << 20

// target is the range that cold reads read.
type target struct {
	f     *os.File
	off   int64
	bytes int
	ours  bool // may be dropped from the page cache as we like
}

// storage measures cold reads of the path when it is a file or device with enough data,
// else of the temporary file.
func (r *run) storage(t *temporary) error {
	goal, err := r.target(t)
	if err != nil {
		r.absent(err.Error(), &r.c.DirectRead, &r.c.ColdRead)
		return nil
	}
	if !goal.ours {
		defer goal.f.Close() // was only read
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
		return target{}, fmt.Errorf("no file could be made at %s, nor is it one of %d MiB",
			r.path, dataBytesMin>>20)
	}
	if err := t.f.Sync(); err != nil { // only clean pages can be dropped
		return target{}, err
	}
	return target{f: t.f, bytes: t.bytes, ours: true}, inMemory(t.f)
}

// inMemory refuses files that no storage holds.
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

// firstData returns the first range of at most limit bytes that is no hole, its offset
// aligned for direct reads. A device, or a file system that does not tell, has none.
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

// windows walks through a target in windows of at most coldBytes.
type windows struct {
	target
	bytesEach int
	next      int
}

// take returns the offset and length of the next window; after the last comes the first.
func (w *windows) take() (off int64, n int, first bool) {
	if w.next >= w.bytes {
		w.next = 0
	}
	off, n, first = w.off+int64(w.next), min(w.bytesEach, w.bytes-w.next), w.next == 0
	w.next += n
	return off, n, first
}

// windowBytes makes windows of a small file, which is one on slow storage, small too.
func (r *run) windowBytes(goal target) int {
	return max(4096, min(r.sizes.coldBytes, goal.bytes/8)&^4095)
}

func (r *run) directReads(goal target) error {
	// The descriptor is opened anew through its number, since the name may be gone.
	f, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", goal.f.Fd()),
		os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		r.absent(fmt.Sprintf("no direct reads: %v", err), &r.c.DirectRead)
		return nil
	}
	defer f.Close() // was only read
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
		case now.Samples == 0: // the usual way was measured nevertheless
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

// coldReads drops the target from the page cache whenever it begins at its start. A user's
// file is dropped only where measuring brought it in.
func (r *run) coldReads(goal target) error {
	if !goal.ours {
		switch resident, err := residentBytes(goal); {
		case err != nil:
			r.absent(fmt.Sprintf("cannot ask what is in the page cache: %v", err), &r.c.ColdRead)
			return nil
		case resident > 0:
			r.absent("the file is in the page cache, from which only its users should drop it",
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
				return 0, 0, errors.New("the page cache does not let go of the file")
			}
			return off, n, nil
		})
}

// reads measures reading the windows that next returns with a number of readers.
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
