package serve

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// cork makes the kernel send only full segments to the client, until it is called with false: then it
// sends the rest. Otherwise each header between two bodies would be a packet of its own, and wake the
// client up for it. What was written is sent after 200 ms at the latest.
func (w *reply) cork(on bool) {
	c, ok := w.x.client.conn.NetConn().(syscall.Conn)
	if !ok {
		return
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	value := 0
	if on {
		value = 1
	}
	// An error means that the connection is closed, or is not of TCP.
	_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_CORK, value) })
}
