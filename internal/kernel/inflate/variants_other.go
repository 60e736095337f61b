//go:build !amd64

package inflate

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[loops] { return nil }
