//go:build !linux

package relay

import (
	"net"
	"syscall"
)

// unpace does nothing: only Linux paces the loopback.
func unpace(net.Listener) {}

func unpaceDial(_, _ string, _ syscall.RawConn) error { return nil }
