package needle

// v13 is the article's last and fastest program: the reads of v07 with an AVX-512 kernel
// in pure Go with simd/archsimd. The article reports 49,251 MB/s warm and 5,045 MB/s cold, 66
// times its first program, which does not differ from v11 beyond noise.
//
// Kept: everything of v07 but the loop, which is the kernel of v12.
func parallelAVX512() Variant {
	v := Variant{
		ID: "v13", What: "parallel pread, AVX-512 by archsimd", Parallel: true, Cold: true,
		Published: published(49_251, 5_045, at(1, 17_446), at(8, 47_750)),
	}
	if v.Unavailable = noAVX512(); v.Unavailable == "" {
		v.Search = func(path string, workers int) (int64, error) {
			return readShards(path, workers, indexAVX512)
		}
	}
	return v
}
