//go:build !amd64 && !arm64

package minify

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[Kernel] { return nil }
