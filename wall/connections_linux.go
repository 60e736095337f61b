package wall

import (
	"encoding/binary"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// connections knows what the kernel says about the TCP sockets of this network namespace. It asks with
// sock_diag, which needs no rights. The kernel lists all sockets, so it is not asked often.
type connections struct {
	list  map[uint64]connection // by inode
	asked time.Time
	took  time.Duration
}

// The list of sockets is asked for once in connectionsAge, or in connectionsCost times as long as that takes.
const (
	connectionsAge  = 250 * time.Millisecond
	connectionsCost = 200
)

// connection is a TCP socket.
type connection struct {
	local, peer netip.AddrPort
	state       byte
	// Since the connection began: with data on the way or to send, and in that, stopped by the window of
	// the reader.
	busy, readerLimited time.Duration
}

// States of TCP, as in the kernel's tcp_states.h.
const (
	tcpConnecting = 2
	tcpListening  = 10
)

// waitedFor says for what the socket with this inode is waited, as words for "waited for". It returns ""
// if the socket is not known.
func (c *connections) waitedFor(inode uint64, writes bool, now time.Time) string {
	if now.Sub(c.asked) >= max(connectionsAge, connectionsCost*c.took) {
		c.asked = now
		began := threadTime()
		c.list = listConnections()
		c.took = threadTime() - began
	}
	one, known := c.list[inode]
	if !known {
		return ""
	}
	return one.waitedFor(writes)
}

func (c connection) waitedFor(writes bool) string {
	switch {
	case c.state == tcpListening:
		return "a connection to " + c.local.String()
	case c.state == tcpConnecting:
		return c.peer.String() + " to answer"
	case !writes:
		return c.peer.String() + " to send"
	case c.readerLimited > 0 && c.readerLimited >= c.busy/2:
		return c.peer.String() + " to read"
	}
	return "the way to " + c.peer.String()
}

// The sizes and places of the kernel's inet_diag.h: a request and an answer without their headers, and
// the attribute that holds tcp_info.
const (
	diagRequestBytes = 56
	diagAnswerBytes  = 72
	diagInfo         = 2
	diagLocal        = 4 // ports of both ends, in network order, and then their addresses of 16 bytes each
	diagInode        = 68
	infoBusy         = 168 // microseconds in 8 bytes
	infoReader       = 176
	infoBytes        = 184
)

// listConnections asks for all TCP sockets. Without an answer it knows none: the verdict is the same then.
func listConnections() map[uint64]connection {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	all := map[uint64]connection{}
	buf := make([]byte, 64<<10)
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		if !askConnections(fd, family) {
			continue
		}
		for more := true; more; {
			n, _, err := unix.Recvfrom(fd, buf, 0)
			if err != nil {
				return all
			}
			more = appendConnections(all, buf[:n])
		}
	}
	return all
}

func askConnections(fd int, family byte) bool {
	request := make([]byte, unix.SizeofNlMsghdr+diagRequestBytes)
	binary.NativeEndian.PutUint32(request, uint32(len(request)))
	binary.NativeEndian.PutUint16(request[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(request[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	body := request[unix.SizeofNlMsghdr:]
	body[0], body[1], body[2] = family, unix.IPPROTO_TCP, 1<<(diagInfo-1)
	binary.NativeEndian.PutUint32(body[4:], 1<<12-1) // all states
	return unix.Sendto(fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) == nil
}

// appendConnections reads a part of an answer. It reports whether more follows.
func appendConnections(all map[uint64]connection, text []byte) (more bool) {
	for len(text) >= unix.SizeofNlMsghdr {
		length := int(binary.NativeEndian.Uint32(text))
		kind := binary.NativeEndian.Uint16(text[4:])
		if kind != unix.SOCK_DIAG_BY_FAMILY || length < unix.SizeofNlMsghdr+diagAnswerBytes || length > len(text) {
			return false // the end of the list, or an error
		}
		body := text[unix.SizeofNlMsghdr:length]
		if inode := binary.NativeEndian.Uint32(body[diagInode:]); inode != 0 {
			all[uint64(inode)] = parseConnection(body)
		}
		text = text[min((length+3)&^3, len(text)):]
	}
	return true
}

func parseConnection(body []byte) connection {
	c := connection{state: body[1]}
	end := func(port, address []byte) netip.AddrPort {
		ip := netip.AddrFrom4([4]byte(address))
		if body[0] == unix.AF_INET6 {
			ip = netip.AddrFrom16([16]byte(address)).Unmap()
		}
		return netip.AddrPortFrom(ip, binary.BigEndian.Uint16(port))
	}
	c.local = end(body[diagLocal:], body[diagLocal+4:])
	c.peer = end(body[diagLocal+2:], body[diagLocal+20:])
	for rest := body[diagAnswerBytes:]; len(rest) >= unix.SizeofRtAttr; {
		length := int(binary.NativeEndian.Uint16(rest))
		if length < unix.SizeofRtAttr || length > len(rest) {
			break
		}
		info := rest[unix.SizeofRtAttr:length]
		if binary.NativeEndian.Uint16(rest[2:]) == diagInfo && len(info) >= infoBytes {
			c.busy = time.Duration(binary.NativeEndian.Uint64(info[infoBusy:])) * time.Microsecond
			c.readerLimited = time.Duration(binary.NativeEndian.Uint64(info[infoReader:])) * time.Microsecond
		}
		rest = rest[min((length+3)&^3, len(rest)):]
	}
	return c
}
