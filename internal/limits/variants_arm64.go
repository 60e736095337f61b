package limits

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

var scans = []kernel.Variant[func([]byte) uint64]{{ISA: cpu.NEON, Func: scanNEON}, plainScan}
