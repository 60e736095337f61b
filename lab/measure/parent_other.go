//go:build unix && !linux

package measure

import "syscall"

// endWithParent does nothing: this system has no signal for it.
func endWithParent(*syscall.SysProcAttr) {}
