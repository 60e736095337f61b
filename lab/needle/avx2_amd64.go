package needle

import "golang.org/x/sys/cpu"

// indexAVX2 returns the index of a nonzero byte in the first nonzero 8-byte word of b, or -1 if
// there is none. Words are counted from the start of b; the bytes after the last whole word count
// as a word.
//
//go:noescape
func indexAVX2(b []byte) int

func noAVX2() string {
	if !cpu.X86.HasAVX2 {
		return "this processor has no AVX2"
	}
	return ""
}
