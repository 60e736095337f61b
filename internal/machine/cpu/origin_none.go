//go:build !amd64 && !arm64

package cpu

// Only the plain twins are built for this processor.
const vectorOrigin = "none"
