// Package needle has the programs of an article that find the first nonzero word in a file.
//
// The article "Finding a needle in a 4 GB haystack: from 0.75 GB/s to 49 GB/s in Go"
// (segflow.github.io/post/fast-file-search-go) compares thirteen programs over a 4 GiB
// file of zeros whose last 8 bytes are not zero, on an AMD Ryzen 5 9600X with Linux 6.6 under WSL2.
// The comment on each says what the article wanted to show and what it
// reports, and what we kept. The ideas are the article's, the code is ours. What is slow in the
// originals stays slow. Only errors, which the article ignores, are returned.
//
// The answer is the offset of the first 8-byte word that is not zero; words are aligned to the
// start of the file. The length of the article's file is a multiple of 8. In other files, the bytes
// after the last whole word are seen by the programs and kernels that work on bytes, and not by the
// loops over words.
package needle

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/thresh-dev/thresh/lab"
)

const (
	wordBytes   = 8
	bufferBytes = 1 << 20 // in every variant that reads into a buffer
)

// Variant is one program of the article.
type Variant struct {
	ID   string // as in the article: "v03"
	What string // the article's idea in one line

	// Published are the article's figures in MB/s.
	Published []lab.Published

	// Parallel reports whether Search uses its number of workers.
	Parallel bool

	// Cold reports whether it is worth measuring on a file that is not in the page cache.
	Cold bool

	// Unavailable says why the variant cannot run here. Search is then nil.
	Unavailable string

	// Search returns the offset of the first nonzero word of the file, or -1 if there is none.
	// Parallel variants use that many goroutines, which must be at least one.
	Search func(path string, workers int) (int64, error)
}

// firstWord returns the index of the first nonzero 8-byte word of b, in bytes, or -1 if there is
// none. It ignores the bytes after the last whole word. The start of b must be aligned to a word.
func firstWord(b []byte) int {
	if len(b) < wordBytes {
		return -1
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&b[0])), len(b)/wordBytes)
	for i, w := range words {
		if w != 0 {
			return i * wordBytes
		}
	}
	return -1
}

// newBuffer returns a buffer whose start is aligned to a word.
func newBuffer() []byte {
	words := make([]uint64, bufferBytes/wordBytes)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), bufferBytes)
}

// part is the range of a file that a worker searches.
type part struct{ start, end int64 }

// divide divides a file of that size into parts of whole words, one for each worker. The last ones may
// be empty.
func divide(size int64, workers int) []part {
	words := (size + wordBytes - 1) / wordBytes
	partBytes := (words + int64(workers) - 1) / int64(workers) * wordBytes
	all := make([]part, workers)
	for w := range all {
		start := min(int64(w)*partBytes, size)
		all[w] = part{start, min(start+partBytes, size)}
	}
	return all
}

// lower sets a to the lower of its value and v. The value -1 means none.
func lower(a *atomic.Int64, v int64) {
	for {
		old := a.Load()
		if old >= 0 && old <= v || a.CompareAndSwap(old, v) {
			return
		}
	}
}

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
