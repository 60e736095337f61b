//go:build !amd64 && !arm64

package cpu

// offered reports false: there are only the plain twins.
func offered(ISA) bool { return false }
