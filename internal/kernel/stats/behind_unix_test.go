//go:build unix

package stats

import "unsafe"

// behind returns b and the guard page behind it, which faults.
func behind(b []byte) []byte {
	const least = 4096
	return unsafe.Slice(unsafe.SliceData(b), len(b)+least)
}
