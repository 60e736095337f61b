package group

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// vectorVariants lists the same functions for both instruction sets, as a key does not fill a
// wider vector. They need AES, which every processor with AVX2 has, but not every virtual machine.
func vectorVariants() []kernel.Variant[kernels] {
	if !cpu.AES() {
		return nil
	}
	aes := kernels{sendAES, compareAES}
	return []kernel.Variant[kernels]{{ISA: cpu.AVX512, Func: aes}, {ISA: cpu.AVX2, Func: aes}}
}

// entryHead masks the key and its length, out of 32 bytes of an entry.
var entryHead = [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), 0}
