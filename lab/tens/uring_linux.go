package tens

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/engine/uring/ring"
)

const (
	ringBlockBytes = 16 << 10
	ringDepth      = 8192 // for all workers together
)

// rings is the state of one count.
type rings struct {
	file   *os.File
	size   int64
	cursor atomic.Int64 // offset of the next block
	failed atomic.Bool
	full   chan block // to the counting thread; has room for all blocks
}

// block is a buffer with data read.
type block struct {
	data []byte
	slot int
	free chan int // returns the slot to its worker; has room for all of its slots
}

func countRings(path string, workers int) (n int64, err error) {
	f, size, err := open(path, unix.O_DIRECT, workers)
	if err != nil {
		return 0, err
	}
	defer f.Close() // nothing was written
	blocks := (size + ringBlockBytes - 1) / ringBlockBytes
	slots := int(min(ringDepth, blocks)+int64(workers)-1) / workers
	if slots == 0 {
		return 0, nil
	}
	memory, err := anon.Map(workers * slots * ringBlockBytes)
	if err != nil {
		return 0, err
	}
	c := &rings{file: f, size: size, full: make(chan block, workers*slots)}
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		own := memory[w*slots*ringBlockBytes:][:slots*ringBlockBytes]
		wg.Go(func() {
			if errs[w] = c.read(own); errs[w] != nil {
				c.failed.Store(true)
			}
		})
	}
	go func() { wg.Wait(); close(c.full) }()
	for b := range c.full {
		n += countUnrolled(b.data)
		b.free <- b.slot
	}
	if err := errors.Join(errs...); err != nil {
		return 0, err // leak the memory: the kernel may still write to it
	}
	return n, anon.Unmap(memory)
}

// read is a worker: it keeps a read in flight for each free slot, until the whole file is read.
func (c *rings) read(memory []byte) (err error) {
	runtime.LockOSThread() // a ring belongs to its thread
	defer runtime.UnlockOSThread()
	slots := len(memory) / ringBlockBytes
	r, err := ring.New(int(c.file.Fd()), slots)
	if err != nil {
		return fmt.Errorf("io_uring for %s: %w", c.file.Name(), err)
	}
	defer func() { err = errors.Join(err, r.Drain(), r.Close()) }()
	r.Register(memory)
	free, offs := make(chan int, slots), make([]int64, slots)
	for slot := range slots {
		free <- slot
	}
	for inFlight := 0; !c.failed.Load(); {
		for done := false; !done; {
			slot, ok := take(free, inFlight == 0)
			if !ok {
				break
			}
			offs[slot] = c.cursor.Add(ringBlockBytes) - ringBlockBytes
			if done = offs[slot] >= c.size; done {
				free <- slot
				break
			}
			r.Read(memory[slot*ringBlockBytes:][:ringBlockBytes], offs[slot], uint64(slot))
			inFlight++
		}
		if inFlight == 0 {
			return nil
		}
		if err := r.Submit(true); err != nil {
			return fmt.Errorf("read %s: %w", c.file.Name(), err)
		}
		for d, ok := r.Take(); ok; d, ok = r.Take() {
			inFlight--
			slot := int(d.Tag)
			want := min(ringBlockBytes, c.size-offs[slot])
			if int64(d.Result) < want {
				return fmt.Errorf("read %s at %d: %w", c.file.Name(), offs[slot], d.Short())
			}
			c.full <- block{memory[slot*ringBlockBytes:][:want], slot, free}
		}
	}
	return nil
}

// take returns a free slot. If there is none, it waits for one or returns false.
func take(free chan int, wait bool) (slot int, ok bool) {
	if wait {
		return <-free, true
	}
	select {
	case slot = <-free:
		return slot, true
	default:
		return 0, false
	}
}

// openDirect opens a file for reads past the page cache. A file system without them answers EINVAL: the
// file is then read through the page cache, which the figures do not include either.
func openDirect(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECT, 0)
	if errors.Is(err, unix.EINVAL) {
		return os.Open(path)
	}
	return f, err
}
