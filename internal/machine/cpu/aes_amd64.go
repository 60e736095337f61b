package cpu

import "golang.org/x/sys/cpu"

// AES reports whether kernels for AVX2 or AVX-512 may also use AES rounds on vectors: every
// processor with those has it, but some virtual machines hide it.
func AES() bool { return cpu.X86.HasAVX && cpu.X86.HasAES }
