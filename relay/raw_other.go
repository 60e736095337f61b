//go:build !unix

package relay

import (
	"net"
	"sync/atomic"
	"syscall"
)

// rawCopy needs sockets that read and write like files, which this system does not have.
type rawCopy struct{ dst, src syscall.RawConn }

func newRawCopy(dst, src net.Conn, passed *atomic.Int64) *rawCopy { return nil }

func (c *rawCopy) pass() (int64, error) { panic("thresh: bug: raw copies are not supported here") }

// connsMax returns a number that is never reached: only memory limits open sockets here.
func connsMax() int { return connsUnlimited }
