package serve

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// secured is a client's connection, below TLS.
type secured struct {
	*zerocopy.Conn
	client  *client
	read    []byte // after a PROXY header
	socket         // of HTTP/2
	streams int    // of HTTP/2 in progress; guarded by the mu of all streams
}

func (k *secured) Read(p []byte) (int, error) {
	if len(k.read) == 0 {
		return k.Conn.Read(p)
	}
	n := copy(p, k.read)
	k.read = k.read[n:]
	return n, nil
}

func (k *secured) Write(p []byte) (int, error) {
	k.begin(k.client.server.now())
	n, err := k.client.send(p)
	k.end(k.client.server.now())
	return n, err
}

// RemoteAddr returns the address of the client.
func (k *secured) RemoteAddr() net.Addr { return k.client.peer }

// serveTLS makes the handshake, and then speaks what was agreed on. read is what was read after a PROXY header.
func (c *client) serveTLS(read []byte) {
	s := c.server
	c.tls = tls.Server(&secured{Conn: c.conn, client: c, read: read}, s.tls)
	err := c.conn.SetReadDeadline(time.Now().Add(s.o.HeaderTimeout))
	if err == nil {
		err = c.tls.Handshake()
	}
	switch {
	case err != nil:
		s.stats.badHandshakes.Inc()
		if plain, ok := errors.AsType[tls.RecordHeaderError](err); ok && isHTTP(plain.RecordHeader) {
			c.tls = nil
			c.refuse(unknownHTTP1, badRequest("this port speaks HTTPS"))
			c.linger()
		}
	case c.tls.ConnectionState().NegotiatedProtocol == "h2":
		c.since.Store(s.now())
		c.state.CompareAndSwap(idle, waiting) // from here on net/http tracks the state
		if s.handovers.put(c.tls) {
			return
		}
	default:
		c.serve(nil, nil)
		return
	}
	c.close()
	s.release(c)
}

// isHTTP reports whether the beginning of a connection is that of a request without TLS.
func isHTTP(begin [5]byte) bool {
	switch string(begin[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO":
		return true
	}
	return false
}
