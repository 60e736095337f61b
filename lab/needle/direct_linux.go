package needle

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
	directBytes = 512 << 10 // a read
	directDepth = 32        // reads in flight of a worker
)

func searchDirect(path string, workers int) (int64, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		return -1, err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return -1, err
	}
	if workers < 1 {
		return -1, fmt.Errorf("search %s: %d workers", path, workers)
	}
	index := firstWord
	if noAVX2() == "" {
		index = indexAVX2
	}
	// Parts of whole blocks: direct reads begin at multiples of the device's block.
	blocks := (info.Size() + directBytes - 1) / directBytes
	var lowest atomic.Int64
	lowest.Store(-1)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w, p := range divide(blocks*wordBytes, workers) {
		d := direct{file: f, start: p.start / wordBytes * directBytes, index: index, lowest: &lowest}
		d.end = min(p.end/wordBytes*directBytes, info.Size())
		wg.Go(func() { errs[w] = d.search() })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return -1, err
	}
	return lowest.Load(), nil
}

// direct is a worker's search in its part of the file.
type direct struct {
	file       *os.File
	start, end int64
	index      func([]byte) int
	lowest     *atomic.Int64 // of all workers
}

func (d *direct) search() (err error) {
	if d.start >= d.end {
		return nil
	}
	runtime.LockOSThread() // a ring belongs to its thread
	defer runtime.UnlockOSThread()
	slots := int(min(directDepth, (d.end-d.start+directBytes-1)/directBytes))
	memory, err := anon.Map(slots * directBytes)
	if err != nil {
		return err
	}
	r, err := ring.New(int(d.file.Fd()), slots)
	if err != nil {
		return errors.Join(fmt.Errorf("io_uring for %s: %w", d.file.Name(), err), anon.Unmap(memory))
	}
	r.Register(memory)
	if err := errors.Join(d.reads(r, memory, slots), r.Drain(), r.Close()); err != nil {
		return err // leak the memory: the kernel may still write to it
	}
	return anon.Unmap(memory)
}

// reads keeps a read in flight for each slot, and searches the blocks in the order of their arrival.
func (d *direct) reads(r *ring.Ring, memory []byte, slots int) error {
	next, inFlight := d.start, 0
	offs := make([]int64, slots)
	read := func(slot int) {
		if next < d.end {
			offs[slot] = next
			r.Read(memory[slot*directBytes:][:directBytes], next, uint64(slot))
			next += directBytes
			inFlight++
		}
	}
	for slot := range slots {
		read(slot)
	}
	for inFlight > 0 {
		if err := r.Submit(true); err != nil {
			return fmt.Errorf("read %s: %w", d.file.Name(), err)
		}
		for done, ok := r.Take(); ok; done, ok = r.Take() {
			inFlight--
			slot := int(done.Tag)
			off := offs[slot]
			want := min(directBytes, d.end-off)
			if int64(done.Result) < want {
				return fmt.Errorf("read %s at %d: %w", d.file.Name(), off, done.Short())
			}
			if at := d.index(memory[slot*directBytes:][:want]); at >= 0 {
				lower(d.lowest, off+int64(at)&^(wordBytes-1))
				next = d.end // a worker that found something stops; what is in flight may hold a lower one
			}
			read(slot)
		}
	}
	return nil
}

const (
	populateFlag = unix.MAP_POPULATE
	noPopulate   = ""
)
