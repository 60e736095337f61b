//go:build linux && !amd64

package wall

// oldCalls are system calls that this processor's port of Linux does without.
var oldCalls map[int64]int64
