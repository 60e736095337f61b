//go:build !amd64 && !arm64

package limits

import "github.com/thresh-dev/thresh/internal/kernel"

var scans = []kernel.Variant[func([]byte) uint64]{plainScan}
