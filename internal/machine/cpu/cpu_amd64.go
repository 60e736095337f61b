package cpu

import "golang.org/x/sys/cpu"

// offered reports whether the processor and the operating system support an instruction set.
func offered(i ISA) bool {
	x := &cpu.X86
	avx512 := x.HasAVX512F && x.HasAVX512CD && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL
	switch i {
	case AVX2: // and what every processor with AVX2 has, which the kernels use as well
		return x.HasAVX && x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasPCLMULQDQ && x.HasPOPCNT
	case AVX512:
		return avx512 && offered(AVX2)
	case AVX512VBMI2:
		return avx512 && x.HasAVX512VBMI2 && offered(AVX2)
	}
	return false
}

// AES reports whether kernels for AVX2 or AVX-512 may also use AES rounds on vectors: every
// processor with those has it, but some virtual machines hide it.
func AES() bool { return cpu.X86.HasAVX && cpu.X86.HasAES }
