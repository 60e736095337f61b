package serve

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
)

func TestHosts(t *testing.T) {
	folder := t.TempDir()
	newPair(t, folder, "cert.example") // it names localhost only; see below
	pair, err := tls.LoadX509KeyPair(filepath.Join(folder, "c.pem"), filepath.Join(folder, "k.pem"))
	if err != nil {
		t.Fatal(err)
	}
	pair.Leaf.DNSNames = []string{"cert.example", "*.wild.example"}
	for _, c := range []struct {
		names   []string
		encrypt bool
		known   string
		unknown string
	}{
		{nil, false,
			"localhost localhost:8080 LocalHost. a.localhost a.b.localhost:1 127.0.0.1 127.0.0.1:80 127.9.9.9 [::1] [::1]:8080 [::ffff:127.0.0.1]",
			"evil.example evil.example:8080 localhost.evil.example evillocalhost 127.0.0.1.evil.example 192.168.1.1 [2001:db8::1]:80 " +
				"0.0.0.0 [::] 128.0.0.1 127.0.0.1.nip.io : . - [ ] [localhost"},
		{[]string{"Files.Example.", "*.lan", "192.168.1.5", "2001:DB8::0:1"}, false,
			"files.example FILES.example:80 files.example. a.lan a.b.lan:8080 192.168.1.5 192.168.1.5:80 [2001:db8::1]:8080 localhost [::ffff:192.168.1.5]",
			"x.files.example lan .lan evillan 192.168.1.50 evil.example files.example.evil.example 2001:db8::1"},
		{[]string{"*"}, false, "evil.example x 192.168.1.5 localhost", ""},
		{nil, true, "cert.example a.wild.example cert.example:8443 localhost", "evil.example a.b.wild.example wild.example 192.168.1.1"},
	} {
		var current func() *tls.Certificate
		if c.encrypt {
			current = func() *tls.Certificate { return &pair }
		}
		h, err := newHosts(c.names, current)
		if err != nil {
			t.Fatal(err)
		}
		for _, host := range strings.Fields(c.known) {
			if !h.include(host) {
				t.Errorf("%v: %s is refused", c.names, host)
			}
		}
		for _, host := range strings.Fields(c.unknown) {
			if h.include(host) {
				t.Errorf("%v: %s is let in", c.names, host)
			}
		}
	}
	for _, name := range []string{"", "a:80", "[::1]", "*.", "a*", "http://x", "bücher.example", "a b", "**"} {
		_, err := New(t.TempDir(), Options{Hosts: []string{"ok", name}})
		var wrong *failure.OptionError
		if !errors.As(err, &wrong) || wrong.Field != "Hosts" || wrong.Value != name {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestHostsAllocateNothing: the check is part of every request.
func TestHostsAllocateNothing(t *testing.T) {
	h, err := newHosts([]string{"files.example", "*.lan", "192.0.2.7"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1:8080", "localhost:8080", "[::1]:8080", "files.example", "a.lan:80", "192.0.2.7"} {
		if n := testing.AllocsPerRun(100, func() { h.include(host) }); n > 0 {
			t.Errorf("%s: %v allocations", host, n)
		}
	}
}

// TestRebinding: on a loopback address both loops refuse a foreign host, also one with a password and
// one for a forbidden path, and the connection stays usable. Elsewhere any host is answered.
func TestRebinding(t *testing.T) {
	r := start(t, func(o *Options) { o.Hosts = nil })
	c := r.dial(0)
	b := bufio.NewReader(c)
	for i, s := range []step{
		{"GET /small.txt HTTP/1.1\r\nHost: " + r.addr + "\r\n", 200},
		{"GET /small.txt HTTP/1.1\r\nHost: evil.example\r\n", 421},
		{"HEAD /small.txt HTTP/1.1\r\nHost: evil.example\r\n", 421},
		{"OPTIONS /small.txt HTTP/1.1\r\nHost: evil.example\r\n", 421},
		{"GET /small.txt HTTP/1.1\r\nHost: evil.example\r\n", 421},
		{"GET http://evil.example/small.txt HTTP/1.1\r\nHost: localhost\r\n", 421},
		{"GET http://localhost/small.txt HTTP/1.1\r\nHost: evil.example\r\n", 200},
		{"GET /small.txt HTTP/1.1\r\nHost: <script>\r\n", 400},
	} {
		method, _, _ := strings.Cut(s.head, " ")
		send(t, c, s.head+"\r\n")
		resp, body := receive(t, b, method)
		if resp.StatusCode != s.status {
			t.Errorf("%d: %q: %s", i, s.head, resp.Status)
		}
		if s.status == 421 && (resp.Header.Get("X-Content-Type-Options") != "nosniff" ||
			method == "GET" && !strings.Contains(string(body), `"evil.example"`)) {
			t.Errorf("%d: %q", i, body)
		}
	}
	for _, text := range []string{"GET /small.txt HTTP/1.0\r\n\r\n", "GET /small.txt HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n"} {
		c := r.dial(0)
		send(t, c, text)
		if resp, body := receive(t, bufio.NewReader(c), "GET"); resp.StatusCode != 200 || string(body) != smallBody {
			t.Errorf("%q: %s", text, resp.Status)
		}
	}
	r.counts("thresh_serve_hosts_refused_total", 5)
}

// TestRebindingHTTP2: the host of a stream is its :authority, and a refusal leaves the other streams alone.
func TestRebindingHTTP2(t *testing.T) {
	r := startTLSWith(t, func(o *Options) { o.Hosts = nil })
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport, Timeout: patience}
	for host, status := range map[string]int{"localhost": 200, "127.0.0.1:1": 200, "evil.example": 421, "localhost.evil.example:443": 421} {
		req, err := http.NewRequest("GET", "https://"+r.addr+"/small.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.ProtoMajor != 2 || resp.StatusCode != status || (status == 200) != (string(body) == smallBody) {
			t.Errorf("%s: %s %s, %q, %v", host, resp.Proto, resp.Status, body, err)
		}
	}
	r.counts("thresh_serve_hosts_refused_total", 2)
}

// TestHostElsewhere: a listener that others reach answers for any host, unless hosts are named.
func TestHostElsewhere(t *testing.T) {
	for _, names := range [][]string{nil, {"files.example"}} {
		r := start(t, func(o *Options) { o.Hosts = names })
		all, err := net.Listen("tcp", "0.0.0.0:0")
		if err != nil {
			t.Fatal(err)
		}
		unix, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []net.Listener{all, unix} {
			go r.Serve(l) // returns when the test stops the server
			c, err := net.Dial(l.Addr().Network(), l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			b := bufio.NewReader(c)
			for host, status := range map[string]int{"files.example": 200, "localhost": 200, "other.example": 421} {
				if names == nil {
					status = 200
				}
				send(t, c, "GET /small.txt HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
				if resp, _ := receive(t, b, "GET"); resp.StatusCode != status {
					t.Errorf("%s, %v, %s: %s", l.Addr(), names, host, resp.Status)
				}
			}
		}
	}
}

// TestRebindingTLS: over HTTP/1.1 and HTTP/2.
func TestRebindingTLS(t *testing.T) {
	r := startTLS(t)
	for _, protocol := range []string{"http/1.1", "h2"} {
		transport := &http.Transport{ForceAttemptHTTP2: protocol == "h2", TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		for host, status := range map[string]int{"evil.example": 421, "localhost": 200, "x": 200} {
			request, err := http.NewRequest("GET", "https://"+r.addr+"/small.txt", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = host
			resp, err := transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Error(err)
			}
			resp.Body.Close()
			if resp.StatusCode != status || (resp.ProtoMajor == 2) != (protocol == "h2") {
				t.Errorf("%s, %s: %s %s", protocol, host, resp.Proto, resp.Status)
			}
		}
		transport.CloseIdleConnections()
	}
}
