package uring

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/engine/direct"
	"github.com/thresh-dev/thresh/internal/engine/pread"
	"github.com/thresh-dev/thresh/internal/engine/uring/ring"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// alignBytesMin is the least alignment of addresses and lengths of direct reads. Many devices
// accept 512, but read 4096 bytes at a time from their medium.
const alignBytesMin = 4096

type uringEngine struct {
	file   *source.File
	config engine.Config // for the pread engine that reads blocks which the ring cannot read
	fd     int           // for direct reads
	align  int64
	block  int64
	ahead  int64
	depth  int
	stats  counters
}

type counters struct{ reads, bytes, resubmits, rescued atomic.Int64 }

// Open returns the engine for a regular file or a block device. It returns a RefusedError if the
// kernel does not create a ring or the file system does not support direct reads. The file must
// stay open until the engine is closed. The engine has a method Stats.
func Open(f *source.File, c engine.Config) (engine.Engine, error) {
	e, err := open(f, c)
	if err != nil {
		return nil, err // not e: the interface would hold a nil *uringEngine
	}
	return e, nil
}

func open(f *source.File, c engine.Config) (*uringEngine, error) {
	if f.Kind == source.Stream {
		return nil, refusal(f, "a stream has no offsets to read at; use the stream engine", nil)
	}
	if f.OS() == nil {
		return nil, refusal(f, "it is not a file of the system; use the pread engine", nil)
	}
	if err := tryRing(f); err != nil {
		return nil, err
	}
	fd, align, err := direct.OpenFD(f, "uring")
	if err != nil {
		return nil, err
	}
	e := &uringEngine{file: f, config: c, fd: fd, align: max(align, alignBytesMin), ahead: int64(c.AheadBytes)}
	e.block, e.depth = int64(c.BlockBytes), c.Depth
	if e.block <= 0 {
		e.block = DefaultBlockBytes
	}
	if e.depth <= 0 {
		e.depth = DefaultDepth
	}
	e.block = max(e.down(e.block), align)
	e.depth = min(e.depth, depthMax)
	return e, nil
}

// depthMax keeps a ring small; no device queue is deeper.
const depthMax = 1024

func (e *uringEngine) down(n int64) int64 { return n / e.align * e.align }
func (e *uringEngine) up(n int64) int64   { return e.down(n + e.align - 1) }

func (e *uringEngine) Name() string { return "uring" }

// Stats returns what the readers have done so far.
func (e *uringEngine) Stats() Stats {
	return Stats{Reads: e.stats.reads.Load(), Bytes: e.stats.bytes.Load(),
		Resubmits: e.stats.resubmits.Load(), Rescued: e.stats.rescued.Load()}
}

func (e *uringEngine) Close() error {
	if err := unix.Close(e.fd); err != nil {
		return fmt.Errorf("close %s after direct reads: %w", e.file.Name, err)
	}
	return nil
}

func (e *uringEngine) Reader() (engine.Reader, error) {
	// Two alignments more, because neither the start of a block nor the end of its context need
	// be aligned.
	slotBytes := e.up(e.block+e.ahead) + 2*e.align
	memory, err := anon.Map(int(slotBytes) * e.depth)
	if err != nil {
		return nil, err
	}
	r := &reader{uringEngine: e, memory: memory, slots: make([]slot, e.depth),
		tries: resubmitsMax.Get()}
	for i := range r.slots {
		at := int64(i) * slotBytes
		r.slots[i] = slot{index: i, buffer: memory[at : at+slotBytes : at+slotBytes]}
	}
	return r, nil
}

// openRescue returns a pread reader for blocks that the ring cannot read.
func (e *uringEngine) openRescue() (engine.Reader, error) {
	fallback, err := pread.Open(e.file, e.config)
	if err != nil {
		return nil, err
	}
	return fallback.Reader()
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
	return &failure.EngineError{Engine: "uring", Name: f.Name, Reason: reason, Err: err}
}
