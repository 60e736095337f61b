//go:build !(goexperiment.simd && (amd64 || arm64))

package cpu

// offered is false for all: a binary built without the SIMD experiment holds only the
// plain twins.
func offered(ISA) bool { return false }
