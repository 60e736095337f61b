//go:build !amd64 && !arm64

package divide

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[dividers] { return nil }
