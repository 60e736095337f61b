//go:build !linux

// Package memory tells how much memory the system can still give to this process and to the page
// cache of what it reads.
package memory

// AvailableBytes returns 0, which means unknown: other systems are not asked.
func AvailableBytes() (int64, error) { return 0, nil }
