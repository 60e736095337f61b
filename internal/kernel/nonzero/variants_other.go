//go:build !arm64 && !(goexperiment.simd && amd64)

package nonzero

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[Func] { return nil }
