package tens

import (
	"sync"

	"github.com/thresh-dev/thresh/lab"
)

// loop is the article's first program: map the file and compare one integer after the other. The
// article reports 0.61 GB/s cold and 3.71 GB/s warm, and attributes the latter to code that is not
// vectorised.
//
// Kept: one shared mapping of the whole file, no advice to the kernel, one thread; a file that
// shrinks meanwhile kills the program. The experiment has it as two rows: loop-cold and loop-warm.
func loop() Variant {
	v := Variant{ID: "loop", What: "mmap, simple loop", Published: []lab.Published{
		{Value: 0.61, Setting: lab.Setting{State: lab.Cold}}, {Value: 3.71, Setting: lab.Setting{State: lab.Warm}},
	}}
	return mappedVariant(v, func(b []byte, _ int) int64 { return countLoop(b) })
}

func countLoop(b []byte) (n int64) {
	for _, v := range values(b) {
		if v == ten {
			n++
		}
	}
	return n
}

// unrolled is the article's second program: sixteen integers per iteration, a counter for each, and
// no branch, so that the article's compiler can use 128-bit vectors. The article reports 5.51 GB/s
// warm.
//
// Kept: the mapping, the sixteen counters, and their sum in pairs. Go's compiler does not vectorise
// it; c-unrolled is vectorised. It can run on several threads, each with its share of the file; with
// one it is the article's program.
func unrolled() Variant {
	v := Variant{
		ID: "unrolled", What: "mmap, 16 counters", Parallel: true, Settings: oneWarm(),
		Published: []lab.Published{{Value: 5.51, Setting: lab.Setting{State: lab.Warm, Workers: 1}}},
	}
	return mappedVariant(v, countMapped)
}

func countMapped(b []byte, workers int) (n int64) {
	counts := make([]int64, workers)
	var wg sync.WaitGroup
	for w, s := range shares(int64(len(b)), workers) {
		wg.Go(func() { counts[w] = countUnrolled(b[s.off:s.end]) })
	}
	wg.Wait()
	for _, c := range counts {
		n += c
	}
	return n
}

func countUnrolled(b []byte) int64 {
	var c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15 int64
	all := values(b)
	for ; len(all) >= 16; all = all[16:] {
		p := (*[16]int32)(all)
		c0 += isTen(p[0])
		c1 += isTen(p[1])
		c2 += isTen(p[2])
		c3 += isTen(p[3])
		c4 += isTen(p[4])
		c5 += isTen(p[5])
		c6 += isTen(p[6])
		c7 += isTen(p[7])
		c8 += isTen(p[8])
		c9 += isTen(p[9])
		c10 += isTen(p[10])
		c11 += isTen(p[11])
		c12 += isTen(p[12])
		c13 += isTen(p[13])
		c14 += isTen(p[14])
		c15 += isTen(p[15])
	}
	for _, v := range all { // never in the article's files: a rest of fewer than sixteen
		c0 += isTen(v)
	}
	s0, s1, s2, s3 := c0+c1, c2+c3, c4+c5, c6+c7
	s4, s5, s6, s7 := c8+c9, c10+c11, c12+c13, c14+c15
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}

// isTen returns 1 for a ten and 0 otherwise. The compiler generates no branch for it.
func isTen(v int32) int64 {
	var is int64
	if v == ten {
		is = 1
	}
	return is
}
