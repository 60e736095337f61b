package group

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// vectorVariants has the same forms twice, as a key fills no wider vector. They need AES,
// which comes with AVX2 everywhere but in some virtual machines.
func vectorVariants() []kernel.Variant[forms] {
	if !cpu.AES() {
		return nil
	}
	aes := forms{sendAES, compareAES}
	return []kernel.Variant[forms]{{ISA: cpu.AVX512, Func: aes}, {ISA: cpu.AVX2, Func: aes}}
}

// entryHead covers of 32 bytes those of the key and its length.
var entryHead = [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), 0}
