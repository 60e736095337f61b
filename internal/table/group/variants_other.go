//go:build !amd64 && !arm64

package group

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[kernels] { return nil }
