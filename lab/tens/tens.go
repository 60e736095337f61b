// Package tens has published ways to count the tens in a file of 32-bit integers, as baselines to
// measure against.
//
// The article "Memory is slow, disk is fast, part 2" (bitflux.ai, Jared Hulbert) counts the
// integers that equal 10 in 50 GB of random integers from 0 to 20, with a single counting thread, on
// an AMD EPYC 7551P with two disks. It finds that direct reads from the disks are faster than mapping
// the page cache. This package has its programs, in Go and in C, and two more that readers asked
// for, each in its own file. The comment there
// says what the article reports, and what we kept. The ideas are the article's, the code is ours.
// Errors, which the article ignores, are returned.
//
// Integers have the byte order of the machine. The bytes after the last whole integer are ignored.
package tens

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"unsafe"

	"github.com/thresh-dev/thresh/lab"
)

const (
	valueBytes = 4
	ten        = 10
)

// Variant is one program.
type Variant struct {
	ID   string // "loop"
	What string // its idea in one line

	// Parallel reports whether Count uses its number of workers.
	Parallel bool

	// Published are the article's figures in GiB/s, which it calls GB/s.
	Published []lab.Published

	// Settings are the conditions under which the lab measures it.
	Settings []lab.Setting

	// Unavailable says why the variant cannot run here. Count is then nil.
	Unavailable string

	// Count returns how many integers of the file equal 10. Parallel variants use that many
	// workers, which must be at least one.
	Count func(path string, workers int) (int64, error)
}

// Variants returns all variants: those of the article first, in its order. It includes those that
// cannot run on this machine.
func Variants() []Variant {
	return []Variant{loop(), unrolled(), ringReads(), prefetched(), parallelReads()}
}

// values returns the whole integers of b. The start of b must be aligned to an integer.
func values(b []byte) []int32 {
	if len(b) < valueBytes {
		return nil
	}
	return unsafe.Slice((*int32)(unsafe.Pointer(&b[0])), len(b)/valueBytes)
}

// share is a worker's part of a file.
type share struct{ off, end int64 }

// shares divides a file among workers, in equal parts that begin at page boundaries.
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

// open checks the number of workers, opens a file and returns its size.
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

// write writes integers from 0 to 20, seeded, and returns how many of them are tens.
func write(ctx context.Context, path string, bytes int64) (answer string, err error) {
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	random := rand.New(rand.NewPCG(10, 20))
	integers := make([]int32, bufferBytes/valueBytes)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&integers[0])), bufferBytes)
	tens := int64(0)
	for left := max(bytes/valueBytes, 1) * valueBytes; left > 0; left -= int64(len(b)) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		b = b[:min(int64(len(b)), left)]
		for i := range integers[:len(b)/valueBytes] {
			integers[i] = random.Int32N(21)
			if integers[i] == ten {
				tens++
			}
		}
		if _, err := f.Write(b); err != nil {
			return "", fmt.Errorf("write %s: %w", path, err)
		}
	}
	return strconv.FormatInt(tens, 10), f.Sync()
}
