package tens

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
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
