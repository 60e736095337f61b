//go:build !linux

package readahead

import "os"

// Begin does nothing: only Linux has what it needs.
func Begin(f *os.File, size int64) (began bool) { return false }
