package cpu

import "golang.org/x/sys/cpu"

// AES reports whether rounds of AES may be run on vectors, as kernels of AVX2 or AVX-512 may do
// besides: both come with it everywhere but in some virtual machines.
func AES() bool { return cpu.X86.HasAVX && cpu.X86.HasAES }
