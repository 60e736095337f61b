package needle

// v08 is the article's eighth program: v04 with an AVX2 kernel in assembly instead of the loop. The
// article reports 14,566 MB/s warm, 10 % more than v04: one processor's loop of words already
// reaches most of the memory bandwidth.
//
// Kept: the mapping of v04; the kernel tests 128 bytes per iteration with four loads, a tree of ORs
// and one VPTEST. v09, v10 and v11 share it.
func mappedAVX2() Variant {
	v := Variant{ID: "v08", What: "mmap, AVX2 assembly", Published: published(14_566, 0), Unavailable: noAVX2()}
	return mapping{}.over(v, alone(indexAVX2))
}
