//go:build !amd64 && !arm64

package compare

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[searcher] { return nil }

func vectorCounters() []kernel.Variant[counter] { return nil }
