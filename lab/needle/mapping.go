package needle

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// mapping says how a file is mapped: whole, shared, read-only, and with this.
type mapping struct {
	advised   bool // MADV_SEQUENTIAL and MADV_WILLNEED
	populated bool // MAP_POPULATE
}

// over completes a variant that searches a mapping. A file that shrinks meanwhile kills the program, as
// in the article. An empty file cannot be mapped and has no word.
func (m mapping) over(v Variant, search func(b []byte, workers int) int64) Variant {
	if v.Unavailable == "" {
		v.Unavailable = noMmap
	}
	if v.Unavailable == "" && m.populated {
		v.Unavailable = noPopulate
	}
	if v.Unavailable != "" {
		return v
	}
	v.Search = func(path string, workers int) (int64, error) {
		if workers < 1 {
			return -1, fmt.Errorf("search %s: %d workers", path, workers)
		}
		return m.search(path, func(b []byte) int64 { return search(b, workers) })
	}
	return v
}

// alone searches with one goroutine and that kernel.
func alone(index func([]byte) int) func(b []byte, workers int) int64 {
	return func(b []byte, _ int) int64 {
		at := index(b)
		if at < 0 {
			return -1
		}
		return int64(at) &^ (wordBytes - 1)
	}
}

// inShards divides the mapping into equal parts beforehand, one for each goroutine. A goroutine that
// finds something does not stop the others.
func inShards(index func([]byte) int) func(b []byte, workers int) int64 {
	return func(b []byte, workers int) int64 {
		var lowest atomic.Int64
		lowest.Store(-1)
		var wg sync.WaitGroup
		for _, p := range divide(int64(len(b)), workers) {
			wg.Go(func() {
				if at := index(b[p.start:p.end]); at >= 0 {
					lower(&lowest, p.start+int64(at)&^(wordBytes-1))
				}
			})
		}
		wg.Wait()
		return lowest.Load()
	}
}
