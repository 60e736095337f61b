package needle

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/thresh-dev/thresh/internal/engine/uring/ring"
)

// Variants returns all variants in the article's order, including those that cannot run on this
// machine or in this binary.
func Variants() []Variant {
	return []Variant{
		// v01 is the article's first program, the obvious one: read the whole file into memory and look at
		// every byte. It is the baseline of all speed-ups: 749 MB/s warm and 491 MB/s cold. The article
		// attributes 72 % of the time to the loop and 28 % to reading, most of that to the memory for 4 GiB.
		//
		// Kept: os.ReadFile, and the loop over bytes.
		{ID: "v01", What: "the whole file in memory, byte loop", Published: published(749, 491), Cold: true,
			Search: searchWholeFile},

		// v02 is the article's second program, what textbooks advise: a buffered reader that is asked for one
		// byte at a time. The article reports 755 MB/s warm, hardly more than v01: what the smaller memory
		// saves goes into a function call for each byte, 77 % of the time.
		//
		// Kept: the buffer of 64 KiB, and ReadByte.
		{ID: "v02", What: "buffered reader, one byte a call", Published: published(755, 0), Search: searchByteReader},

		// v03 is the article's third program. It shows what a bigger buffer and wider loads are worth: read
		// 1 MiB at a time into one reused buffer, and compare eight bytes at a time. The article reports
		// 13,673 MB/s warm and 2,030 MB/s cold, 18 times its first program, and attributes 60 % of the time
		// to the read system call and 40 % to the loop.
		//
		// Kept: the size of the buffer, whole buffers through io.ReadFull, the loop over uint64.
		{ID: "v03", What: "1 MiB chunks, uint64 loop", Published: published(13_673, 2_030), Cold: true,
			Search: searchChunked},

		// v04 is the article's fourth program, to save the copy: map the file and run the loop of v03 over the
		// mapping. The article reports 13,233 MB/s warm, a little less than v03, and attributes that to a
		// million page faults of 4 KiB each.
		//
		// Kept: one shared mapping of the whole file, no advice to the kernel, one goroutine.
		mapping{}.over(Variant{ID: "v04", What: "mmap, uint64 loop", Published: published(13_233, 0), Cold: true},
			alone(firstWord)),

		// v05 is the article's fifth program: v04 with advice to the kernel that the mapping will be read in
		// order and soon. The article reports 13,248 MB/s warm, the same as v04: there is nothing to prefetch,
		// and the faults remain. It recommends the advice for files that are not cached, without a figure.
		//
		// Kept: MADV_SEQUENTIAL, then MADV_WILLNEED, for the whole mapping.
		mapping{advised: true}.over(Variant{ID: "v05", What: "mmap with madvise, uint64 loop",
			Published: published(13_248, 0), Cold: true}, alone(firstWord)),

		// v06 is the article's sixth program: the mapping of v04 divided among goroutines, one for each
		// processor. The article reports 28,806 MB/s warm and 3,304 MB/s cold with 12 goroutines, 38 times
		// its first program. It grows up to 6 workers, then no more, which the article attributes to page
		// faults that contend for the process's memory map.
		//
		// Kept: static shards, the loop over uint64, and an atomic minimum of what the goroutines found; none
		// of them stops early.
		mapping{}.over(Variant{ID: "v06", What: "parallel mmap, uint64 loop", Parallel: true, Cold: true,
			Published: published(28_806, 3_304, at(1, 11_219), at(48, 29_049))}, inShards(firstWord)),

		// v07 is the article's seventh program: it reads into buffers again, but in parallel. Each
		// goroutine opens the file, has a buffer of 1 MiB, and reads its own part of the file. The article
		// reports 45,441 MB/s warm and 4,562 MB/s cold with 12 goroutines, 61 times its first program,
		// and finds that more goroutines than processors are still faster.
		//
		// Kept: a descriptor and a buffer for each goroutine, fixed parts, the loop over uint64; a
		// goroutine that finds something does not stop the others.
		reads(Variant{ID: "v07", What: "parallel pread, uint64 loop", Cold: true,
			Published: published(45_441, 4_562, at(1, 12_274), at(24, 41_428))}, firstWord),

		// v08 is the article's eighth program: v04 with an AVX2 kernel in assembly instead of the loop. The
		// article reports 14,566 MB/s warm, 10 % more than v04: one processor's loop of words already
		// reaches most of the memory bandwidth.
		//
		// Kept: the mapping of v04; the kernel tests 128 bytes per iteration with four loads, a tree of ORs
		// and one VPTEST. v09, v10 and v11 share it.
		mapping{}.over(Variant{ID: "v08", What: "mmap, AVX2 assembly", Published: published(14_566, 0),
			Unavailable: noAVX2()}, alone(indexAVX2)),

		// v09 is the article's ninth program: v06 with the AVX2 kernel of v08. The article reports 29,723 MB/s
		// warm, not more than v06 beyond noise, and calls that the most informative result: a faster loop
		// changes nothing where the processors wait for page faults.
		//
		// Kept: everything of v06 but the loop.
		mapping{}.over(Variant{ID: "v09", What: "parallel mmap, AVX2 assembly", Parallel: true, Unavailable: noAVX2(),
			Published: published(29_723, 0, at(1, 15_266), at(96, 28_679))}, inShards(indexAVX2)),

		// v10 is the article's tenth program: v09 with MAP_POPULATE, by which the kernel maps all pages before
		// mmap returns. The article reports 18,318 MB/s warm, less than v09: the pages are mapped by one
		// thread while the other processors wait.
		//
		// Kept: everything of v09, and the flag.
		mapping{populated: true}.over(Variant{ID: "v10", What: "parallel mmap with MAP_POPULATE, AVX2 assembly",
			Parallel: true, Published: published(18_318, 0), Unavailable: noAVX2()}, inShards(indexAVX2)),

		// v11 is the article's eleventh program: the reads of v07 with an AVX2 assembly kernel instead of
		// the loop. The article reports 48,602 MB/s warm and 4,529 MB/s cold, 65 times its first program,
		// with 93 % of the time in pread.
		//
		// Kept: everything of v07 but the loop, which is the kernel of v08.
		reads(Variant{ID: "v11", What: "parallel pread, AVX2 assembly", Cold: true, Unavailable: noAVX2(),
			Published: published(48_602, 4_529, at(1, 17_269), at(12, 48_036))}, indexAVX2),

		// v12 is the article's twelfth program: v08 with an AVX-512 kernel in pure Go, by the experimental
		// package simd/archsimd of Go 1.26. The article reports 15,629 MB/s warm, 7 % more than v08, and shows
		// that pure Go equals assembly.
		//
		// Kept: the mapping of v04; the kernel compares two vectors of 64 bytes with zero per iteration, tests
		// the two masks, and searches the rest byte by byte. What runs is the assembly that the compiler makes of
		// that kernel (make generate), without the call's inlining.
		mapping{}.over(Variant{ID: "v12", What: "mmap, AVX-512 by archsimd", Published: published(15_629, 0),
			Unavailable: noAVX512()}, alone(indexAVX512)),

		// v13 is the article's last and fastest program: the reads of v07 with an AVX-512 kernel
		// in pure Go with simd/archsimd. The article reports 49,251 MB/s warm and 5,045 MB/s cold, 66
		// times its first program, which does not differ from v11 beyond noise.
		//
		// Kept: everything of v07 but the loop, which is the kernel of v12.
		reads(Variant{ID: "v13", What: "parallel pread, AVX-512 by archsimd", Cold: true, Unavailable: noAVX512(),
			Published: published(49_251, 5_045, at(1, 17_446), at(8, 47_750))}, indexAVX512),

		// v14 is what the article names as the next step for files that are not cached, without figures: reads
		// with O_DIRECT, past the page cache into aligned buffers, many of them in flight through io_uring
		// without a system call for each.
		//
		// Ours: the fixed parts of v07, a ring and 32 blocks of 512 KiB for each goroutine, and the kernel of
		// v08, where the processor has it, otherwise the loop over words.
		available(Variant{ID: "v14", What: "O_DIRECT through io_uring", Parallel: true, Cold: true,
			Unavailable: ring.Missing(), Search: searchDirect}),
	}
}

// available takes the search from a variant that cannot run here.
func available(v Variant) Variant {
	if v.Unavailable != "" {
		v.Search = nil
	}
	return v
}

// reads completes a variant that reads in parallel, and searches with that kernel.
func reads(v Variant, index func([]byte) int) Variant {
	v.Parallel = true
	v.Search = func(path string, workers int) (int64, error) { return readShards(path, workers, index) }
	return available(v)
}

func searchWholeFile(path string, _ int) (int64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return -1, err
	}
	for i, b := range data {
		if b != 0 {
			return int64(i) &^ (wordBytes - 1), nil
		}
	}
	return -1, nil
}

func searchByteReader(path string, _ int) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return -1, err
	}
	defer f.Close() // nothing was written
	r := bufio.NewReaderSize(f, 1<<16)
	for off := int64(0); ; off++ {
		b, err := r.ReadByte()
		if err == io.EOF {
			return -1, nil
		}
		if err != nil {
			return -1, fmt.Errorf("read %s at %d: %w", path, off, err)
		}
		if b != 0 {
			return off &^ (wordBytes - 1), nil
		}
	}
}

func searchChunked(path string, _ int) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return -1, err
	}
	defer f.Close() // nothing was written
	buf := newBuffer()
	for off := int64(0); ; {
		n, err := io.ReadFull(f, buf)
		if i := firstWord(buf[:n]); i >= 0 {
			return off + int64(i), nil
		}
		off += int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return -1, nil
		}
		if err != nil {
			return -1, fmt.Errorf("read %s at %d: %w", path, off, err)
		}
	}
}
