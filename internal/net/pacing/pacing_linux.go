package pacing

import (
	"net"
	"net/netip"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// DisableListener disables pacing for the connections of a listener, which inherit the setting, if its
// address is a loopback one.
func DisableListener(l net.Listener) {
	t, ok := l.(*net.TCPListener)
	if !ok || !t.Addr().(*net.TCPAddr).IP.IsLoopback() {
		return
	}
	if raw, err := t.SyscallConn(); err == nil {
		disable(raw)
	}
}

// DisableDial disables pacing for a socket that is not connected yet, if addr is a loopback address. It
// is the Control of a net.Dialer, and its error is always nil.
func DisableDial(_, addr string, raw syscall.RawConn) error {
	if a, err := netip.ParseAddrPort(addr); err == nil && a.Addr().Unmap().IsLoopback() {
		disable(raw)
	}
	return nil
}

// disable ignores a refusal by the kernel: the socket is just slower.
func disable(raw syscall.RawConn) {
	_ = raw.Control(func(fd uintptr) {
		name, err := unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
		if err == nil && strings.HasPrefix(name, "bbr") {
			_ = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
		}
	})
}
