package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// At a handshake the certificate files are checked for changes, at most this often.
const certificateStatInterval = time.Second

// certificate is a pair of files that is read again when one of them changes. If the new pair is
// invalid or half written, the old one stays in use.
type certificate struct {
	certFile, keyFile string
	errorLog          func(error)
	stats             *stats

	mu       sync.Mutex
	pair     *tls.Certificate
	lastStat time.Time
	seen     [2]fileState // the files when they were last read
}

// fileState tells one version of a file from another.
type fileState struct {
	modified time.Time
	size     int64
}

// newCertificate returns a function that returns the current certificate, or nil if none is
// configured.
func newCertificate(o *Options, s *stats) (current func() *tls.Certificate, err error) {
	const reason = "TLS needs both TLSCert and TLSKey"
	switch {
	case o.Certificate != nil && (o.TLSCert != "" || o.TLSKey != ""):
		return nil, optionError("Certificate", "", "it contradicts TLSCert and TLSKey")
	case o.Certificate != nil:
		return o.Certificate, nil
	case o.TLSCert == "" && o.TLSKey == "":
		return nil, nil
	case o.TLSCert == "":
		return nil, optionError("TLSCert", o.TLSCert, reason)
	case o.TLSKey == "":
		return nil, optionError("TLSKey", o.TLSKey, reason)
	}
	c := &certificate{certFile: o.TLSCert, keyFile: o.TLSKey, errorLog: o.ErrorLog, stats: s}
	if c.seen, err = c.stat(); err != nil {
		return nil, err
	}
	if c.pair, err = c.read(); err != nil {
		return nil, err
	}
	c.lastStat = time.Now()
	return func() *tls.Certificate { return c.current(time.Now()) }, nil
}

func newTLSConfig(current func() *tls.Certificate) *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1", "http/1.0"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return current(), nil },
	}
}

func (c *certificate) stat() (seen [2]fileState, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return seen, err
		}
		seen[i] = fileState{info.ModTime(), info.Size()}
	}
	return seen, nil
}

func (c *certificate) read() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return nil, fmt.Errorf("read certificate %s with key %s: %w", c.certFile, c.keyFile, err)
	}
	return &pair, nil
}

func (c *certificate) current(now time.Time) *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.lastStat) < certificateStatInterval {
		return c.pair
	}
	c.lastStat = now
	seen, err := c.stat()
	if err == nil && seen == c.seen {
		return c.pair
	}
	if err != nil && c.seen == seen {
		return c.pair // it was missing the last time, too
	}
	c.seen = seen
	var pair *tls.Certificate
	if err == nil {
		pair, err = c.read()
	}
	if err != nil {
		c.stats.badReloads.Inc()
		c.errorLog(fmt.Errorf("%w; the old certificate stays in use", err))
		return c.pair
	}
	c.stats.reloads.Inc()
	c.pair = pair
	return pair
}

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
