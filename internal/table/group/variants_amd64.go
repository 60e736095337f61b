package group

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

// The functions need AES, which every processor with AVX2 has, but not every virtual machine. A key
// does not fill a wider vector.
func vectorVariants() []kernel.Variant[kernels] {
	if !cpu.AES() {
		return nil
	}
	return []kernel.Variant[kernels]{{ISA: cpu.AVX2, Func: kernels{sendAES, compareAES}}}
}

// entryHead masks the key and its length, out of 32 bytes of an entry.
var entryHead = [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), 0}
