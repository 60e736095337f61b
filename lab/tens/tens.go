// Package tens holds published ways to count the tens in a file of 32-bit integers, as
// baselines to measure against.
//
// The article "Memory is slow, disk is fast, part 2" (bitflux.ai, Jared Hulbert) counts the
// integers that equal 10 in 50 GB of random ones from 0 to 20, with one thread that counts,
// and finds direct reads from two disks faster than a mapping of the page cache. Here are
// its programs, and the two that its readers missed. Each is in a file of its own, whose
// head says what the article says of it and what was kept. The ideas are the article's, the
// code is not. Errors, which the article leaves out, are returned.
//
// Integers have the byte order of the machine. The bytes behind the last whole one are not
// looked at.
package tens

import (
	"fmt"
	"os"
	"unsafe"
)

const (
	valueBytes = 4
	ten        = 10
)

// Variant is one program.
type Variant struct {
	ID   string // "loop"
	What string // its idea in a line

	// Parallel tells that Count heeds its number of workers.
	Parallel bool

	// Unavailable says why the variant cannot run here. Count is nil then.
	Unavailable string

	// Count returns how many integers of the file equal 10. Parallel variants use that many
	// workers, at least one.
	Count func(path string, workers int) (int64, error)
}

// Variants returns all variants, the article's first and in its order, also those that
// cannot run on this machine.
func Variants() []Variant {
	return []Variant{loop(), unrolled(), ringReads(), prefetched(), parallelReads()}
}

// values returns the whole integers of b, whose start must be aligned to one.
func values(b []byte) []int32 {
	if len(b) < valueBytes {
		return nil
	}
	return unsafe.Slice((*int32)(unsafe.Pointer(&b[0])), len(b)/valueBytes)
}

// share is a worker's part of a file.
type share struct{ off, end int64 }

// shares divides a file among workers, in equal parts that begin at a page.
func shares(size int64, workers int) []share {
	const page = 4096
	pages := (size + page - 1) / page
	each := (pages + int64(workers) - 1) / int64(workers) * page
	all := make([]share, workers)
	for w := range all {
		off := min(int64(w)*each, size)
		all[w] = share{off, min(off+each, size)}
	}
	return all
}

// open opens a file for a number of workers and returns its size.
func open(path string, flags, workers int) (*os.File, int64, error) {
	if workers < 1 {
		return nil, 0, fmt.Errorf("count in %s: %d workers", path, workers)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|flags, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close() // nothing was written
		return nil, 0, err
	}
	return f, info.Size(), nil
}
