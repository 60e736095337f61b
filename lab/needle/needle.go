// Package needle holds published ways to find the first word that is not zero in a file,
// as baselines to measure against.
//
// The article "Finding a needle in a 4 GB haystack: from 0.75 GB/s to 49 GB/s in Go"
// (segflow.github.io/post/fast-file-search-go) compares thirteen programs over a 4 GiB
// file of zeros whose last 8 bytes are not zero. Here are those that others are measured
// against: each in a file of its own, whose head says what the article says of it and
// what was kept. The ideas are the article's, the code is not. What is slow in them stays
// slow; only errors, which the article leaves out, are returned.
//
// Their answer is the offset of the first 8-byte word, counted from the start of the
// file, that is not zero. The article's file is a multiple of 8 long. In others the bytes
// behind the last whole word are seen by the variants with vector kernels, which work
// byte by byte, and not by those that loop over words.
package needle

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"
)

const (
	wordBytes   = 8
	bufferBytes = 1 << 20 // of every variant that reads into a buffer
)

// Variant is one program of the article.
type Variant struct {
	ID   string // as in the article: "v03"
	What string // the article's idea in a line

	// Parallel tells that Search heeds its number of workers.
	Parallel bool

	// Unavailable says why the variant cannot run here. Search is nil then.
	Unavailable string

	// Search returns the offset of the first word of the file that is not zero, and -1 when
	// there is none. Parallel variants use that many goroutines, at least one.
	Search func(path string, workers int) (int64, error)
}

// Variants returns all variants in the article's order, also those that cannot run on
// this machine or in this binary.
func Variants() []Variant {
	return []Variant{chunked(), mapped(), parallelReads(), parallelAVX2(), parallelAVX512()}
}

// firstWord returns the index of the first byte of the first 8-byte word of b that is not
// zero, and -1 when there is none. Bytes behind the last whole word are not looked at.
// The start of b must be aligned to a word.
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

// readShards divides the file among workers, once and in equal parts, and searches each
// part with a descriptor and a buffer of its own. A worker that found something stops;
// the others go on to the end of their part, as in the article. Reads are always a whole
// buffer long, so the last read of a part also looks into the next one.
func readShards(path string, workers int, index func([]byte) int) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return -1, err
	}
	size := info.Size()
	if workers < 1 {
		return -1, fmt.Errorf("search %s: %d workers", path, workers)
	}
	words := (size + wordBytes - 1) / wordBytes
	shardBytes := (words + int64(workers) - 1) / int64(workers) * wordBytes

	var lowest atomic.Int64
	lowest.Store(-1)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		start := min(int64(w)*shardBytes, size)
		end := min(start+shardBytes, size)
		wg.Go(func() {
			var found int64
			if found, errs[w] = searchShard(path, start, end, index); found >= 0 {
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

// searchShard returns the offset of the first word that is not zero in the reads that
// cover the file from start to end, and -1 when there is none.
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

// lower sets a to the lower of its value and v, where -1 stands for no value.
func lower(a *atomic.Int64, v int64) {
	for {
		old := a.Load()
		if old >= 0 && old <= v || a.CompareAndSwap(old, v) {
			return
		}
	}
}
