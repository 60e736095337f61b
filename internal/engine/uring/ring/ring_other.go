//go:build !linux

package ring

// Missing returns why this process cannot use rings.
func Missing() string { return "io_uring needs Linux" }
