package needle

// v12 is the article's twelfth program: v08 with an AVX-512 kernel in pure Go, by the experimental
// package simd/archsimd of Go 1.26. The article reports 15,629 MB/s warm, 7 % more than v08, and shows
// that pure Go equals assembly.
//
// Kept: the mapping of v04; the kernel compares two vectors of 64 bytes with zero per iteration, tests
// the two masks, and searches the rest byte by byte. A build without GOEXPERIMENT=simd has that kernel
// as assembly that the compiler made of it; the experiment runs v12 and v13 with archsimd only.
func mappedAVX512() Variant {
	v := Variant{
		ID: "v12", What: "mmap, AVX-512 by archsimd", Published: published(15_629, 0), Unavailable: noAVX512(),
	}
	return mapping{}.over(v, alone(indexAVX512))
}
