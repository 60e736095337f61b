//go:build !amd64 && !arm64

package pattern

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[Func] { return nil }

func vectorCounters() []kernel.Variant[Counter] { return nil }

func vectorCleaners() []kernel.Variant[Cleaner] { return nil }
