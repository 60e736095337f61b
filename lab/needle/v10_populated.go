package needle

// v10 is the article's tenth program: v09 with MAP_POPULATE, by which the kernel maps all pages before
// mmap returns. The article reports 18,318 MB/s warm, less than v09: the pages are mapped by one
// thread while the other processors wait.
//
// Kept: everything of v09, and the flag.
func populated() Variant {
	v := Variant{
		ID: "v10", What: "parallel mmap with MAP_POPULATE, AVX2 assembly", Parallel: true,
		Published: published(18_318, 0), Unavailable: noAVX2(),
	}
	return mapping{populated: true}.over(v, inShards(indexAVX2))
}
