package needle

// v09 is the article's ninth program: v06 with the AVX2 kernel of v08. The article reports 29,723 MB/s
// warm, not more than v06 beyond noise, and calls that the most informative result: a faster loop
// changes nothing where the processors wait for page faults.
//
// Kept: everything of v06 but the loop.
func parallelMappedAVX2() Variant {
	v := Variant{
		ID: "v09", What: "parallel mmap, AVX2 assembly", Parallel: true, Unavailable: noAVX2(),
		Published: published(29_723, 0, at(1, 15_266), at(96, 28_679)),
	}
	return mapping{}.over(v, inShards(indexAVX2))
}
