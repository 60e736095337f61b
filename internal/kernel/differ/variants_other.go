//go:build !amd64 && !arm64

package differ

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[pair] { return nil }
