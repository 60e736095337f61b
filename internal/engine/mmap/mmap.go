//go:build unix

package mmap

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

type mmapEngine struct {
	file  *source.File
	ahead int64
	depth int    // pieces that are faulted in before their visit, for each reader
	data  []byte // the whole file; empty if the file is empty
}

// Open maps a regular file or a block device with the size it had when it was opened. It returns
// a RefusedError for a stream, and if the system cannot map the file.
func Open(f *source.File, c engine.Config) (engine.Engine, error) {
	refuse := func(reason string, err error) (engine.Engine, error) {
		return nil, &failure.EngineError{Engine: "mmap", Name: f.Name, Reason: reason, Err: err}
	}
	e := &mmapEngine{file: f, ahead: int64(c.AheadBytes), depth: c.Depth}
	switch {
	case f.Kind == source.Stream:
		return refuse("a stream cannot be mapped; use the stream engine", nil)
	case f.OS() == nil:
		return refuse("it is not a file of the system; use the pread engine", nil)
	case f.Bytes > math.MaxInt:
		return refuse("it is larger than the address space; use the pread engine", nil)
	case f.Bytes == 0:
		return e, nil
	}
	var err error
	e.data, err = unix.Mmap(f.FD(), 0, int(f.Bytes), unix.PROT_READ, unix.MAP_SHARED)
	switch err {
	case nil:
		if e.depth > 0 {
			largeReads(e.data)
		}
		return e, nil
	case unix.ENOMEM:
		return refuse("the address space has no room for it (see ulimit -v); "+
			"use the pread engine", err)
	}
	return refuse("the system cannot map it; use the pread engine", err)
}

func (e *mmapEngine) Name() string { return "mmap" }

func (e *mmapEngine) Reader() (engine.Reader, error) { return &reader{e}, nil }

// Close releases the pages of a large mapping by all cores first: the kernel looks at each of them, and
// on one core that took a quarter as long as counting the lines in them had taken on two.
func (e *mmapEngine) Close() error {
	if e.data == nil {
		return nil
	}
	release(e.data)
	err := unix.Munmap(e.data)
	e.data = nil
	if err != nil {
		return fmt.Errorf("unmap %s: %w", e.file.Name, err)
	}
	return nil
}

type reader struct{ *mmapEngine }

// Close releases nothing, because the mapping belongs to the engine.
func (r *reader) Close() error { return nil }

func (r *reader) Run(next engine.Next, visit engine.Visit) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if r.depth > 0 {
		return r.runAhead(next, visit)
	}
	return next.Each(func(p engine.Piece) (bool, error) { return r.piece(p, visit) })
}

// piece visits a piece: its readable part, then the unreadable range behind it as an error block,
// then the next readable part, and so on.
func (r *reader) piece(p engine.Piece, visit engine.Visit) (goOn bool, err error) {
	for pos := p.Off; pos < p.End(); {
		gap, err := r.ending(pos, p)
		if err != nil {
			return false, err
		}
		for pos < gap.Off {
			end := min(p.End(), gap.Off)
			b := engine.Block{Off: pos, Data: r.data[pos:gap.Off:gap.Off], Len: int(end - pos)}
			goOn, fault, faulted := r.try(visit, p, b, end == p.End())
			if !faulted {
				if !goOn {
					return false, nil
				}
				pos = end
				break
			}
			if gap, err = r.explain(fault, pos, p); err != nil {
				return false, err
			}
		}
		if pos == p.End() {
			return true, nil
		}
		gap.Off, gap.Len = pos, min(gap.Off+gap.Len, p.End())-pos
		pos += gap.Len
		if !visit(p, engine.Block{Off: gap.Off, Err: &gap}, pos == p.End()) {
			return false, nil
		}
	}
	return true, nil
}

// Release takes the pages of a piece out of the mapping, as Close does with those that are left. An error does no harm.
func (r *reader) Release(p engine.Piece) {
	if pages := r.pages(p); len(pages) > 0 {
		_ = unix.Madvise(pages, unix.MADV_DONTNEED)
	}
}

// ending returns the gap behind the bytes that may be visited for a piece. Its Off is the end of
// the piece's context, or the end of the file if that comes first. The size of the file is
// queried each time, because the file may have shrunk.
func (r *reader) ending(pos int64, p engine.Piece) (failure.UnreadError, error) {
	size := int64(len(r.data))
	if size > 0 && r.file.Kind == source.Regular {
		var stat unix.Stat_t
		if err := ignoringEINTR(func() error { return unix.Fstat(r.file.FD(), &stat) }); err != nil {
			return failure.UnreadError{}, fmt.Errorf("stat %s: %w", r.file.Name, err)
		}
		size = min(size, stat.Size)
	}
	off := min(p.End()+r.ahead, max(size, pos))
	return failure.UnreadError{Name: r.file.Name, Off: off, Len: max(p.End()-off, 0),
		Err: failure.ErrEnded}, nil
}

// explain returns the unreadable range after a fault: all bytes behind the new end if the file
// shrank, otherwise the page that could not be read.
func (r *reader) explain(fault, pos int64, p engine.Piece) (failure.UnreadError, error) {
	gap, err := r.ending(pos, p)
	page := int64(os.Getpagesize())
	bad := fault / page * page
	if err != nil || gap.Off <= bad {
		return gap, err
	}
	gap.Off, gap.Len = max(bad, pos), bad+page-max(bad, pos)
	gap.Err = r.probe(gap.Off)
	return gap, nil
}

// probe returns why the byte at off cannot be read. The fault itself has no error code.
func (r *reader) probe(off int64) error {
	var b [1]byte
	err := ignoringEINTR(func() error {
		_, err := unix.Pread(r.file.FD(), b[:], off)
		return err
	})
	if err == nil {
		err = unix.EIO // readable again, but it was not when the mapping needed it
	}
	return err
}

// try visits a block. If the visit touches an unreadable byte of the block, try returns the byte's
// offset. It does not stop any other panic.
func (r *reader) try(visit engine.Visit, p engine.Piece, b engine.Block, last bool) (
	goOn bool, fault int64, faulted bool) {
	defer func() {
		if faulted {
			return
		}
		if cause := recover(); cause != nil {
			fault, faulted = r.faultOffset(cause)
			faulted = faulted && fault >= b.Off && fault < b.Off+int64(len(b.Data))
			if !faulted {
				panic(cause)
			}
		}
	}()
	return visit(p, b, last), 0, false
}

// pages returns the pages of the mapping that hold a piece.
func (r *reader) pages(p engine.Piece) []byte {
	page := int64(os.Getpagesize())
	size := int64(len(r.data))
	return r.data[min(p.Off/page*page, size):min(p.End(), size)]
}

func ignoringEINTR(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// faultOffset returns the offset in the mapping of the byte whose access caused a panic, and
// whether there is one. The runtime's panic value for a memory fault has the address.
func (r *reader) faultOffset(cause any) (off int64, ok bool) {
	fault, ok := cause.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok || len(r.data) == 0 {
		return 0, false
	}
	base := uintptr(unsafe.Pointer(&r.data[0]))
	if addr := fault.Addr(); addr >= base && addr-base < uintptr(len(r.data)) {
		return int64(addr - base), true
	}
	return 0, false
}

// coming is a piece whose pages are being faulted in.
type coming struct {
	piece engine.Piece
	done  chan struct{} // closed when they are there, or cannot be read
}

// runAhead is Run for pieces that come from storage. It keeps several pieces on their way: a call for
// each faults its pages in and waits for the storage, while the worker visits the piece before. A fault
// during a visit would wait as well, but keep a processor of the Go scheduler meanwhile, and bring in
// less at a time.
func (r *reader) runAhead(next engine.Next, visit engine.Visit) error {
	var queue []coming
	defer func() { // the mapping must not go while a call works on it
		for _, c := range queue {
			<-c.done
		}
	}()
	for dry := false; ; {
		for !dry && len(queue) < r.depth {
			p, ok := next()
			if dry = !ok; dry {
				break
			}
			c := coming{p, make(chan struct{})}
			go func() {
				populate(r.pages(p))
				close(c.done)
			}()
			queue = append(queue, c)
		}
		if len(queue) == 0 {
			return nil
		}
		<-queue[0].done
		p := queue[0].piece
		queue = queue[1:]
		if goOn, err := r.piece(p, visit); err != nil || !goOn {
			return err
		}
	}
}

// releaseBytesMin is the least part of a mapping that one core releases.
var releaseBytesMin = threshold.NewMultiple("mmap: bytes that one core releases", 16<<20, 64<<10, 64<<10)

// releaseNanosPerKiB is how long it must take to release a KiB for other cores to help. Pages of large
// folios are released together, 16 MiB in 25 us, which is less than it takes to wake a core; single
// pages take 700 us.
const releaseNanosPerKiB = 10

// release takes the pages out of a mapping that is about to be unmapped, each core its share. The pages
// stay in the page cache. An error does no harm: unmapping takes out what is left.
func release(data []byte) {
	share := releaseBytesMin.Get()
	if len(data) < 3*share {
		return
	}
	began := time.Now()
	_ = unix.Madvise(data[:share], unix.MADV_DONTNEED)
	if took := time.Since(began); took.Nanoseconds() < int64(share>>10)*releaseNanosPerKiB {
		return
	}
	releaseByAll(data[share:], share)
}

// releaseByAll has each core release a part of at least share bytes.
func releaseByAll(data []byte, share int) {
	parts := max(min(len(data)/share, runtime.GOMAXPROCS(0)), 1)
	share = len(data) / parts / share * share
	var wg sync.WaitGroup
	for i := range parts - 1 {
		wg.Go(func() { _ = unix.Madvise(data[i*share:][:share], unix.MADV_DONTNEED) })
	}
	_ = unix.Madvise(data[(parts-1)*share:], unix.MADV_DONTNEED)
	wg.Wait()
}
