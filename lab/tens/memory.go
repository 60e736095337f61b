package tens

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/thresh-dev/thresh/internal/engine/anon"
	"github.com/thresh-dev/thresh/internal/engine/uring/ring"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/lab"
)

// The article's fourth program reads the file into its own memory beforehand, and counts there: what does
// a mapping cost compared with that? It counts 2 GiB, in one NUMA node, and all 50 GB. It reports 4.76
// and 13.04 GB/s for the small buffer with the simple loop and with sixteen counters, and 3.76 and
// 7.90 GB/s for all.
//
// Kept: direct reads into memory that is there, outside the time; the two loops. The small buffer is
// filled and counted again and again until the file ends, so that its answer is that of the whole file.
// It is a 25th of the file, as in the article, but at least smallLeastBytes, which no cache holds.
// Memory uses huge pages if the kernel has them.

// smallLeastBytes is in whole huge pages.
var smallLeastBytes = threshold.NewMultiple("lab/tens: least bytes of the small buffer", 256<<20, 2<<20, 2<<20)

// smallMemory is the setting for the small buffer: N is how many of them the article's file fills.
var smallMemory = lab.Setting{N: 25}

func inMemory() []lab.Variant {
	return []lab.Variant{
		memoryVariant("ram-loop", "simple loop in own memory", countLoop, 4.76, 3.76),
		memoryVariant("ram-unrolled", "16 counters in own memory", countUnrolled, 13.04, 7.90),
	}
}

func memoryVariant(id, what string, count func([]byte) int64, small, whole float64) lab.Variant {
	return lab.Variant{
		ID: name + "/" + id, What: what + " that was read beforehand; n=25: in a small buffer", Input: input,
		Settings: []lab.Setting{{}, smallMemory},
		Published: []lab.Published{
			{Value: whole, Text: "50 GB"}, {Value: small, Setting: smallMemory, Text: "2 GiB, one NUMA node"},
		},
		Run: func(ctx context.Context, t lab.Task) (lab.Outcome, error) {
			return countInMemory(ctx, t, count)
		},
	}
}

// memoryBytes returns how much of a file is in memory at once under a setting.
func memoryBytes(t lab.Task, size int64) int64 {
	if t.Setting.N <= 1 {
		return size
	}
	const grain = 1 << 20 // of direct reads
	part := (size/int64(t.Setting.N) + grain - 1) / grain * grain
	return min(size, max(part, int64(smallLeastBytes.Get())))
}

func countInMemory(ctx context.Context, t lab.Task, count func([]byte) int64) (o lab.Outcome, err error) {
	f, err := openDirect(t.Path)
	if err != nil {
		return o, err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return o, err
	}
	size := info.Size()
	memory, err := anon.Map(int(memoryBytes(t, size)))
	if err != nil {
		return o, err
	}
	tens := int64(0)
	for off := int64(0); off < size; {
		n, err := fill(ctx, f, memory, off)
		if err != nil {
			return o, fmt.Errorf("read %s at %d: %w", t.Path, off+n, err)
		}
		begin := time.Now()
		tens += count(memory[:n])
		o.Seconds += time.Since(begin).Seconds()
		off += n
	}
	o.Bytes, o.Answer = size, strconv.FormatInt(tens, 10)
	return o, anon.Unmap(memory)
}

// fill reads from off on until the memory is full or the file ends. Direct reads must be of whole blocks,
// also the one at the end of the file, which returns less.
func fill(ctx context.Context, f *os.File, memory []byte, off int64) (n int64, err error) {
	for n < int64(len(memory)) {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		got, err := f.ReadAt(memory[n:min(n+bufferBytes, int64(len(memory)))], off+n)
		n += int64(got)
		if err == io.EOF {
			if n == 0 {
				return 0, io.ErrUnexpectedEOF // the file shrank
			}
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// sixCold is the article's number of workers; it keeps the file out of the page cache.
var sixCold = lab.Setting{State: lab.Cold, Workers: 6}

// ringReads is the article's third program and its point: workers only keep many direct reads in
// flight, each worker with its own io_uring, and one thread counts in the buffers as they fill, in
// any order. The article reports 5.81 GB/s from two disks rated at 3.1 GB/s each, with 6 workers.
//
// Kept: blocks of 16 KiB, 8192 of them in the rings of all workers together, a buffer for each, one
// counting thread with sixteen counters. Here, buffers are exchanged through channels. The
// article's threads poll each other's memory instead, which occupies a processor for each.
func ringReads() Variant {
	v := Variant{
		ID: "uring", What: "many direct reads by io_uring, one counting thread", Parallel: true,
		Published: []lab.Published{{Value: 5.81, Setting: sixCold, Text: "two disks of 3.1 GB/s each"}},
		Settings:  []lab.Setting{sixCold, {State: lab.Cold}},
	}
	if v.Unavailable = ring.Missing(); v.Unavailable == "" {
		v.Count = countRings
	}
	return v
}
