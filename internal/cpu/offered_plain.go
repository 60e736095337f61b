//go:build !(goexperiment.simd && (amd64 || arm64))

package cpu

import "runtime"

// offered is true for NEON alone, which a kernel in assembly uses: otherwise a binary built
// without the SIMD experiment holds only the plain twins.
func offered(i ISA) bool { return i == NEON && runtime.GOARCH == "arm64" }
