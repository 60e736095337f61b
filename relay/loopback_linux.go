package relay

import (
	"net"
	"net/netip"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// There is no congestion between two programs of one machine. But BBR, a common default, paces
// loopback connections too: it sets a timer for every 64 KiB, and these timers take as much
// processor time as the rest of a relay. So loopback sockets get Reno, which every kernel has and
// every user may choose. That has to happen before they are connected, because a socket that was
// paced once stays paced. Other congestion controls and other sockets are left alone.

// disablePacing does so for a listener, whose connections inherit the setting.
func disablePacing(l net.Listener) {
	t, ok := l.(*net.TCPListener)
	if !ok || !t.Addr().(*net.TCPAddr).IP.IsLoopback() {
		return
	}
	if raw, err := t.SyscallConn(); err == nil {
		disablePacingSocket(raw)
	}
}

// disablePacingDial does so for a socket before it is connected. It is the Control of a net.Dialer.
func disablePacingDial(_, addr string, raw syscall.RawConn) error {
	if a, err := netip.ParseAddrPort(addr); err == nil && a.Addr().Unmap().IsLoopback() {
		disablePacingSocket(raw)
	}
	return nil
}

// disablePacingSocket ignores a refusal by the kernel: the socket is just slower.
func disablePacingSocket(raw syscall.RawConn) {
	_ = raw.Control(func(fd uintptr) {
		name, err := unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
		if err == nil && strings.HasPrefix(name, "bbr") {
			_ = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
		}
	})
}
