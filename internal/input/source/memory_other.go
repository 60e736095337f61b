//go:build !linux

package source

// MemoryBytes returns 0: on this system the size of the memory is not queried.
func MemoryBytes() int64 { return 0 }
