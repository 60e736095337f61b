package needle

// v14 is what the article names as the next step for files that are not cached, without figures: reads
// with O_DIRECT, past the page cache into aligned buffers, many of them in flight through io_uring
// without a system call for each.
//
// Ours: the fixed parts of v07, a ring and 32 blocks of 512 KiB for each goroutine, and the kernel of
// v08, where the processor has it, otherwise the loop over words.
func directReads() Variant {
	v := Variant{ID: "v14", What: "O_DIRECT through io_uring", Parallel: true, Cold: true}
	if v.Unavailable = noRing(); v.Unavailable == "" {
		v.Search = searchDirect
	}
	return v
}
