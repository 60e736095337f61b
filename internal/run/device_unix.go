//go:build unix

package run

import (
	"os"
	"syscall"
)

// sameDevice reports whether two files are nodes of the same block device.
func sameDevice(a, b os.FileInfo) bool {
	const kinds = os.ModeDevice | os.ModeCharDevice
	first, ok := a.Sys().(*syscall.Stat_t)
	second, ok2 := b.Sys().(*syscall.Stat_t)
	return ok && ok2 && a.Mode()&kinds == os.ModeDevice && b.Mode()&kinds == os.ModeDevice && first.Rdev == second.Rdev
}
