//go:build !amd64 && !arm64

package regex

import (
	"github.com/thresh-dev/thresh/internal/cpu"
	"github.com/thresh-dev/thresh/internal/kernel"
)

var pairVariants = []kernel.Variant[pairFunc]{{ISA: cpu.Plain, Func: pairPlain}}
