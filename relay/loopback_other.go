//go:build !linux

package relay

import (
	"net"
	"syscall"
)

// unpace does nothing: only Linux paces the loopback.
func disablePacing(net.Listener) {}

func disablePacingDial(_, _ string, _ syscall.RawConn) error { return nil }
