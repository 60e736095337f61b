package serve

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// unixHeader is a header about a unix socket.
func unixHeader() string { return unix2 + strings.Repeat("\x00", 16+216-len(unix2)) }

func expectProxy(o *Options) {
	trustLoopback(o)
	o.ProxyProtocol = true
}

// TestProxyProtocol: the header's address is the client's, and files go by sendfile as ever.
func TestProxyProtocol(t *testing.T) {
	for header, client := range map[string]string{
		header1: "192.0.2.1", header2: "2001:db8::1", unixHeader(): "@", local2: "127.0.0.1", "PROXY UNKNOWN\r\n": "127.0.0.1",
	} {
		t.Run(client, func(t *testing.T) {
			r := start(t, expectProxy)
			for _, pieces := range []bool{false, true} {
				for _, more := range []string{"", withLength} {
					before := r.stats.plain.Bytes(zerocopy.BySendfile)
					c := r.dial(0)
					all := header + strings.Replace(getSmall, "small.txt", "big.bin", 1) + more + "\r\n" + getSmall + "\r\n"
					if pieces {
						for i := range len(header) + 3 {
							send(t, c, all[i:i+1])
						}
						all = all[len(header)+3:]
					}
					send(t, c, all)
					b := bufio.NewReader(c)
					if resp, body := receive(t, b, "GET"); resp.StatusCode != 200 || !bytes.Equal(body, r.big) {
						t.Errorf("%s with %d bytes", resp.Status, len(body))
					}
					if _, body := receive(t, b, "GET"); string(body) != smallBody {
						t.Errorf("the second request: %q", body)
					}
					r.sends(before + bigBytes)
				}
			}
			for _, line := range r.logged(8) {
				if line.client != client {
					t.Errorf("logged %s", line.client)
				}
			}
			result := "client"
			if client == "127.0.0.1" {
				result = "local"
			}
			r.counts(fmt.Sprintf(`thresh_serve_proxy_headers_total{result=%q}`, result), 4)
		})
	}
}

// TestProxyProtocolBeforeTLS: in the clear, and then TLS with HTTP/1.1 or HTTP/2. The header may come
// together with the client's first bytes.
func TestProxyProtocolBeforeTLS(t *testing.T) {
	r := startTLSWith(t, expectProxy)
	for _, proto := range []string{"http/1.1", "h2"} {
		c := &prefixed{r.dial(0), header2}
		conn := tls.Client(c, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{proto}})
		if err := conn.Handshake(); err != nil {
			t.Fatal(err)
		}
		if proto == "h2" {
			h := newH2Client(t, conn)
			h.request(t, 1, ":method", "GET", ":scheme", "https", ":authority", "x", ":path", "/small.txt")
			if status, _, _ := h.response(t, 1); status != 200 {
				t.Errorf("HTTP/2: %d", status)
			}
		} else if resp := converseOn(t, conn, bufio.NewReader(conn), getSmall); resp.StatusCode != 200 {
			t.Errorf("HTTP/1.1: %s", resp.Status)
		}
		conn.Close()
	}
	for _, line := range r.logged(2) {
		if line.client != "2001:db8::1" {
			t.Errorf("logged %s", line.client)
		}
	}
}

// prefixed sends some bytes together with the first that are written.
type prefixed struct {
	net.Conn
	prefix string
}

func (p *prefixed) Write(b []byte) (int, error) {
	prefix := p.prefix
	p.prefix = ""
	n, err := p.Conn.Write(append([]byte(prefix), b...))
	return max(0, n-len(prefix)), err
}

// resetAfter sends bytes, and ends its stream at a zero byte behind them. The server must reset it.
func (r *running) resetAfter(text string) {
	r.t.Helper()
	conn := r.dial(0)
	text, closes := strings.CutSuffix(text, "\x00")
	_, _ = io.WriteString(conn, text) // it may have been reset already
	if closes {
		_ = conn.CloseWrite() // likewise
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, syscall.ECONNRESET) {
		r.t.Errorf("%d bytes, %v: not reset", n, err)
	}
}

// turnedAway connects and must be reset, which may happen before dialing ends.
func (r *running) turnedAway() {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.addr)
	if err == nil {
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(patience)) // it may have been reset already
		_, err = conn.Read(make([]byte, 1))
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		r.t.Errorf("%v: not reset", err)
	}
}

// TestBadProxyHeaders: a connection without a header from a trusted proxy is reset, with one line in the log.
func TestBadProxyHeaders(t *testing.T) {
	for _, c := range []struct{ name, sent, trusted, result, report string }{
		{"none", getSmall + "\r\n", "loopback", "malformed", "no PROXY header: it begins with \"GET /small.txt"},
		{"TLS", "\x16\x03\x01\x02\x00", "loopback", "malformed", "no PROXY header"},
		{"malformed", "PROXY TCP4 1.2.3.4\r\n", "loopback", "malformed", "malformed PROXY header"},
		{"too long", "\r\n\r\n\x00\r\nQUIT\n\x21\x11\xff\xff", "loopback", "malformed", "at most 4096"},
		{"slow", "PROXY TCP4 1.2.3.4", "loopback", "missing", "timeout"},
		{"silent", "", "loopback", "missing", "timeout"},
		{"incomplete", "PROXY TCP4\x00", "loopback", "missing", "unexpected EOF"},
		{"a health check", "\x00", "loopback", "missing", ""},
		{"not trusted", header1 + getSmall + "\r\n", "private", "untrusted", "not from a trusted proxy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, func(o *Options) {
				o.TrustedProxies, o.ProxyProtocol, o.HeaderTimeout = []string{c.trusted}, true, 100*time.Millisecond
				if c.result != "missing" {
					o.HeaderTimeout = time.Hour
				}
			})
			if c.trusted == "private" {
				r.turnedAway()
			} else {
				r.resetAfter(c.sent)
			}
			name := fmt.Sprintf(`thresh_serve_proxy_headers_total{result=%q}`, c.result)
			eventually(t, "it is counted", func() bool { return r.figures()[name] == 1 })
			eventually(t, "its place is free", func() bool { return r.stats.open.Load() == 0 })
			if err := r.stop(patience); err != nil {
				t.Error(err)
			}
			want := 1
			if c.report == "" {
				want = 0
			}
			if n := r.errs.containing(c.report); n != want || len(r.errs.all) != want {
				t.Errorf("reported: %v", r.errs.all)
			}
			if lines := r.log.String(); lines != "" {
				t.Errorf("logged %q", lines)
			}
		})
	}
}

// TestStopBeforeProxyHeader: neither Shutdown nor eviction waits for a header.
func TestStopBeforeProxyHeader(t *testing.T) {
	r := start(t, func(o *Options) {
		expectProxy(o)
		o.HeaderTimeout, o.MaxConns = time.Hour, 1
	})
	first := r.dial(0)
	eventually(t, "the first is accepted", func() bool { return r.stats.open.Load() == 1 })
	second := r.dial(0)
	send(t, second, header1+getSmall+"\r\n")
	if resp, _ := receive(t, bufio.NewReader(second), "GET"); resp.StatusCode != 200 {
		t.Errorf("the second: %s", resp.Status)
	}
	ended(t, first)
	second.Close()
	third := r.dial(0)
	eventually(t, "the third is accepted", func() bool { return r.stats.connections.Get() == 3 })
	if err := r.stop(patience); err != nil {
		t.Error(err)
	}
	ended(t, third)
	if len(r.errs.all) > 0 {
		t.Errorf("reported: %v", r.errs.all)
	}
}
