package servetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/relay"
	"github.com/thresh-dev/thresh/serve"
)

// The frontends listen on sockets that the test passes on.
const haproxyConf = `
global
	maxconn 100
defaults
	mode tcp
	timeout connect 10s
	timeout client 10s
	timeout server 10s
listen version1
	bind fd@3
	server s %[1]s send-proxy
listen version2
	bind fd@4
	server s %[1]s send-proxy-v2
listen tlvs
	bind fd@5
	server s %[1]s send-proxy-v2-ssl-cn proxy-v2-options crc32c,unique-id
listen checked
	bind fd@6
	server s %[1]s send-proxy-v2 check inter 100ms
listen http
	mode http
	option forwardfor
	bind fd@7
	server s %[2]s
listen relayed
	bind fd@8
	server s %[3]s send-proxy-v2
frontend receiver
	mode http
	bind fd@9 accept-proxy
	http-request return status 200 content-type text/plain lf-string "%%[src]:%%[src_port]"
`

// nginx takes both versions off, too.
const nginxProxyConf = `
daemon off;
master_process off;
pid %[1]s/pid;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	server {
		listen unix:%[1]s/receiver proxy_protocol;
		return 200 "$proxy_protocol_addr:$proxy_protocol_port";
	}
	server {
		listen unix:%[1]s/sender;
		location / {
			proxy_set_header X-Forwarded-For "$http_x_test, 192.0.2.9";
			proxy_pass http://%[2]s;
		}
	}
}
`

// listenFile listens and returns the socket to pass on.
func listenFile(t *testing.T) (string, *os.File) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return l.Addr().String(), f
}

// startProgram runs a program with sockets until the test ends.
func startProgram(t *testing.T, files []*os.File, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.ExtraFiles = files
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // its status says that it was terminated
	})
}

// proxied is a server and a relay behind HAProxy and nginx, which are 127.0.0.1. Clients come from other
// addresses.
type proxied struct {
	t        *testing.T
	log      *lines
	entries  map[string]string // addresses of HAProxy by its frontend
	nginx    string            // folder of its sockets
	receiver string            // HAProxy's
}

// lines is a log that is safe for concurrent use.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func listenAny(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// serving runs something that is shut down in the end.
func serving(t *testing.T, l net.Listener, serve func(net.Listener) error, shutdown func(context.Context) error, ended error) string {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = shutdown(ctx) // proxies keep connections open, which are cut
		if err := <-done; !errors.Is(err, ended) {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func startProxied(t *testing.T) *proxied {
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	haproxy := client.Program(t, "haproxy", "haproxy")
	nginx := client.Program(t, "nginx", "nginx-light")
	p := &proxied{t: t, log: &lines{}, entries: map[string]string{}}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "f"), []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	complain := func(err error) { t.Error(err) }
	server := func(header bool) string {
		s, err := serve.New(folder, serve.Options{Hosts: []string{"x"}, AccessLog: p.log, ErrorLog: complain,
			TrustedProxies: []string{"127.0.0.1"}, ProxyProtocol: header})
		if err != nil {
			t.Fatal(err)
		}
		return serving(t, listenAny(t), s.Serve, s.Shutdown, http.ErrServerClosed)
	}
	behindHeader, behindHTTP := server(true), server(false)
	r, err := relay.New(behindHeader, relay.Options{ErrorLog: complain,
		TrustedProxies: []string{"127.0.0.1"}, ProxyProtocol: true, SendProxy: 1})
	if err != nil {
		t.Fatal(err)
	}
	relayed := serving(t, listenAny(t), r.Serve, r.Shutdown, net.ErrClosed)
	var files []*os.File
	for _, name := range []string{"version1", "version2", "tlvs", "checked", "http", "relayed", "receiver"} {
		addr, f := listenFile(t)
		p.entries[name] = addr
		files = append(files, f)
	}
	p.receiver = p.entries["receiver"]
	conf := filepath.Join(folder, ".haproxy")
	if err := os.WriteFile(conf, fmt.Appendf(nil, haproxyConf, behindHeader, behindHTTP, relayed), 0o644); err != nil {
		t.Fatal(err)
	}
	startProgram(t, files, haproxy, "-db", "-q", "-f", conf)
	if p.nginx, err = os.MkdirTemp("", "nginx"); err != nil { // the path of a socket must be short
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(p.nginx) })
	conf = filepath.Join(p.nginx, "conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxProxyConf, p.nginx, behindHTTP), 0o644); err != nil {
		t.Fatal(err)
	}
	startProgram(t, nil, nginx, "-p", p.nginx, "-c", conf, "-e", filepath.Join(p.nginx, "error.log"))
	return p
}

// get requests a path from an address of the loopback network, and returns the body.
func (p *proxied) get(network, addr, from, path string, header http.Header) string {
	p.t.Helper()
	dialer := net.Dialer{}
	if network == "tcp" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err == nil || time.Now().After(deadline) {
				return conn, err // nginx may have to start first
			}
		}
	}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequest("GET", "http://x/"+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header = header
	resp, err := (&http.Client{Transport: transport, Timeout: patience}).Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 && path == "f" {
		p.t.Errorf("%s from %s: %s, %v", addr, from, resp.Status, err)
	}
	return string(body)
}

// TestBehindProxies: HAProxy and nginx name the client to the server, in every way that they have.
func TestBehindProxies(t *testing.T) {
	p := startProxied(t)
	var want []string
	for i, entry := range []string{"version1", "version2", "tlvs", "checked", "http", "relayed"} {
		from := fmt.Sprintf("127.0.1.%d", i+1)
		forged := http.Header{"X-Forwarded-For": {"198.51.100.1"}}
		if entry == "http" {
			forged.Add("X-Forwarded-For", "198.51.100.2, unknown")
		}
		if body := p.get("tcp", p.entries[entry], from, "f", forged); body != "content" {
			t.Errorf("%s: %q", entry, body)
		}
		want = append(want, from)
	}
	p.get("unix", filepath.Join(p.nginx, "sender"), "", "f", http.Header{"X-Test": {"198.51.100.1, <>"}})
	want = append(want, "192.0.2.9")
	var got []string
	for deadline := time.Now().Add(patience); len(got) < len(want) && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		got = nil
		for line := range strings.Lines(p.log.String()) {
			got = append(got, strings.Fields(line)[0])
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("logged %v, want %v:\n%s", got, want, p.log)
	}
}

// TestRelayToProxies: what the relay sends, HAProxy and nginx understand, in both versions.
func TestRelayToProxies(t *testing.T) {
	p := startProxied(t)
	for version := 1; version <= 2; version++ {
		for _, target := range []string{p.receiver, "unix:" + filepath.Join(p.nginx, "receiver")} {
			r, err := relay.New(target, relay.Options{SendProxy: version, ErrorLog: func(error) {}}) // nginx may have to start first
			if err != nil {
				t.Fatal(err)
			}
			addr := serving(t, listenAny(t), r.Serve, r.Shutdown, net.ErrClosed)
			var seen, own string
			for deadline := time.Now().Add(patience); seen == "" && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
				seen, own = p.askReceiver(addr)
			}
			if seen == "" || seen != own {
				t.Errorf("version %d: %s has seen %q, the client is %s", version, target, seen, own)
			}
		}
	}
}

// askReceiver returns the client's address as the receiver sees it, and the client's own, or nothing if the
// receiver does not listen yet.
func (p *proxied) askReceiver(addr string) (seen, own string) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.1.99")}, Timeout: patience}
	conn, err := dialer.Dial("tcp", addr)
	if err != nil {
		return "", ""
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
		return "", ""
	}
	text, err := io.ReadAll(conn)
	_, body, ok := strings.Cut(string(text), "\r\n\r\n")
	if err != nil || !ok {
		return "", ""
	}
	return body, conn.LocalAddr().String()
}
