package needle

import "golang.org/x/sys/cpu"

// indexAVX2 returns the index of a byte that is not zero in the first 8-byte word of b,
// counted from its start, that has one, and -1 when there is none. The bytes behind the
// last whole word count as a word.
//
//go:noescape
func indexAVX2(b []byte) int

func noAVX2() string {
	if !cpu.X86.HasAVX2 {
		return "this processor has no AVX2"
	}
	return ""
}
