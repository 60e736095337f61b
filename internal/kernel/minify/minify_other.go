//go:build !amd64 && !arm64

package minify

import "github.com/thresh-dev/thresh/internal/kernel"

func vectorVariants() []kernel.Variant[Kernel] { return nil }

// CopyNonTemporal copies src to dst like copy.
func CopyNonTemporal(dst, src []byte) int { return copy(dst, src) }
