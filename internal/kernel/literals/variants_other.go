//go:build !amd64 && !arm64

package literals

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[Marker] { return nil }
