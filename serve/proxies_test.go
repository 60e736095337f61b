package serve

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/thresh-dev/thresh/zerocopy"
)

const (
	header1 = "PROXY TCP4 192.0.2.1 198.51.100.2 5000 80\r\n"
	header2 = "\r\n\r\n\x00\r\nQUIT\n\x21\x21\x00\x28 \x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01" +
		"0123456789abcdef\x13\x88\x00\x50\x04\x00\x01x"
	unix2     = "\r\n\r\n\x00\r\nQUIT\n\x21\x31\x00\xd8/run/\x1b[31m\n"
	local2    = "\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00"
	getSmall  = "GET /small.txt HTTP/1.1\r\n" + host
	byNetHTTP = "Content-Length: 0\r\n" // net/http handles it
)

const sendfileExpected = runtime.GOOS == "linux"

// unixHeader is a header about a unix socket.
func unixHeader() string { return unix2 + strings.Repeat("\x00", 16+216-len(unix2)) }

func trustLoopback(o *Options) { o.TrustedProxies = []string{"loopback"} }

func expectProxy(o *Options) {
	trustLoopback(o)
	o.ProxyProtocol = true
}

// converseOn sends a request and returns the status of the response.
func converseOn(t *testing.T, c net.Conn, b *bufio.Reader, head string) *http.Response {
	t.Helper()
	send(t, c, head+"\r\n")
	resp, _ := receive(t, b, "GET")
	return resp
}

// TestForwardedFor: behind a trusted proxy each request has its own client, in both loops.
func TestForwardedFor(t *testing.T) {
	r := start(t, trustLoopback)
	c := r.dial(0)
	b := bufio.NewReader(c)
	var want []string
	for _, more := range []string{"", byNetHTTP, ""} {
		for header, client := range map[string]string{
			"": "127.0.0.1", "X-Forwarded-For: 192.0.2.1\r\n": "192.0.2.1",
			"x-forwarded-for: 198.51.100.1, 2001:db8::1\r\nX-FORWARDED-FOR: 127.0.0.9\r\n": "2001:db8::1",
			"X-Forwarded-For: 192.0.2.1, unknown\r\n":                                      "127.0.0.1",
			"Forwarded: for=192.0.2.1\r\nX-Real-IP: 192.0.2.1\r\n":                         "127.0.0.1",
		} {
			converseOn(t, c, b, getSmall+header+more)
			want = append(want, client)
		}
	}
	for i, line := range r.logged(len(want)) {
		if line.client != want[i] {
			t.Errorf("request %d: logged %s, want %s", i, line.client, want[i])
		}
	}
}

// TestForwardedForOverTLS: HTTP/1.1 and HTTP/2.
func TestForwardedForOverTLS(t *testing.T) {
	r := startTLSWith(t, trustLoopback)
	for _, h2 := range []bool{false, true} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: h2}
		client := &http.Client{Transport: transport, Timeout: patience}
		request, err := http.NewRequest("GET", "https://"+r.addr+"/small.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Forwarded-For", "192.0.2.7:99")
		resp, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		transport.CloseIdleConnections()
		if want := 1 + map[bool]int{true: 1}[h2]; resp.ProtoMajor != want {
			t.Errorf("HTTP/%d", resp.ProtoMajor)
		}
	}
	for _, line := range r.logged(2) {
		if line.client != "192.0.2.7" {
			t.Errorf("logged %s", line.client)
		}
	}
}

// TestForwardedForOfOthers: from anyone else the header means nothing.
func TestForwardedForOfOthers(t *testing.T) {
	for _, trusted := range [][]string{nil, {"private", "unix"}} {
		r := start(t, func(o *Options) { o.TrustedProxies, o.LimitRequestsPerIP = trusted, 1.0/3600 })
		c := r.dial(0)
		b := bufio.NewReader(c)
		for i, want := range []int{200, 429, 429} {
			if resp := converseOn(t, c, b, fmt.Sprintf("%sX-Forwarded-For: 192.0.2.%d\r\n", getSmall, i)); resp.StatusCode != want {
				t.Errorf("%v: request %d: %s, want %d", trusted, i, resp.Status, want)
			}
		}
		for _, line := range r.logged(3) {
			if line.client != "127.0.0.1" {
				t.Errorf("%v: logged %s", trusted, line.client)
			}
		}
	}
}

// TestPasswordsBehindProxy: the wrong passwords of one client do not hold up another one.
func TestPasswordsBehindProxy(t *testing.T) {
	hash := hashOf(t, "right", bcrypt.MinCost)
	r := start(t, func(o *Options) {
		trustLoopback(o)
		o.Users = map[string]string{"alice": hash}
	})
	c := r.dial(0)
	b := bufio.NewReader(c)
	from := func(n int, password string) int {
		request, err := http.NewRequest("GET", "http://x/small.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth("alice", password)
		return converseOn(t, c, b, fmt.Sprintf("%sX-Forwarded-For: 192.0.2.%d\r\nAuthorization: %s\r\n", getSmall, n, request.Header.Get("Authorization"))).StatusCode
	}
	for i := range failuresFree + 1 {
		if status := from(1, fmt.Sprint("wrong", i)); status != 401 {
			t.Errorf("wrong password %d: %d", i, status)
		}
	}
	if status := from(1, "other"); status != 429 {
		t.Errorf("after too many: %d", status)
	}
	if status := from(2, "right"); status != 200 {
		t.Errorf("another client: %d", status)
	}
	for i := range 2 * failuresFree { // these have no address of their own
		if status := from(999, fmt.Sprint("bad", i)); status != 401 {
			t.Errorf("without an address, wrong password %d: %d", i, status)
		}
	}
}

// TestProxyProtocol: the header's address is the client's, and files go by sendfile as ever.
func TestProxyProtocol(t *testing.T) {
	for header, client := range map[string]string{
		header1: "192.0.2.1", header2: "2001:db8::1", unixHeader(): "@", local2: "127.0.0.1", "PROXY UNKNOWN\r\n": "127.0.0.1",
	} {
		t.Run(client, func(t *testing.T) {
			r := start(t, expectProxy)
			for _, pieces := range []bool{false, true} {
				for _, more := range []string{"", byNetHTTP} {
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

// TestConnsPerIPBehindProxyProtocol: the limit is that of the header's address, and the proxy has none.
func TestConnsPerIPBehindProxyProtocol(t *testing.T) {
	r := start(t, func(o *Options) {
		expectProxy(o)
		o.MaxConnsPerIP = 1
	})
	status := func(header string) (int, net.Conn) {
		c := r.dial(0)
		send(t, c, header+getSmall+"\r\n")
		resp, _ := receive(t, bufio.NewReader(c), "GET")
		return resp.StatusCode, c
	}
	for _, c := range []struct {
		header string
		want   int
	}{{header1, 200}, {header1, 503}, {header2, 200}, {header2, 503}, {local2, 200}, {local2, 200}, {unixHeader(), 200}, {unixHeader(), 200}} {
		if got, _ := status(c.header); got != c.want {
			t.Errorf("%.20q: %d, want %d", c.header, got, c.want)
		}
	}
	for _, line := range r.logged(8) {
		if line.status == 503 && line.client != "192.0.2.1" && line.client != "2001:db8::1" {
			t.Errorf("logged %+v", line)
		}
	}
	r.counts("thresh_serve_connections_refused_total", 2)
}

// visiting returns how many connections and requests an address has, and whether it has been sent bytes of late.
func (r *running) visiting(ip string) (conns int, active bool) {
	r.visitors.mu.Lock()
	defer r.visitors.mu.Unlock()
	a := r.visitors.of[subscriber(netip.MustParseAddr(ip))]
	if a == nil {
		return 0, false
	}
	return a.conns, a.rate != nil && !a.rate.Idle()
}

// TestLimitsBehindProxy: the requests in progress count for their clients, not for the proxy, and so does
// what they are sent, in each loop and over HTTP/2.
func TestLimitsBehindProxy(t *testing.T) {
	for _, how := range []string{"plain", "net/http", "TLS", "HTTP/2"} {
		t.Run(how, func(t *testing.T) {
			change := func(o *Options) {
				trustLoopback(o)
				o.MaxConnsPerIP, o.LimitRatePerIP, o.SendTimeout = 1, 1<<20, time.Hour
			}
			r := start
			if how == "TLS" || how == "HTTP/2" {
				r = startTLSWith
			}
			s := r(t, change)
			big := func(client string) (status func() int, leave func()) {
				if how == "HTTP/2" {
					h := s.dialH2()
					h.request(t, 1, ":method", "GET", ":scheme", "https", ":authority", "x", ":path", "/big.bin", "x-forwarded-for", client)
					return func() int {
						for {
							frame, err := h.ReadFrame()
							if err != nil {
								t.Fatal(err)
							}
							if headers, ok := frame.(interface{ PseudoValue(string) string }); ok {
								var n int
								fmt.Sscan(headers.PseudoValue("status"), &n)
								return n
							}
						}
					}, func() { h.conn.Close() }
				}
				var c net.Conn = s.dial(16 << 10)
				if how == "TLS" {
					c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
				}
				head := strings.Replace(getSmall, "small.txt", "big.bin", 1) + "X-Forwarded-For: " + client + "\r\n"
				if how == "net/http" {
					head += byNetHTTP
				}
				send(t, c, head+"\r\n")
				return func() int {
					resp, err := http.ReadResponse(bufio.NewReaderSize(c, 16), nil)
					if err != nil {
						t.Fatal(err)
					}
					return resp.StatusCode
				}, func() { c.Close() }
			}
			status, leave := big("192.0.2.1")
			if n := status(); n != 200 {
				t.Fatalf("the first: %d", n)
			}
			eventually(t, "its bytes count for the client", func() bool {
				conns, active := s.visiting("192.0.2.1")
				return conns == 1 && active
			})
			s.mu.Lock()
			for c := range s.clients {
				if onConn := c.rate.hook.Load() != nil; onConn != (how != "HTTP/2") {
					t.Errorf("the whole connection has the limit of a client: %v", onConn)
				}
			}
			s.mu.Unlock()
			if conns, _ := s.visiting("127.0.0.1"); conns != 0 {
				t.Errorf("the proxy counts as %d", conns)
			}
			second, leave2 := big("192.0.2.1")
			if n := second(); n != 503 {
				t.Errorf("another one of the same client: %d", n)
			}
			third, leave3 := big("192.0.2.2")
			if n := third(); n != 200 {
				t.Errorf("one of another client: %d", n)
			}
			leave()
			leave2()
			leave3()
			eventually(t, "nobody is here", func() bool {
				one, _ := s.visiting("192.0.2.1")
				two, _ := s.visiting("192.0.2.2")
				return one+two == 0
			})
			s.counts(`thresh_serve_requests_refused_total{limit="connections"}`, 1)
		})
	}
}

// TestRatePerIP: connections of an address share its limit; files go by sendfile, and waits are counted.
func TestRatePerIP(t *testing.T) {
	for _, perConn := range []int64{0, 1 << 30} {
		r := start(t, func(o *Options) { o.LimitRatePerIP, o.LimitRate = 64<<20, perConn })
		began := time.Now()
		for range 2 {
			c := r.dial(0)
			send(t, c, "GET /big.bin HTTP/1.1\r\n"+host+"\r\n")
			if _, body := receive(t, bufio.NewReader(c), "GET"); !bytes.Equal(body, r.big) {
				t.Errorf("%d bytes", len(body))
			}
		}
		// A limiter that lets more through is wrong on any machine. The unused capacity and the
		// first slice are free.
		if took, least := time.Since(began), time.Second*(2*bigBytes-2<<20)/(64<<20); took < least {
			t.Errorf("%v, at least %v", took, least)
		}
		r.sends(2 * bigBytes)
		if r.stats.waits.Get() == 0 {
			t.Error("no wait is counted")
		}
	}
}

// TestRequestsPerIP: in both loops, with the headers that tell when to come again.
func TestRequestsPerIP(t *testing.T) {
	r := start(t, func(o *Options) { o.LimitRequestsPerIP, o.CORS = 2.0/3600, []string{"*"} })
	c := r.dial(0)
	b := bufio.NewReader(c)
	for i, more := range []string{"", "", byNetHTTP} {
		resp := converseOn(t, c, b, getSmall+"Origin: https://a.example\r\n"+more)
		if i == 0 {
			if resp.StatusCode != 200 {
				t.Errorf("the first: %s", resp.Status)
			}
			continue
		}
		var seconds int
		if fmt.Sscan(resp.Header.Get("Retry-After"), &seconds); resp.StatusCode != 429 || seconds < 1790 || seconds > 1800 {
			t.Errorf("request %d: %s, Retry-After %d", i, resp.Status, seconds)
		}
		if resp.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("request %d: a page cannot read it", i)
		}
	}
	r.counts(`thresh_serve_requests_refused_total{limit="requests"}`, 2)
}

// TestUnixProxy: a proxy on the same machine that connects to a unix socket.
func TestUnixProxy(t *testing.T) {
	for _, trusted := range [][]string{{"unix"}, {"loopback"}} {
		r := start(t, func(o *Options) { o.TrustedProxies = trusted })
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- r.Serve(l) }()
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		converseOn(t, c, bufio.NewReader(c), getSmall+"X-Forwarded-For: 192.0.2.1\r\n")
		c.Close()
		if client := r.logged(1)[0].client; (client == "192.0.2.1") != (trusted[0] == "unix") {
			t.Errorf("%v: logged %s", trusted, client)
		}
		if err := r.stop(patience); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}
}

func TestProxyOptions(t *testing.T) {
	for _, c := range []struct {
		o     Options
		field string
		value any
	}{
		{Options{TrustedProxies: []string{"loopback", "10.0.0.1/8"}}, "TrustedProxies", "10.0.0.1/8"},
		{Options{ProxyProtocol: true}, "ProxyProtocol", true},
	} {
		_, err := New(os.DevNull, c.o)
		wrong, ok := errors.AsType[*OptionError](err)
		if !ok || wrong.Field != c.field || wrong.Value != c.value {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}
