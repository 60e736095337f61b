package limits

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

var scans = []kernel.Variant[func([]byte) uint64]{{ISA: cpu.AVX2, Func: scanAVX2}, plainScan}
