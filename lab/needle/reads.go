package needle

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// readShards divides the file into equal parts, one for each worker, and searches each part with
// its own descriptor and buffer. A worker that finds something stops; the others continue to the
// end of their part, as in the article. Every read fills a whole buffer, so the last read of a
// part reaches into the next part.
func readShards(path string, workers int, index func([]byte) int) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return -1, err
	}
	if workers < 1 {
		return -1, fmt.Errorf("search %s: %d workers", path, workers)
	}
	var lowest atomic.Int64
	lowest.Store(-1)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w, p := range divide(info.Size(), workers) {
		wg.Go(func() {
			var found int64
			if found, errs[w] = searchShard(path, p.start, p.end, index); found >= 0 {
				lower(&lowest, found)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return -1, err
	}
	return lowest.Load(), nil
}

// searchShard returns the offset of the first nonzero word in the reads that cover the file from
// start to end, or -1 if there is none.
func searchShard(path string, start, end int64, index func([]byte) int) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return -1, err
	}
	defer f.Close() // nothing was written
	buf := newBuffer()
	for off := start; off < end; {
		n, err := f.ReadAt(buf, off)
		if i := index(buf[:n]); i >= 0 {
			return off + int64(i)&^(wordBytes-1), nil
		}
		if err == io.EOF && off+int64(n) < end {
			err = io.ErrUnexpectedEOF
		}
		if err != nil && err != io.EOF {
			return -1, fmt.Errorf("read %s at %d: %w", path, off+int64(n), err)
		}
		off += int64(n)
	}
	return -1, nil
}
