package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

const (
	acceptRetryMax = time.Second
	refusalsMax    = 64 // refused clients that get a response; more are just closed
	lingerWait     = 500 * time.Millisecond
	lingerBytesMax = 256 << 10
	tooManyHeader  = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n" +
		"Content-Type: text/plain; charset=utf-8\r\nContent-Length: 38\r\n\r\n"
	tooManyBody = "too many connections from your address"
)

// binding is how the connections of one listener are served.
type binding struct {
	encrypted  bool   // TLS
	checkHost  bool   // only hosts that are known are answered
	redirectTo string // the port of the https URLs to which requests are redirected; "": files are served
}

// accept accepts connections of l until it is closed. When all slots are taken and no client can be
// evicted, one accepted connection waits here, and more in the kernel's backlog, which holds clients
// back as usual in TCP.
func (s *Server) accept(l net.Listener, b *binding) error {
	var wait time.Duration
	for {
		conn, err := l.Accept()
		if err == nil {
			wait = 0
			if !s.takeSlot() {
				_ = conn.Close() // nothing was sent or promised
				return nil
			}
			s.admit(conn, b)
			continue
		}
		if s.closed.Load() {
			return nil
		}
		if !transient(err) {
			return fmt.Errorf("accept on %s: %w", l.Addr(), err)
		}
		if !isShortage(err) || !s.freeDescriptors() {
			s.shortages.Add(fmt.Errorf("accept on %s: %w%s; retrying", l.Addr(), err, remedy(err)))
			wait = min(max(2*wait, 5*time.Millisecond), acceptRetryMax)
		}
		select {
		case <-time.After(wait):
		case <-s.closing:
		}
	}
}

// transient reports whether a later accept may succeed: the client left while it was queued, or
// descriptors or memory are short for now.
func transient(err error) bool {
	for _, e := range []syscall.Errno{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.ECONNRESET,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func remedy(err error) string {
	if errors.Is(err, syscall.EMFILE) {
		return " (raise the limit with ulimit -n, or limit the connections below it)"
	}
	return ""
}

func (s *Server) freeSlot() {
	if s.slots != nil {
		<-s.slots
	}
}

// admit starts serving a connection, unless its address has too many. The address of a connection that
// begins with a PROXY header is not known yet.
func (s *Server) admit(conn net.Conn, b *binding) {
	peer := peerIP(conn.RemoteAddr())
	proxied := s.proxies.Trust(peer)
	var a *visitor
	welcome := true
	switch {
	case s.o.ProxyProtocol && !proxied:
		s.turnAway(conn)
		s.freeSlot()
		return
	case !proxied:
		a, welcome = s.visitors.enter(subscriber(peer))
	}
	s.mu.Lock()
	if s.closed.Load() {
		s.mu.Unlock()
		_ = conn.Close() // nothing was sent or promised
		s.visitors.leave(a)
		s.freeSlot()
		return
	}
	s.clientsDone.Add(1)
	if !welcome {
		s.mu.Unlock()
		go s.refuse(conn, b)
		return
	}
	c := s.newClient(conn, a, proxied, b)
	s.clients[c] = struct{}{}
	s.mu.Unlock()
	s.stats.connections.Inc()
	s.stats.open.Add(1)
	switch {
	case s.o.ProxyProtocol:
		go c.serveProxied()
	case b.encrypted:
		go c.serveTLS(nil)
	default:
		go c.serve(nil, nil)
	}
}

// release forgets a client whose connection is closed.
func (s *Server) release(c *client) {
	if c.released.Swap(true) {
		return
	}
	s.visitors.leave(c.visitor)
	s.stats.open.Add(-1)
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
	s.freeSlot()
	select {
	case s.freed <- struct{}{}:
	default:
	}
	s.clientsDone.Done()
}

// refuse turns a connection away whose address has too many. It holds its slot meanwhile.
func (s *Server) refuse(conn net.Conn, b *binding) {
	defer s.clientsDone.Done()
	defer s.freeSlot()
	defer conn.Close()
	remote := ""
	if a := conn.RemoteAddr(); a != nil {
		remote = a.String()
	}
	s.sayTooMany(conn, b, remote)
}

// sayTooMany sends status 503 without reading a request. Then it waits a little for the request,
// because closing a connection with unread bytes would discard the response. If many are being
// refused, further ones get no response.
func (s *Server) sayTooMany(conn net.Conn, b *binding, remote string) {
	s.stats.refused.Inc()
	defer s.refusing.Add(-1)
	if s.refusing.Add(1) > refusalsMax || b.encrypted ||
		conn.SetDeadline(time.Now().Add(lingerWait)) != nil {
		return
	}
	if !s.sendRefusal(conn, remote, unknownHTTP1, http.StatusServiceUnavailable, tooManyHeader, tooManyBody) {
		return
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		// Whatever the error, the connection is closed next.
		_, _ = io.CopyN(io.Discard, conn, lingerBytesMax)
	}
}
