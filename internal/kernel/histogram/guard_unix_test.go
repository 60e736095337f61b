//go:build unix

package histogram

import "unsafe"

// guardAfter returns b with the guard page after it, which faults.
func guardAfter(b []byte) []byte {
	const least = 4096
	return unsafe.Slice(unsafe.SliceData(b), len(b)+least)
}
