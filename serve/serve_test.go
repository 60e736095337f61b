package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

const (
	smallBody = "small\n"
	bigBytes  = 8 << 20
	patience  = 20 * time.Second // for steps that take milliseconds on an idle machine
)

// running is a server over a folder with small.txt and big.bin.
type running struct {
	*Server
	t      *testing.T
	addr   string
	big    []byte
	log    *safeBuffer
	errs   *errorList
	folder string
}

// safeBuffer is a buffer that is safe for concurrent use.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

type errorList struct {
	mu  sync.Mutex
	all []error
}

func (c *errorList) add(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, err)
}

func (c *errorList) containing(text string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, err := range c.all {
		if strings.Contains(err.Error(), text) {
			n++
		}
	}
	return n
}

// start serves until the test ends, and then checks that nothing is left over.
func start(t *testing.T, change func(*Options)) *running {
	t.Helper()
	leftOver(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return startOn(t, l, change)
}

func startOn(t *testing.T, l net.Listener, change func(*Options)) *running {
	t.Helper()
	folder := t.TempDir()
	r := &running{t: t, log: &safeBuffer{}, errs: &errorList{}, folder: folder, big: make([]byte, bigBytes)}
	for i := range r.big {
		r.big[i] = byte(rand.Uint32())
	}
	save(t, filepath.Join(folder, "small.txt"), []byte(smallBody))
	save(t, filepath.Join(folder, "big.bin"), r.big)
	o := Options{AccessLog: r.log, ErrorLog: r.errs.add, Hosts: []string{"x"}}
	if change != nil {
		change(&o)
	}
	server, err := New(folder, o)
	if err != nil {
		t.Fatal(err)
	}
	r.Server, r.addr = server, l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	// Another server of the same test must find all goroutines of this one, and not take them for leaks.
	eventually(t, "it serves", func() bool {
		server.mu.Lock()
		defer server.mu.Unlock()
		return len(server.listeners) > 0
	})
	t.Cleanup(func() {
		if err := r.stop(patience); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve returned %v", err)
		}
	})
	return r
}

func (r *running) stop(wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	return r.Shutdown(ctx)
}

// leftOver checks for goroutines and descriptors after the test.
func leftOver(t *testing.T) {
	t.Helper()
	ignore := goleak.IgnoreCurrent()
	// The first socket makes the runtime open descriptors, which stay.
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		l.Close()
	}
	before := descriptors()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := goleak.Find(ignore); err != nil {
			t.Error(err)
		}
		eventually(t, "descriptors are closed", func() bool { return descriptors() <= before })
	})
}

func descriptors() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // unknown on this system
	}
	return len(list)
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func save(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// dial connects, with a small window if asked to.
func (r *running) dial(windowBytes int) *net.TCPConn {
	r.t.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	conn := c.(*net.TCPConn)
	if windowBytes > 0 {
		if err := conn.SetReadBuffer(windowBytes); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	return conn
}

func send(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// receive reads a response and its body.
func receive(t *testing.T, b *bufio.Reader, method string) (*http.Response, []byte) {
	t.Helper()
	resp, err := http.ReadResponse(b, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

func ended(t *testing.T, r io.Reader) {
	t.Helper()
	if n, err := io.Copy(io.Discard, r); err != nil || n != 0 {
		t.Errorf("%d bytes and %v where the connection should end", n, err)
	}
}

const host = "Host: x\r\n"

func TestKeepAliveAndPipelining(t *testing.T) {
	r := start(t, nil)
	c := r.dial(0)
	b := bufio.NewReader(c)
	send(t, c, "GET /big.bin HTTP/1.1\r\n"+host+"\r\nGET /small.txt HTTP/1.1\r\n"+host+"\r\nHEAD /big.bin HTTP/1.1\r\n"+host)
	if resp, body := receive(t, b, "GET"); resp.StatusCode != 200 || !bytes.Equal(body, r.big) {
		t.Errorf("the big file: %s with %d bytes", resp.Status, len(body))
	}
	if _, body := receive(t, b, "GET"); string(body) != smallBody {
		t.Errorf("the small file: %q", body)
	}
	send(t, c, "Range: bytes=5-9\r\n\r\n")
	if resp, _ := receive(t, b, "HEAD"); resp.ContentLength != bigBytes && resp.ContentLength != 5 {
		t.Errorf("HEAD: length %d", resp.ContentLength)
	}
	send(t, c, "GET /big.bin HTTP/1.1\r\nRange: bytes=100000-1999999\r\n"+host+"Connection: close\r\n\r\n")
	if resp, body := receive(t, b, "GET"); resp.StatusCode != 206 || !bytes.Equal(body, r.big[100000:2000000]) || !resp.Close {
		t.Errorf("the range: %s with %d bytes", resp.Status, len(body))
	}
	ended(t, b)
}

// TestLastAnswerArrives: a client that sends bytes after its last request still gets the response.
func TestLastAnswerArrives(t *testing.T) {
	r := start(t, nil)
	c := r.dial(64 << 10)
	send(t, c, "GET /big.bin HTTP/1.1\r\n"+host+"Connection: close\r\n\r\n"+strings.Repeat("x", 64<<10))
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := io.CopyN(&got, resp.Body, bigBytes-100); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the server has sent everything by then
	if _, err := io.Copy(&got, resp.Body); err != nil || !bytes.Equal(got.Bytes(), r.big) {
		t.Errorf("%d bytes, %v", got.Len(), err)
	}
}

func TestHTTP10(t *testing.T) {
	r := start(t, nil)
	c := r.dial(0)
	b := bufio.NewReader(c)
	send(t, c, "GET /small.txt HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
	if resp, body := receive(t, b, "GET"); string(body) != smallBody || resp.Header.Get("Connection") != "keep-alive" {
		t.Errorf("%q, Connection %q", body, resp.Header.Get("Connection"))
	}
	send(t, c, "GET / HTTP/1.0\r\n\r\n") // the listing has no length
	if _, body := receive(t, b, "GET"); !bytes.Contains(body, []byte("big.bin")) || bytes.Contains(body, []byte("\r\n0\r\n")) {
		t.Errorf("the listing: %q", body)
	}
	ended(t, b)
}

func TestNotPlain(t *testing.T) {
	r := start(t, nil)
	for _, c := range []struct {
		name, request string
		status        int
	}{
		{"OPTIONS", "OPTIONS /small.txt HTTP/1.1\r\n" + host, 204},
		{"POST", "POST /small.txt HTTP/1.1\r\n" + host + "Expect: 100-continue\r\nContent-Length: 3\r\n", 405},
		{"a body with GET", "GET /small.txt HTTP/1.1\r\n" + host + "Content-Length: 0\r\n", 200},
		{"no host", "GET /small.txt HTTP/1.1\r\n", 400},
		{"two hosts", "GET /small.txt HTTP/1.1\r\nHost: a\r\nHost: b\r\n", 400},
		{"a folded line", "GET /small.txt HTTP/1.1\r\n" + host + "A: b\r\n c\r\n", 200},
		{"a space before the colon", "GET /small.txt HTTP/1.1\r\n" + host + "A : b\r\n", 400},
		{"a control byte", "GET /small.txt HTTP/1.1\r\n" + host + "A: \x01\r\n", 400},
		{"two lengths", "GET /small.txt HTTP/1.1\r\n" + host + "Content-Length: 0\r\nContent-Length: 1\r\n", 400},
		{"an unknown coding", "GET /small.txt HTTP/1.1\r\n" + host + "Transfer-Encoding: x\r\n", 501},
		{"a bad escape", "GET /%zz HTTP/1.1\r\n" + host, 400},
		{"no version", "GET /small.txt\r\n" + host, 400},
		{"HTTP/2 without TLS", "GET /small.txt HTTP/2.0\r\n" + host, 505},
		{"absolute form", "GET http://x/small.txt HTTP/1.1\r\n" + host, 200},
		{"a bomb of one line", "GET /small.txt HTTP/1.1\r\n" + host + "A: " + strings.Repeat("b", 80<<10) + "\r\n", 431},
		{"a bomb of many", "GET /small.txt HTTP/1.1\r\n" + host + strings.Repeat("A: b\r\n", 20<<10), 431},
		{"a bomb of a path", "GET /" + strings.Repeat("a", 80<<10) + " HTTP/1.1\r\n" + host, 431},
		{"40 fields", "GET /small.txt HTTP/1.1\r\n" + host + strings.Repeat("A: b\r\n", 40), 200},
		{"5 KiB", "GET /small.txt HTTP/1.1\r\n" + host + "A: " + strings.Repeat("b", 5<<10) + "\r\n", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := r.dial(0)
			// A server that has read enough resets the connection, and this write fails.
			_, _ = io.WriteString(conn, c.request+"\r\n")
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != c.status {
				t.Errorf("%s, want %d", resp.Status, c.status)
			}
			conn.Close()
		})
	}
}

func TestHandedOverBytesStay(t *testing.T) {
	r := start(t, nil)
	c := r.dial(0)
	b := bufio.NewReader(c)
	send(t, c, "GET /small.txt HTTP/1.1\r\n"+host+"\r\nOPTIONS / HTTP/1.1\r\n"+host+"\r\nGET /big.bin HTTP/1.1\r\n"+host+"\r\n")
	receive(t, b, "GET")
	if resp, _ := receive(t, b, "OPTIONS"); resp.StatusCode != 204 {
		t.Errorf("OPTIONS: %s", resp.Status)
	}
	if _, body := receive(t, b, "GET"); !bytes.Equal(body, r.big) {
		t.Errorf("%d bytes of the big file, or others", len(body))
	}
}

// TestSlowHeader: a client that sends a byte now and then is told that the time is over, on its first
// request and on a later one.
func TestSlowHeader(t *testing.T) {
	r := start(t, func(o *Options) { o.HeaderTimeout = 200 * time.Millisecond })
	for _, before := range []string{"", "GET /small.txt HTTP/1.1\r\n" + host + "\r\n"} {
		c := r.dial(0)
		b := bufio.NewReader(c)
		send(t, c, before)
		if before != "" {
			receive(t, b, "GET")
		}
		answered := make(chan struct{})
		var resp *http.Response
		var err error
		go func() {
			defer close(answered)
			resp, err = http.ReadResponse(b, nil)
		}()
		for i := 0; ; i++ {
			_, _ = io.WriteString(c, "GET /small.txt HTTP/1.1\r\nA: "[min(i, 27):min(i, 27)+1]) // until it is closed
			select {
			case <-answered:
				if err != nil || resp.StatusCode != 408 {
					t.Errorf("half a header: %v, %v", resp, err)
				}
				if lines := r.logged(1); lines[len(lines)-1].status != 408 {
					t.Errorf("logged %+v", lines)
				}
			case <-time.After(10 * time.Millisecond):
				continue
			}
			break
		}
	}
}

func TestSlowBody(t *testing.T) {
	r := start(t, func(o *Options) { o.HeaderTimeout = 200 * time.Millisecond })
	c := r.dial(0)
	send(t, c, "POST /small.txt HTTP/1.1\r\nContent-Length: 1000\r\n"+host+"\r\n12345")
	b := bufio.NewReader(c)
	if resp, _ := receive(t, b, "POST"); resp.StatusCode != 405 {
		t.Errorf("%s", resp.Status)
	}
	if _, err := b.ReadByte(); err == nil {
		t.Error("more bytes after the answer")
	} else if e := net.Error(nil); errors.As(err, &e) && e.Timeout() {
		t.Error("the connection stays for the rest of a body")
	}
}

func TestIdle(t *testing.T) {
	r := start(t, func(o *Options) { o.IdleTimeout = 100 * time.Millisecond })
	c := r.dial(0)
	b := bufio.NewReader(c)
	send(t, c, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
	receive(t, b, "GET")
	ended(t, b)
}

// TestStuckReader: a client that accepts nothing is cut off, and the log shows how much it
// accepted.
func TestStuckReader(t *testing.T) {
	r := start(t, func(o *Options) { o.SendTimeout = 200 * time.Millisecond })
	save(t, filepath.Join(r.folder, "huge.bin"), make([]byte, 32<<20))
	c := r.dial(4 << 10)
	send(t, c, "GET /huge.bin HTTP/1.1\r\n"+host+"\r\n")
	line := r.logged(1)[0]
	if line.status != 200 || line.bytes <= 0 || line.bytes >= 32<<20 {
		t.Errorf("logged %+v", line)
	}
}

// TestSlowReader: a client that keeps accepting bytes may take any time.
func TestSlowReader(t *testing.T) {
	const wait = 700 * time.Millisecond
	r := start(t, func(o *Options) { o.SendTimeout = wait })
	big := make([]byte, 16<<20)
	copy(big, r.big)
	save(t, filepath.Join(r.folder, "huge.bin"), big)
	c := r.dial(64 << 10)
	send(t, c, "GET /huge.bin HTTP/1.1\r\n"+host+"Connection: close\r\n\r\n")
	began := time.Now()
	b := bufio.NewReaderSize(c, 64<<10)
	resp, err := http.ReadResponse(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for time.Since(began) < 3*wait {
		if _, err := io.CopyN(&got, resp.Body, 16<<10); err != nil {
			t.Fatalf("after %d bytes: %v", got.Len(), err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if _, err := io.Copy(&got, resp.Body); err != nil || !bytes.Equal(got.Bytes(), big) {
		t.Errorf("%d bytes, %v", got.Len(), err)
	}
}

func TestVanishingClients(t *testing.T) {
	r := start(t, nil)
	const clients = 20
	for i := range clients {
		c := r.dial(4 << 10)
		send(t, c, "GET /big.bin HTTP/1.1\r\n"+host+"\r\n")
		if _, err := io.CopyN(io.Discard, c, int64(1+i*1000)); err != nil {
			t.Fatal(err)
		}
		if err := c.SetLinger(0); err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	for _, line := range r.logged(clients) {
		if line.status != 200 || line.bytes < 0 || line.bytes >= bigBytes {
			t.Errorf("logged %+v", line)
		}
	}
	if n := r.errs.containing(""); n > 0 {
		t.Errorf("%d errors because clients left: %v", n, r.errs.all)
	}
	eventually(t, "connections are forgotten", func() bool { return r.stats.open.Load() == 0 })
}

func TestMaxConns(t *testing.T) {
	r := start(t, func(o *Options) { o.MaxConns = 2 })
	a, b := r.dial(0), r.dial(0)
	for _, c := range []net.Conn{a, b} {
		send(t, c, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
		receive(t, bufio.NewReader(c), "GET")
	}
	third := r.dial(0) // the kernel accepts it
	send(t, third, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
	if n := r.stats.open.Load(); n != 2 {
		t.Errorf("%d connections are open", n)
	}
	a.Close()
	if _, body := receive(t, bufio.NewReader(third), "GET"); string(body) != smallBody {
		t.Errorf("the third got %q", body)
	}
}

func TestMaxConnsIP(t *testing.T) {
	r := start(t, func(o *Options) { o.MaxConnsPerIP = 1 })
	first := r.dial(0)
	send(t, first, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
	receive(t, bufio.NewReader(first), "GET")
	r.logged(1) // otherwise the second one's line may be first
	second := r.dial(0)
	send(t, second, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
	resp, _ := receive(t, bufio.NewReader(second), "GET")
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
		t.Errorf("%s, Retry-After %q", resp.Status, resp.Header.Get("Retry-After"))
	}
	if line := r.logged(2)[1]; line.status != 503 || line.request != unknownHTTP1 || line.bytes != 38 || line.client != "127.0.0.1" {
		t.Errorf("logged %+v", line)
	}
	first.Close()
	eventually(t, "the place is free", func() bool { return r.stats.open.Load() == 0 })
	third := r.dial(0)
	send(t, third, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
	if resp, _ := receive(t, bufio.NewReader(third), "GET"); resp.StatusCode != 200 {
		t.Errorf("%s", resp.Status)
	}
}

func TestClientIP(t *testing.T) {
	for _, c := range [][2]string{
		{"[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::"},
		{"[::ffff:10.0.0.1]:80", "10.0.0.1"},
		{"10.0.0.1:80", "10.0.0.1"},
	} {
		a, err := net.ResolveTCPAddr("tcp", c[0])
		if err != nil {
			t.Fatal(err)
		}
		if ip := subscriber(peerIP(a)); ip.String() != c[1] {
			t.Errorf("%s counts as %s, want %s", c[0], ip, c[1])
		}
	}
	if ip := peerIP(&net.UnixAddr{}); ip.IsValid() {
		t.Errorf("a unix socket counts as %s", ip)
	}
}

func TestDrain(t *testing.T) {
	r := start(t, nil)
	idle := r.dial(0)
	idleReader := bufio.NewReader(idle)
	send(t, idle, "GET /small.txt HTTP/1.1\r\n"+host+"\r\n")
	receive(t, idleReader, "GET")
	c := r.dial(64 << 10)
	send(t, c, "GET /big.bin HTTP/1.1\r\n"+host+"\r\n")
	b := bufio.NewReader(c)
	resp, err := http.ReadResponse(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop(patience) }()
	ended(t, idleReader)
	select {
	case err := <-stopped:
		t.Errorf("Shutdown did not wait: %v", err)
	default:
	}
	if late, err := net.Dial("tcp", r.addr); err == nil {
		late.Close()
		t.Error("a connection while the server stops")
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || !bytes.Equal(body, r.big) {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	ended(t, b)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestDrainEnds(t *testing.T) {
	r := start(t, nil)
	save(t, filepath.Join(r.folder, "huge.bin"), make([]byte, 64<<20))
	c := r.dial(64 << 10)
	send(t, c, "GET /huge.bin HTTP/1.1\r\n"+host+"\r\n")
	if _, err := io.CopyN(io.Discard, c, 1000); err != nil {
		t.Fatal(err)
	}
	if err := r.stop(50 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown returned %v", err)
	}
	if n, _ := io.Copy(io.Discard, c); n >= 64<<20 {
		t.Errorf("%d bytes arrived of a cut connection", n)
	}
}

func TestUnixSocket(t *testing.T) {
	r := start(t, nil)
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	go r.Serve(l) // returns when the server stops
	client := http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", path) },
	}}
	defer client.CloseIdleConnections()
	resp, err := client.Get("http://x/big.bin")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(body, r.big) {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}
