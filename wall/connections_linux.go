package wall

import (
	"net/netip"
	"time"
)

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
	began := threadTime()
	c.list = listConnections()
	c.took = threadTime() - began
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
