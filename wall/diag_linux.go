package wall

import (
	"encoding/binary"
	"math"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/machine/proc"
)

// The sizes and places of the kernel's inet_diag.h: a request and an answer without their headers, and
// the attribute that holds tcp_info.
const (
	diagRequestBytes = 56
	diagRequestID    = 8
	diagAnswerBytes  = 72
	diagInfo         = 2
	diagID           = 4
	diagUnread       = 56
	diagUnsent       = 60
	diagInode        = 68
	infoBusy         = 168 // microseconds in 8 bytes
	infoReader       = 176
	infoBytes        = 184
)

// socketID is the kernel's inet_diag_sockid: the ports of both ends in network order, their addresses of 16 bytes
// each, the interface, and a cookie that no other socket has.
type socketID [48]byte

// otherEnd returns how the other end would be known here, with the cookie that stands for any.
func (id socketID) otherEnd() (other socketID) {
	copy(other[0:2], id[2:4])
	copy(other[2:4], id[0:2])
	copy(other[4:20], id[20:36])
	copy(other[20:36], id[4:20])
	copy(other[36:40], id[36:40])
	for i := 40; i < len(other); i++ {
		other[i] = 0xff
	}
	return other
}

// diag asks the kernel about single sockets. A nil one knows none.
type diag struct {
	fd    int
	asked uint32 // how often; answers have the number of their question
	buf   []byte
}

func openDiag() *diag {
	fd, err := openNetlink()
	if err != nil {
		return nil
	}
	return &diag{fd: fd, buf: make([]byte, 4<<10)}
}

func openNetlink() (int, error) {
	return unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_SOCK_DIAG)
}

func (d *diag) close() {
	if d != nil {
		_ = unix.Close(d.fd) // nothing was written that could be lost
	}
}

// ask returns the socket with this id. It reports false if there is none.
func (d *diag) ask(family byte, id socketID) (connection, bool) {
	if d == nil {
		return connection{}, false
	}
	d.asked++
	if err := request(d.fd, family, unix.NLM_F_REQUEST, d.asked, id); err != nil {
		return connection{}, false
	}
	for {
		n, _, err := unix.Recvfrom(d.fd, d.buf, 0)
		if err != nil || n < unix.SizeofNlMsghdr {
			return connection{}, false
		}
		if binary.NativeEndian.Uint32(d.buf[8:]) != d.asked {
			continue // a late answer to another question
		}
		body, _, ok := nextAnswer(d.buf[:n])
		if !ok {
			return connection{}, false // an error: there is no such socket
		}
		return parseConnection(body), true
	}
}

// request asks for one socket, or for all of a family.
func request(fd int, family byte, flags uint16, number uint32, id socketID) error {
	text := make([]byte, unix.SizeofNlMsghdr+diagRequestBytes)
	binary.NativeEndian.PutUint32(text, uint32(len(text)))
	binary.NativeEndian.PutUint16(text[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(text[6:], flags)
	binary.NativeEndian.PutUint32(text[8:], number)
	body := text[unix.SizeofNlMsghdr:]
	body[0], body[1], body[2] = family, unix.IPPROTO_TCP, 1<<(diagInfo-1)
	binary.NativeEndian.PutUint32(body[4:], 1<<12-1) // all states
	copy(body[diagRequestID:], id[:])
	return unix.Sendto(fd, text, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
}

// The kernel's unix_diag.h: a request, an answer without its attributes, what to show, and the attribute of the peer.
const (
	unixRequestBytes = 24
	unixAnswerBytes  = 16
	unixShowPeer     = 4
	unixPeer         = 2
)

// localPeer returns the inode of the socket that a local one is connected to, 0 if there is none.
func localPeer(inode uint64) uint64 {
	fd, err := openNetlink()
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	text := make([]byte, unix.SizeofNlMsghdr+unixRequestBytes, 4<<10)
	binary.NativeEndian.PutUint32(text, uint32(len(text)))
	binary.NativeEndian.PutUint16(text[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(text[6:], unix.NLM_F_REQUEST)
	body := text[unix.SizeofNlMsghdr:]
	body[0] = unix.AF_UNIX
	binary.NativeEndian.PutUint32(body[4:], math.MaxUint32) // all states
	binary.NativeEndian.PutUint32(body[8:], uint32(inode))
	binary.NativeEndian.PutUint32(body[12:], unixShowPeer)
	binary.NativeEndian.PutUint64(body[16:], math.MaxUint64) // any cookie
	if unix.Sendto(fd, text, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) != nil {
		return 0
	}
	n, _, err := unix.Recvfrom(fd, text[:cap(text)], 0)
	if err != nil || n < unix.SizeofNlMsghdr+unixAnswerBytes {
		return 0
	}
	for rest := text[unix.SizeofNlMsghdr+unixAnswerBytes : n]; len(rest) >= unix.SizeofRtAttr+4; {
		length := int(binary.NativeEndian.Uint16(rest))
		if binary.NativeEndian.Uint16(rest[2:]) == unixPeer {
			return uint64(binary.NativeEndian.Uint32(rest[unix.SizeofRtAttr:]))
		}
		rest = rest[min((max(length, unix.SizeofRtAttr)+3)&^3, len(rest)):]
	}
	return 0
}

// listConnections asks for all TCP sockets. Without an answer it knows none: the verdict is the same then.
func listConnections() map[uint64]connection {
	fd, err := openNetlink()
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	all := map[uint64]connection{}
	buf := make([]byte, 64<<10)
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		if err := request(fd, family, unix.NLM_F_REQUEST|unix.NLM_F_DUMP, 0, socketID{}); err != nil {
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

// appendConnections reads a part of an answer. It reports whether more follows.
func appendConnections(all map[uint64]connection, text []byte) (more bool) {
	for len(text) >= unix.SizeofNlMsghdr {
		body, rest, ok := nextAnswer(text)
		if !ok {
			return false
		}
		if inode := binary.NativeEndian.Uint32(body[diagInode:]); inode != 0 {
			all[uint64(inode)] = parseConnection(body)
		}
		text = rest
	}
	return true
}

// nextAnswer returns the socket that an answer begins with, and what follows it. It reports false at the end of a list,
// and for an error.
func nextAnswer(text []byte) (body, rest []byte, ok bool) {
	length := int(binary.NativeEndian.Uint32(text))
	kind := binary.NativeEndian.Uint16(text[4:])
	if kind != unix.SOCK_DIAG_BY_FAMILY || length < unix.SizeofNlMsghdr+diagAnswerBytes || length > len(text) {
		return nil, nil, false
	}
	return text[unix.SizeofNlMsghdr:length], text[min((length+3)&^3, len(text)):], true
}

func parseConnection(body []byte) connection {
	c := connection{family: body[0], state: body[1], id: socketID(body[diagID:]),
		unread: binary.NativeEndian.Uint32(body[diagUnread:]), unsent: binary.NativeEndian.Uint32(body[diagUnsent:])}
	end := func(port, address []byte) netip.AddrPort {
		ip := netip.AddrFrom4([4]byte(address))
		if body[0] == unix.AF_INET6 {
			ip = netip.AddrFrom16([16]byte(address)).Unmap()
		}
		return netip.AddrPortFrom(ip, binary.BigEndian.Uint16(port))
	}
	c.local = end(c.id[0:], c.id[4:])
	c.peer = end(c.id[2:], c.id[20:])
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

// connections knows what the kernel says about the TCP sockets of this network namespace. It asks with sock_diag,
// which needs no rights. Which socket has an inode is only in the list of all sockets, which is not asked for often;
// about a socket that is known, and the one at its other end if it is here, it asks each time.
type connections struct {
	list  map[uint64]connection // by inode
	asked time.Time
	took  time.Duration
	diag  *diag // nil until it is needed
}

// The list of sockets is asked for once in connectionsAge, or in connectionsCost times as long as that takes.
const (
	connectionsAge  = 250 * time.Millisecond
	connectionsCost = 200
)

// connection is a TCP socket.
type connection struct {
	family      byte
	id          socketID
	local, peer netip.AddrPort
	state       byte
	unread      uint32 // bytes that the program has not read yet
	unsent      uint32 // bytes that the program has written and the other end's kernel has not taken yet
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
	before, known := c.list[inode]
	if !known {
		c.listAgain(now)
		if before, known = c.list[inode]; !known {
			return ""
		}
	}
	if before.state == tcpListening {
		return before.waitedFor(nil, writes)
	}
	one, ok := c.ask(before.family, before.id)
	if !ok { // it has been closed, or this kernel tells only of all
		c.listAgain(now)
		if before, known = c.list[inode]; !known {
			return ""
		}
		return before.waitedFor(c.listedFarEnd(before), writes)
	}
	c.list[inode] = one
	return one.since(before).waitedFor(c.farEnd(one), writes)
}

// farEnd returns the other end of a connection, nil if it is not here.
func (c *connections) farEnd(one connection) *connection {
	far, ok := c.ask(one.family, one.id.otherEnd())
	if !ok || far.peer != one.local { // for a connection that is none, the kernel tells of who listens
		return c.listedFarEnd(one)
	}
	return &far
}

// listedFarEnd returns the other end of a connection as the list of all sockets has it, nil if it is not there.
func (c *connections) listedFarEnd(one connection) *connection {
	for _, far := range c.list {
		if far.local == one.peer && far.peer == one.local {
			return &far
		}
	}
	return nil
}

// listAgain asks for all sockets, if that was long ago.
func (c *connections) listAgain(now time.Time) {
	if now.Sub(c.asked) < max(connectionsAge, connectionsCost*c.took) {
		return
	}
	c.asked = now
	began := proc.ThreadTime()
	c.list = listConnections()
	c.took = proc.ThreadTime() - began
}

// close closes what asks the kernel.
func (c *connections) close() { c.diag.close() }

func (c *connections) ask(family byte, id socketID) (connection, bool) {
	if c.diag == nil {
		c.diag = openDiag()
	}
	return c.diag.ask(family, id)
}

// since returns the connection with the times since an earlier moment, if there are any.
func (c connection) since(before connection) connection {
	if c.busy > before.busy {
		c.busy -= before.busy
		c.readerLimited -= before.readerLimited
	}
	return c
}

// waitedFor goes by the bytes that lie in the sockets: a program that waits for both directions at once, as rsync and
// runtimes with epoll do, does not say which one holds it up, and one that waits for an answer may have sent more than
// the other end has read. The other end, far, is nil if it is not here; if it is, there is no way between them.
func (c connection) waitedFor(far *connection, writes bool) string {
	here := far != nil
	stopped := c.readerLimited > 0 && c.readerLimited >= c.busy/2
	switch {
	case c.state == tcpListening:
		return "a connection to " + c.local.String()
	case c.state == tcpConnecting:
		return c.peer.String() + " to answer"
	case here && far.unread > 0, c.unsent > 0 && (here || stopped):
		return c.peer.String() + " to read"
	case c.unsent > 0 || writes:
		return "the way to " + c.peer.String()
	}
	return c.peer.String() + " to send"
}
