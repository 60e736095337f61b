package needle

// v11 is the article's eleventh program: the reads of v07 with an AVX2 assembly kernel instead of
// the loop. The article reports 48,602 MB/s warm and 4,529 MB/s cold, 65 times its first program,
// with 93 % of the time in pread.
//
// Kept: everything of v07 but the loop, which is the kernel of v08.
func parallelAVX2() Variant {
	v := Variant{
		ID: "v11", What: "parallel pread, AVX2 assembly", Parallel: true, Cold: true,
		Published: published(48_602, 4_529, at(1, 17_269), at(12, 48_036)),
	}
	if v.Unavailable = noAVX2(); v.Unavailable == "" {
		v.Search = func(path string, workers int) (int64, error) {
			return readShards(path, workers, indexAVX2)
		}
	}
	return v
}
