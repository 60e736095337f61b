package needle

// v07 is the article's seventh program: it reads into buffers again, but in parallel. Each
// goroutine opens the file, has a buffer of 1 MiB, and reads its own part of the file. The article
// reports 45,441 MB/s warm and 4,562 MB/s cold with 12 goroutines, 61 times its first program,
// and finds that more goroutines than processors are still faster.
//
// Kept: a descriptor and a buffer for each goroutine, fixed parts, the loop over uint64; a
// goroutine that finds something does not stop the others.
func parallelReads() Variant {
	return Variant{
		ID: "v07", What: "parallel pread, uint64 loop", Parallel: true, Cold: true,
		Published: published(45_441, 4_562, at(1, 12_274), at(24, 41_428)),
		Search: func(path string, workers int) (int64, error) {
			return readShards(path, workers, firstWord)
		},
	}
}
