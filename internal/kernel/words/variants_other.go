//go:build !amd64 && !arm64

package words

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[Func] { return nil }
