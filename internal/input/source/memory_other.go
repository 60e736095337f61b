//go:build !linux

package source

// MemoryBytes returns 0: the size of the machine's memory is not asked for here.
func MemoryBytes() int64 { return 0 }
