package relay

import (
	"net"
	"net/netip"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Between two programs of one machine there is no congestion. But BBR, which is the default
// of many, paces also there: it sets a timer for each 64 KiB, and these timers take as much
// processor time as all the rest of a relay. So sockets of the loopback take Reno, which
// every kernel has and every user may choose, before they are connected: once a socket was
// paced it stays so. Other congestion controls, and other sockets, are left alone.

// unpace does so for a listener, whose connections inherit it.
func disablePacing(l net.Listener) {
	t, ok := l.(*net.TCPListener)
	if !ok || !t.Addr().(*net.TCPAddr).IP.IsLoopback() {
		return
	}
	if raw, err := t.SyscallConn(); err == nil {
		disablePacingSocket(raw)
	}
}

// unpaceDial does so for a socket that is about to be connected: the Control of a Dialer.
func disablePacingDial(_, addr string, raw syscall.RawConn) error {
	if a, err := netip.ParseAddrPort(addr); err == nil && a.Addr().Unmap().IsLoopback() {
		disablePacingSocket(raw)
	}
	return nil
}

// unpaceSocket leaves a socket as it is where the kernel says no: that is merely slower.
func disablePacingSocket(raw syscall.RawConn) {
	_ = raw.Control(func(fd uintptr) {
		name, err := unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
		if err == nil && strings.HasPrefix(name, "bbr") {
			_ = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
		}
	})
}
