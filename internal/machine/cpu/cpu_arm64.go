package cpu

import "golang.org/x/sys/cpu"

// offered reports whether this binary contains kernels of the instruction set and the processor
// supports them. Every arm64 processor that Go supports has NEON.
func offered(i ISA) bool { return i == NEON || i == SVE && cpu.ARM64.HasSVE }
