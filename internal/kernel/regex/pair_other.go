//go:build !amd64 && !arm64

package regex

import (
	"github.com/thresh-dev/thresh/internal/kernel"
	"github.com/thresh-dev/thresh/internal/machine/cpu"
)

var pairVariants = []kernel.Variant[pairFunc]{{ISA: cpu.Plain, Func: pairPlain}}
