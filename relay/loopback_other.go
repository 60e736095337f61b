//go:build !linux

package relay

import (
	"net"
	"syscall"
)

// disablePacing does nothing: only Linux paces loopback connections.
func disablePacing(net.Listener) {}

func disablePacingDial(_, _ string, _ syscall.RawConn) error { return nil }
