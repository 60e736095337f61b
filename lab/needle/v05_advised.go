package needle

// v05 is the article's fifth program: v04 with advice to the kernel that the mapping will be read in
// order and soon. The article reports 13,248 MB/s warm, the same as v04: there is nothing to prefetch,
// and the faults remain. It recommends the advice for files that are not cached, without a figure.
//
// Kept: MADV_SEQUENTIAL, then MADV_WILLNEED, for the whole mapping.
func advised() Variant {
	v := Variant{ID: "v05", What: "mmap with madvise, uint64 loop", Published: published(13_248, 0), Cold: true}
	return mapping{advised: true}.over(v, alone(firstWord))
}
