package tens

import "github.com/thresh-dev/thresh/lab"

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
	if v.Unavailable = noRing(); v.Unavailable == "" {
		v.Count = countRings
	}
	return v
}
