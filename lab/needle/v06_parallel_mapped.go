package needle

// v06 is the article's sixth program: the mapping of v04 divided among goroutines, one for each
// processor. The article reports 28,806 MB/s warm and 3,304 MB/s cold with 12 goroutines, 38 times
// its first program. It grows up to 6 workers, then no more, which the article attributes to page
// faults that contend for the process's memory map.
//
// Kept: static shards, the loop over uint64, and an atomic minimum of what the goroutines found; none
// of them stops early.
func parallelMapped() Variant {
	v := Variant{
		ID: "v06", What: "parallel mmap, uint64 loop", Parallel: true, Cold: true,
		Published: published(28_806, 3_304, at(1, 11_219), at(48, 29_049)),
	}
	return mapping{}.over(v, inShards(firstWord))
}
