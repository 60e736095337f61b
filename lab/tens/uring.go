package tens

// ringReads is the article's third program, its point: workers that do nothing but keep
// many direct reads in flight, each by an io_uring of its own, and one thread that counts in
// the buffers as they fill, in whatever order. The article gives it 5.81 GB/s from two
// disks rated at 3.1 GB/s each, with 6 workers.
//
// Kept: blocks of 16 KiB, 8192 of them in all workers' rings together, one buffer for
// each, one counting thread with sixteen counters. Buffers go to and fro through channels
// here; the article's threads look at each other's memory without pause, which takes a
// processor for each.
func ringReads() Variant {
	v := Variant{ID: "uring", What: "many direct reads by io_uring, one counting thread", Parallel: true}
	if v.Unavailable = noRing(); v.Unavailable == "" {
		v.Count = countRings
	}
	return v
}
