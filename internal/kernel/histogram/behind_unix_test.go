//go:build unix

package histogram

import "unsafe"

// behind returns b with the guard page after it, which faults.
func behind(b []byte) []byte {
	const least = 4096
	return unsafe.Slice(unsafe.SliceData(b), len(b)+least)
}
