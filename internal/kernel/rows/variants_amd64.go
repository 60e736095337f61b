package rows

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/kernel/fields"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{{ISA: cpu.AVX2, Func: walkAVX2}}
}

func walkAVX2(b []byte, d fields.Dialect, s fields.State) Walk {
	var k stride
	k.set(s)
	for stepAVX2(&k, b, d) {
		k.odd()
	}
	return k.end(b, d)
}
