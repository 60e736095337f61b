package serve

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
)

// startRedirect is startTLS with a second listener that redirects to port 8443.
func startRedirect(t *testing.T, change func(*Options)) (r *running, plain string) {
	t.Helper()
	r = startTLSWith(t, change)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go r.ServeRedirect(l, 8443) // returns when the test stops the server
	return r, l.Addr().String()
}

func TestRedirect(t *testing.T) {
	_, plain := startRedirect(t, func(o *Options) { o.Hosts = []string{"x", "*.lan", "2001:db8::1"} })
	for _, c := range []struct{ head, location string }{
		{"GET /small.txt HTTP/1.1\r\nHost: localhost:80\r\n", "https://localhost:8443/small.txt"},
		{"GET /a%20b%2Fc?x=1&y=%20%3F HTTP/1.1\r\nHost: X\r\n", "https://x:8443/a%20b%2Fc?x=1&y=%20%3F"},
		{"HEAD //evil.example/%5c..?q HTTP/1.1\r\nHost: a.lan.\r\n", "https://a.lan:8443//evil.example/%5c..?q"},
		{"GET /none?http://evil.example HTTP/1.1\r\nHost: [2001:DB8::1]:80\r\n", "https://[2001:db8::1]:8443/none?http://evil.example"},
		{"GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n", "https://127.0.0.1:8443/"},
		{"POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n", "https://x:8443/form"},
		{"OPTIONS * HTTP/1.1\r\nHost: x\r\n", "https://x:8443/"},
		{"GET http://x/a?b HTTP/1.1\r\nHost: evil.example\r\n", "https://x:8443/a?b"},
		{"GET /\xff\"<> HTTP/1.1\r\nHost: x\r\n", "https://x:8443/%FF%22%3C%3E"},
		{"GET / HTTP/1.1\r\nHost: evil.example\r\n", ""},
		{"GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n", ""},
		{"GET / HTTP/1.1\r\nHost: evil.example/.lan\r\n", ""},
		{"GET / HTTP/1.1\r\nHost: evil.example@x\r\n", ""},
		{"GET / HTTP/1.1\r\nHost:\r\n", ""},
		{"GET / HTTP/1.0\r\n", ""},
	} {
		conn, err := net.Dial("tcp", plain)
		if err != nil {
			t.Fatal(err)
		}
		send(t, conn, c.head+"Connection: close\r\n\r\n")
		method, _, _ := strings.Cut(c.head, " ")
		resp, body := receive(t, bufio.NewReader(conn), method)
		conn.Close()
		location, status := resp.Header.Get("Location"), 308
		if c.location == "" {
			status = 421
		}
		if strings.ContainsAny(c.head, "@") || strings.Contains(c.head, "example/.") {
			status = 400
		}
		if resp.StatusCode != status || location != c.location || strings.Contains(string(body), smallBody) {
			t.Errorf("%q: %s to %q, want %q", c.head, resp.Status, location, c.location)
		}
		if status == 308 && resp.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%q may be kept: %v", c.head, resp.Header)
		}
	}
}

// TestRedirectAnyHost: "*" lets any host in, and none is still none.
func TestRedirectAnyHost(t *testing.T) {
	_, plain := startRedirect(t, func(o *Options) { o.Hosts = []string{"*"} })
	for host, location := range map[string]string{
		"a.example": "https://a.example:8443/", "": "", "a/b": "", "a@b": "", "a;b": "", "a%2eb": "",
	} {
		conn, err := net.Dial("tcp", plain)
		if err != nil {
			t.Fatal(err)
		}
		send(t, conn, "GET / HTTP/1.1\r\nConnection: close\r\nHost: "+host+"\r\n\r\n")
		resp, _ := receive(t, bufio.NewReader(conn), "GET")
		conn.Close()
		if resp.Header.Get("Location") != location {
			t.Errorf("%q: %s to %q", host, resp.Status, resp.Header.Get("Location"))
		}
	}
}

// TestRedirectIsLimited: connections to both listeners count together, and one too many is told so in
// clear text only where that is spoken.
func TestRedirectIsLimited(t *testing.T) {
	r, plain := startRedirect(t, func(o *Options) { o.MaxConnsPerIP = 1 })
	first, err := net.Dial("tcp", plain)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	send(t, first, "GET / HTTP/1.1\r\n"+host+"\r\n")
	if resp, _ := receive(t, bufio.NewReader(first), "GET"); resp.StatusCode != 308 {
		t.Fatalf("the first connection: %s", resp.Status)
	}
	for addr, want := range map[string]string{plain: tooManyHeader + tooManyBody, r.addr: ""} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		conn.Close()
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", addr, got, err)
		}
	}
	r.counts("thresh_serve_connections_refused_total", 2)
}

// TestRedirectToStandardPort: port 443 is not written.
func TestRedirectToStandardPort(t *testing.T) {
	r := startTLSWith(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go r.ServeRedirect(l, 443)
	resp, err := http.DefaultTransport.RoundTrip(newRequest(t, "http://"+l.Addr().String()+"/a"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Location"); got != "https://127.0.0.1/a" {
		t.Errorf("redirects to %s", got)
	}
}

func newRequest(t *testing.T, url string) *http.Request {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRedirectNeedsTLS(t *testing.T) {
	plain, encrypted := start(t, nil), startTLS(t)
	for _, c := range []struct {
		s    *running
		port int
	}{{plain, 443}, {encrypted, 0}, {encrypted, 65536}} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.s.ServeRedirect(l, c.port); err == nil || errors.Is(err, http.ErrServerClosed) {
			t.Errorf("port %d: %v", c.port, err)
		}
		if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
			t.Error("the listener is open")
		}
	}
}

// TestHSTS: responses over TLS have the header, errors too; the redirect has none (RFC 6797, section
// 7.2).
func TestHSTS(t *testing.T) {
	const value = "max-age=31536000; includeSubDomains"
	r, plain := startRedirect(t, func(o *Options) { o.HSTS = value })
	for _, h2 := range []bool{false, true} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: h2}
		for _, url := range []string{"https://" + r.addr + "/small.txt", "https://" + r.addr + "/none", "http://" + plain + "/"} {
			resp, err := transport.RoundTrip(newRequest(t, url))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Error(err)
			}
			resp.Body.Close()
			want := value
			if strings.HasPrefix(url, "http:") {
				want = ""
			}
			if got := resp.Header.Get("Strict-Transport-Security"); got != want {
				t.Errorf("%s: %q", url, got)
			}
		}
		transport.CloseIdleConnections()
	}
	conn, err := net.Dial("tcp", plain)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	send(t, conn, "POST / HTTP/1.1\r\n"+host+"Content-Length: 0\r\n\r\n")
	if resp, _ := receive(t, bufio.NewReader(conn), "POST"); resp.StatusCode != 308 || resp.Header.Get("Strict-Transport-Security") != "" {
		t.Errorf("POST: %s with %v", resp.Status, resp.Header)
	}
	certificate := func() *tls.Certificate { return nil }
	for value, ok := range map[string]bool{
		"max-age=0": true, "MAX-AGE=1 ; includesubdomains;preload": true, "max-age=x": false, "max-age": false,
		"max-age=-1": false, "includeSubDomains": false, "max-age=1; max-age=2": false, "max-age=1; other": false,
		"max-age=1;": false, "max-age=1; preload=1": false, "max-age=1\r\nX: y": false,
	} {
		if err := checkHSTS(value, true); (err == nil) != ok {
			t.Errorf("%q: %v", value, err)
		}
	}
	var wrong *failure.OptionError
	if _, err := New(t.TempDir(), Options{HSTS: value}); !errors.As(err, &wrong) || wrong.Field != "HSTS" {
		t.Errorf("HSTS without TLS: %v", err)
	}
	if _, err := New(t.TempDir(), Options{HSTS: "x", Certificate: certificate}); !errors.As(err, &wrong) || wrong.Field != "HSTS" {
		t.Errorf("HSTS x: %v", err)
	}
}

// sendRedirects sends requests to a listener that redirects.
func (m *mixture) sendRedirects(plain string) {
	dial := m.dial
	m.dial = func() (net.Conn, error) { return net.Dial("tcp", plain) }
	for i := range 40 {
		m.converse(i%2 == 0,
			step{"GET /small.txt?N HTTP/1.1\r\n" + host, 308}, step{"HEAD /small.txt?N HTTP/1.1\r\n" + host, 308},
			step{"GET /small.txt?N HTTP/1.1\r\nHost: evil.example\r\n", 421},
			step{"POST /small.txt?N HTTP/1.1\r\n" + host + "Content-Length: 0\r\n", 308},
			step{"OPTIONS /small.txt?N HTTP/1.1\r\nHost: evil.example\r\n", 421},
			step{"GET /small.txt?N HTTP/1.0\r\n", 421})
	}
	m.dial = dial
}
