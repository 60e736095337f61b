//go:build !linux

package pacing

import (
	"net"
	"syscall"
)

// DisableListener does nothing: only Linux paces loopback connections.
func DisableListener(net.Listener) {}

// DisableDial does nothing, and returns nil.
func DisableDial(_, _ string, _ syscall.RawConn) error { return nil }
