package words

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

func vectorVariants() []kernel.Variant[Func] {
	return []kernel.Variant[Func]{{ISA: cpu.AVX2, Func: walkAVX2}}
}

func walkAVX2(b []byte, inside bool) Walk {
	k, w := begin(inside), Walk{}
	for more := true; more; {
		from := k.at
		stepAVX2(&k, b)
		more = k.rest(b, from, &w)
	}
	return k.done(&w)
}
