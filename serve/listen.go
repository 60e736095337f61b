package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

const (
	acceptRetryMax   = time.Second
	errorLogInterval = 10 * time.Second // between two reports of the same error
	refusalsMax      = 64               // refused clients that get a response; more are just closed
	lingerWait       = 500 * time.Millisecond
	lingerBytesMax   = 256 << 10
	refusalResponse  = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n" +
		"Content-Type: text/plain; charset=utf-8\r\nContent-Length: 38\r\n\r\ntoo many connections from your address"
)

// accept accepts connections of l until it is closed. Connections beyond MaxConns wait in the
// kernel's backlog, which holds clients back as usual in TCP.
func (s *Server) accept(l net.Listener) error {
	var wait time.Duration
	var lastReport time.Time
	for {
		if s.slots != nil {
			select {
			case s.slots <- struct{}{}:
			case <-s.closing:
				return nil
			}
		}
		conn, err := l.Accept()
		if err == nil {
			wait = 0
			s.admit(conn)
			continue
		}
		s.freeSlot()
		if s.closed.Load() {
			return nil
		}
		if !transient(err) {
			return fmt.Errorf("accept on %s: %w", l.Addr(), err)
		}
		if now := time.Now(); now.Sub(lastReport) > errorLogInterval {
			lastReport = now
			s.o.ErrorLog(fmt.Errorf("accept on %s: %w%s; retrying", l.Addr(), err, remedy(err)))
		}
		wait = min(max(2*wait, 5*time.Millisecond), acceptRetryMax)
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

// admit starts serving a connection, unless its address has too many.
func (s *Server) admit(conn net.Conn) {
	ip := clientIP(conn.RemoteAddr())
	welcome := s.byIP.enter(ip)
	s.mu.Lock()
	if s.closed.Load() {
		s.mu.Unlock()
		_ = conn.Close() // nothing was sent or promised
		if welcome {
			s.byIP.leave(ip)
		}
		s.freeSlot()
		return
	}
	s.clientsDone.Add(1)
	if !welcome {
		s.mu.Unlock()
		s.stats.refused.Inc()
		go s.refuse(conn)
		return
	}
	c := s.newClient(conn, ip)
	s.clients[c] = struct{}{}
	s.mu.Unlock()
	s.stats.connections.Inc()
	s.stats.open.Add(1)
	if s.useTLS {
		go c.handOver(nil)
		return
	}
	go c.serve()
}

// release forgets a client whose connection is closed.
func (s *Server) release(c *client) {
	if c.released.Swap(true) {
		return
	}
	s.byIP.leave(c.ip)
	s.stats.open.Add(-1)
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
	s.freeSlot()
	s.clientsDone.Done()
}

// refuse sends status 503 without reading a request. Then it waits a little for the request,
// because closing a connection with unread bytes would discard the response. The refused client
// holds its slot meanwhile. If many are being refused, further ones are just closed.
func (s *Server) refuse(conn net.Conn) {
	defer s.clientsDone.Done()
	defer s.freeSlot()
	defer conn.Close()
	defer s.refusing.Add(-1)
	if s.refusing.Add(1) > refusalsMax || s.useTLS ||
		conn.SetDeadline(time.Now().Add(lingerWait)) != nil {
		return
	}
	if _, err := io.WriteString(conn, refusalResponse); err != nil {
		return
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		// Whatever the error, the connection is closed next.
		_, _ = io.CopyN(io.Discard, conn, lingerBytesMax)
	}
}

// clientIP returns the address to which limits apply. For IPv6 it is the /64, which is what one
// subscriber has. It is the zero Addr for connections without an IP address, such as unix sockets.
func clientIP(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return ip
}

// perIP counts connections by client address.
type perIP struct {
	max int
	mu  sync.Mutex
	of  map[netip.Addr]int
}

func (p *perIP) enter(ip netip.Addr) bool {
	if p.max <= 0 || !ip.IsValid() {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[netip.Addr]int{}
	}
	if p.of[ip] >= p.max {
		return false
	}
	p.of[ip]++
	return true
}

func (p *perIP) leave(ip netip.Addr) {
	if p.max <= 0 || !ip.IsValid() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of[ip]--; p.of[ip] <= 0 {
		delete(p.of, ip)
	}
}
