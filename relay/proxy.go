package relay

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/thresh-dev/thresh/internal/net/forwarded"
	"github.com/thresh-dev/thresh/internal/net/proxyproto"
)

// headerTimeout bounds the time in which a client sends its PROXY header. Proxies send it at once.
const headerTimeout = 10 * time.Second

// proxying is what a relay does with PROXY headers.
type proxying struct {
	receive bool
	send    int // the version; 0: none
	trusted forwarded.Proxies
	timeout time.Duration // of a header
}

// newProxying checks the options about proxies.
func newProxying(o *Options) (p proxying, err error) {
	p.receive, p.send, p.timeout = o.ProxyProtocol, o.SendProxy, headerTimeout
	var wrong string
	if p.trusted, wrong, err = forwarded.Parse(o.TrustedProxies); err != nil {
		return p, optionError("TrustedProxies", wrong, err.Error())
	}
	switch {
	case p.send < 0 || p.send > 2:
		return p, optionError("SendProxy", p.send, "the versions are 1 and 2; 0 sends no header")
	case p.receive && p.trusted.None():
		return p, optionError("ProxyProtocol", true, "TrustedProxies must say whose headers are believed")
	case !p.receive && !p.trusted.None():
		return p, optionError("TrustedProxies", o.TrustedProxies, "only ProxyProtocol has a use for them")
	}
	return p, nil
}

// headerBuffers hold what a client has sent until its PROXY header is complete.
var headerBuffers = sync.Pool{New: func() any { return new([proxyproto.HeaderBytesMax]byte) }}

// lead returns what the target gets before the bytes that are still in the client's socket: a header,
// and what was read after the client's own. clientBytes is the length of the latter.
func (p *pair) lead(how *proxying) (lead []byte, clientBytes int, err error) {
	h := proxyproto.Header{Source: p.client.RemoteAddr(), Destination: p.client.LocalAddr()}
	var rest []byte
	if how.receive {
		buf := headerBuffers.Get().(*[proxyproto.HeaderBytesMax]byte)
		defer headerBuffers.Put(buf)
		received, behind, err := how.read(p.client, buf[:])
		if err != nil {
			return nil, 0, err
		}
		h, rest = received, behind
	}
	if how.send > 0 {
		lead = h.Append(lead, how.send)
	}
	return append(lead, rest...), len(rest), nil
}

// read reads the header of a client.
func (how *proxying) read(c net.Conn, buf []byte) (h proxyproto.Header, rest []byte, err error) {
	var ip netip.Addr // the zero Addr is that of unix sockets
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		ip = tcp.AddrPort().Addr()
	}
	if !how.trusted.Trust(ip) {
		return h, nil, errors.New("it is not from a trusted proxy, and only these can send a PROXY header")
	}
	if err := c.SetReadDeadline(time.Now().Add(how.timeout)); err != nil {
		return h, nil, err
	}
	if h, rest, err = proxyproto.Read(c, buf); err != nil {
		return h, nil, err
	}
	return h, rest, c.SetReadDeadline(time.Time{})
}

// refuse ends a pair whose client sent no valid header. Proxies that check whether the relay lives
// connect and say nothing, which is no error.
func (p *pair) refuse(r *Relay, err error) {
	p.end(endHeader)
	if p.how == endHeader && err != io.EOF && !errors.Is(err, syscall.ECONNRESET) {
		r.headerLog.Add(fmt.Errorf("relay to %s: a connection from %s was reset: %w", r.target, p.client.RemoteAddr(), err))
	}
}

// sendLead writes what the target gets first, and counts what is the client's.
func (p *pair) sendLead(r *Relay, lead []byte, clientBytes int) error {
	if len(lead) == 0 {
		return nil
	}
	if _, err := p.target.Write(lead); err != nil {
		return err
	}
	r.metrics.toTarget.byCopy.AddInt64(int64(clientBytes))
	return nil
}
