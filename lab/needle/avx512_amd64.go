package needle

import "github.com/thresh-dev/thresh/internal/machine/cpu"

func noAVX512() string {
	if !cpu.Has(cpu.AVX512) {
		return "this processor has no AVX-512"
	}
	return ""
}
