package tens

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// bufferBytes is how much a worker reads at a time.
const bufferBytes = 1 << 20

// parallelReads is the other program that readers asked for: each thread reads its share of the file
// into a small buffer and counts there, with the article's sixteen counters. There is no single
// counting thread.
func parallelReads() Variant {
	return Variant{
		ID: "pread-parallel", What: "parallel pread, 16 counters", Parallel: true, Settings: curve(),
		Count: countReads,
	}
}

func countReads(path string, workers int) (n int64, err error) {
	f, size, err := open(path, 0, workers)
	if err != nil {
		return 0, err
	}
	defer f.Close() // nothing was written
	counts, errs := make([]int64, workers), make([]error, workers)
	var wg sync.WaitGroup
	for w, s := range shares(size, workers) {
		wg.Go(func() { counts[w], errs[w] = countShare(f, s) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	for _, c := range counts {
		n += c
	}
	return n, nil
}

func countShare(f *os.File, s share) (n int64, err error) {
	integers := make([]int32, bufferBytes/valueBytes) // aligns the buffer
	buffer := unsafe.Slice((*byte)(unsafe.Pointer(&integers[0])), bufferBytes)
	for off := s.off; off < s.end; {
		b := buffer[:min(bufferBytes, s.end-off)]
		if _, err := f.ReadAt(b, off); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF // the file shrank
			}
			return 0, fmt.Errorf("read %s at %d: %w", f.Name(), off, err)
		}
		n += countUnrolled(b)
		off += int64(len(b))
	}
	return n, nil
}

const (
	prefetchBytes = 2 << 20 // a worker touches this much at a time: a huge page
	touchBytes    = 4096
)

// prefetched is what readers of the article asked for: helper threads for a mapping. They touch its
// pages ahead of the counting thread, which then takes no page faults. According to these readers,
// six threads bring the mapping to about the rate of the article's ring.
//
// One thread counts, with the article's sixteen counters. It does not wait for the helpers: it takes
// the faults for pages that are not touched yet, and the helpers continue ahead of it.
func prefetched() Variant {
	return mappedVariant(Variant{
		ID: "mmap-parallel", What: "mmap, pages touched ahead of one counting thread", Parallel: true,
		Settings: curve(),
	}, countPrefetched)
}

func countPrefetched(b []byte, workers int) (n int64) {
	var ahead, counted atomic.Int64 // offsets
	size := int64(len(b))
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var touched byte
			for {
				off := ahead.Add(prefetchBytes) - prefetchBytes
				if off >= size {
					break
				}
				for end := min(off+prefetchBytes, size); off < end && off >= counted.Load(); off += touchBytes {
					touched |= b[off]
				}
			}
			runtime.KeepAlive(touched)
		})
	}
	for off := int64(0); off < size; off += prefetchBytes {
		end := min(off+prefetchBytes, size)
		n += countUnrolled(b[off:end])
		counted.Store(end)
	}
	wg.Wait()
	return n
}
