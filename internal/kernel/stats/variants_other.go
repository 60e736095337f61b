//go:build !amd64 && !arm64

package stats

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[adder] { return nil }
