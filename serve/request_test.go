package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/rounds"
)

func newRequest1() *http1Request { return &http1Request{header: http.Header{}} }

// statusOf1 is what the header of a request, with its end, is refused with, or 200.
func (r *http1Request) statusOf1(header string) int {
	n, end := headerLen([]byte(header), 0)
	if n == 0 {
		return http.StatusBadRequest
	}
	if wrong := r.parse([]byte(header[:n-end]), "r"); wrong.status != 0 {
		return wrong.status
	}
	return http.StatusOK
}

// TestRequest: which requests are refused, which are the last of their connection, and how long a body is skipped.
func TestRequest(t *testing.T) {
	r := newRequest1()
	for _, c := range []struct {
		header string
		status int
		last   bool
		body   int64
	}{
		{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 200, false, 0},
		{"HEAD /a%20b?c HTTP/1.1\r\nhost: x\r\nconnection: Keep-Alive, CLOSE\r\n\r\n", 200, true, 0},
		{"GET / HTTP/1.0\r\n\r\n", 200, true, 0},
		{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, false, 0},
		{"GET / HTTP/1.2\r\nHost: x\r\n\r\n", 200, false, 0},
		{"GET / HTTP/1.1\nHost: x\n\n", 200, false, 0},
		{"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n", 200, false, 0},
		{"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\ncontent-length: 12\r\n\r\n", 200, false, 12},
		{"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 262144\r\n\r\n", 200, false, 262144},
		{"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 262145\r\n\r\n", 200, true, 0},
		{"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n", 200, true, 0},
		{"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n", 200, false, 0},
		{"GET / HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n", 417, false, 0},
		{"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: CHUNKED\r\n\r\n", 200, true, 0},
		{"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 200, true, 0},
		{"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501, false, 0},
		{"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 501, false, 0},
		{"PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, false, 0},
		{"PRI * HTTP/2.0\r\n\r\n", 200, true, 0},
		{"CONNECT h:443 HTTP/1.1\r\n\r\n", 200, true, 0},
		{"GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: b\r\n", fieldsMax-1) + "\r\n", 200, false, 0},
		{"GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: b\r\n", fieldsMax) + "\r\n", 431, false, 0},
	} {
		status := r.statusOf1(c.header)
		if status != c.status || status == 200 && (r.closeAfter != c.last || r.bodyBytes != c.body) {
			t.Errorf("%.80q: status %d, last %t, a body of %d", c.header, status, r.closeAfter, r.bodyBytes)
		}
	}
}

// TestFolded: a line that continues another one is a part of its value.
func TestFolded(t *testing.T) {
	r := newRequest1()
	if s := r.statusOf1("GET / HTTP/1.1\r\nA: b \r\n\t c \r\n \r\n d\r\nHost: x\r\n\r\n"); s != 200 || r.header.Get("A") != "b c  d" {
		t.Errorf("status %d, %q", s, r.header)
	}
}

// TestTablesOfNetHTTP holds the tables of net/http's own tests (readrequest_test.go, request_test.go and
// serve_test.go of Go 1.27) against this server. It differs where the comment says so.
func TestTablesOfNetHTTP(t *testing.T) {
	r := newRequest1()
	const get = "GET / HTTP/1.1\r\nHost: foo\r\n"
	for _, c := range []struct {
		header string
		want   int
	}{
		{"CONNECT []%20%48%54%54%50%2f%31%2e%31%0a%4d%79%48%65%61%64%65%72%3a%20%31%32%33%0a%0a HTTP/1.0\r\n\r\n", 400},
		{"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400},
		{"HEAD / HTTP/1.1\r\nHost: foo\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n1234", 400},
		{"GET / HTTP/1.1\r\n Host: foo\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n\tHost: foo\r\n\r\n", 400},

		{"GET / HTTP/0.9\r\n\r\n", 505},
		{"GET / HTTP/1.1\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: \r\n\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: 1.2.3.4\r\n\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: foo.com\r\n\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: foo-bar_baz.com\r\n\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: foo.com:80\r\n\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: ::1\r\n\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: [::1%25en0]:80\r\n\r\n", 200},
		{"GET / HTTP/1.1\r\nHost: \x06\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: {\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: }\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: first\r\nHost: second\r\n\r\n", 400},
		{"GET / HTTP/1.0\r\n\r\n", 200},
		{"GET / HTTP/1.0\r\nHost: first\r\nHost: second\r\n\r\n", 400},
		{"GET / HTTP/1.0\r\nHost: \xff\r\n\r\n", 400},
		{"PRI * HTTP/2.0\r\n\r\n", 200},
		{"CONNECT golang.org:443 HTTP/1.1\r\n\r\n", 200},
		{"PRI / HTTP/2.0\r\n\r\n", 505},
		{"GET / HTTP/2.0\r\n\r\n", 505},
		{"GET / HTTP/3.0\r\n\r\n", 505},

		{get + "\r\n", 200},
		{get + "Foo: bar\r\n\r\n", 200},
		{get + "X-Foo: bar\r\n\r\n", 200},
		{get + "Foo: a space\r\n\r\n", 200},
		{get + "A space: foo\r\n\r\n", 400},
		{get + "foo\xffbar: foo\r\n\r\n", 400},
		{get + "foo\x00bar: foo\r\n\r\n", 400},
		{get + "Foo : bar\r\n\r\n", 400},
		{get + "Foo\t: bar\r\n\r\n", 400},
		{get + ": empty key\r\n\r\n", 400},
		{get + "Content-Length: notdigits\r\n\r\n", 400},
		{get + "Content-Length: notdigits\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		{get + "foo: foo foo\r\n\r\n", 200},
		{get + "foo: foo\tfoo\r\n\r\n", 200},
		{get + "foo: foo\x00foo\r\n\r\n", 400},
		{get + "foo: foo\x7ffoo\r\n\r\n", 400},
		{get + "foo: foo\xfffoo\r\n\r\n", 200},
		{"GE(T / HTTP/1.1\r\nHost: foo\r\n\r\n", 400},

		{"GET / HTTP/0.0\r\n\r\n", 505},
		{"GET / HTTP/1.10\r\n\r\n", 400},
		{"GET / HTTP/1.-1\r\n\r\n", 400},
		{"GET / HTTP/A.B\r\n\r\n", 400},
		{"GET / HTTP/1\r\n\r\n", 400},
		{"GET / http/1.1\r\n\r\n", 400},
		{"GET / HTTP/-1.0\r\n\r\n", 400},
		{"GET / HTTP/0.-1\r\n\r\n", 400},
		{"GET / HTTP/\r\n\r\n", 400},
		{"GET / HTTP/1,0\r\n\r\n", 400},
		{"GET / HTTP/1.1000000000000000000001\r\n\r\n", 400},

		{get + "Content-Length: +3\r\n\r\n", 400},
		{get + "Content-Length: -3\r\n\r\n", 400},
		{get + "Content-Length: \r\n\r\n", 400},
		{get + "Content-Length: 9223372036854775808\r\n\r\n", 400},
		{"GET / HTTP/1.0\r\nTransfer-Encoding: bogus\r\n\r\n", 400}, // net/http ignores the field, and answers 200
	} {
		if status := r.statusOf1(c.header); status != c.want {
			t.Errorf("%.80q: %d, want %d", c.header, status, c.want)
		}
	}
}

// memoryConn is a connection to net/http that has one request.
type memoryConn struct {
	io.Reader
	answer bytes.Buffer
	closed chan struct{}
	once   sync.Once
}

func (c *memoryConn) Write(p []byte) (int, error)      { return c.answer.Write(p) }
func (c *memoryConn) Close() error                     { c.once.Do(func() { close(c.closed) }); return nil }
func (c *memoryConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *memoryConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *memoryConn) SetDeadline(time.Time) error      { return nil }
func (c *memoryConn) SetReadDeadline(time.Time) error  { return nil }
func (c *memoryConn) SetWriteDeadline(time.Time) error { return nil }

// statusOfNetHTTP returns the status with which net/http's server answers a request, and the request as its handler
// gets it.
func statusOfNetHTTP(t *testing.T, l *handoverListener, seen chan *http.Request, request []byte) (int, *http.Request) {
	t.Helper()
	conn := &memoryConn{Reader: bytes.NewReader(request), closed: make(chan struct{})}
	l.put(conn)
	<-conn.closed
	resp, err := http.ReadResponse(bufio.NewReader(&conn.answer), nil)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	select {
	case r := <-seen:
		return resp.StatusCode, r
	default:
		return resp.StatusCode, nil
	}
}

// startNetHTTP starts a server of net/http whose handler answers 200.
func startNetHTTP(t testing.TB) (*handoverListener, chan *http.Request) {
	l, seen := newHandoverListener(), make(chan *http.Request, 1)
	s := &http.Server{
		MaxHeaderBytes: headerBytesMax, ErrorLog: log.New(io.Discard, "", 0), DisableGeneralOptionsHandler: true,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			seen <- r
		}),
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return l, seen
}

// asNetHTTP compares what a header is read as with net/http.
func asNetHTTP(t *testing.T, l *handoverListener, seen chan *http.Request, r *http1Request, b []byte) {
	t.Helper()
	n, _ := headerLen(b, 0)
	if n == 0 || n > headerBytesMax {
		return
	}
	b = b[:n]
	status := r.statusOf1(string(b))
	if r.header["Transfer-Encoding"] != nil && !r.ProtoAtLeast(1, 1) {
		return // which net/http ignores
	}
	if expects := r.header.Get("Expect"); strings.Contains(expects, " ") {
		return // net/http takes "100-continue x" for 100-continue
	}
	body := make([]byte, min(r.bodyBytes, bodyBytesMax)) // or it waits for half a second before it closes
	if r.header["Transfer-Encoding"] != nil {
		body = []byte("0\r\n\r\n")
	}
	wantStatus, want := statusOfNetHTTP(t, l, seen, append(b, body...))
	if status != wantStatus && min(status, wantStatus) < 400 {
		t.Fatalf("%q: status %d, net/http %d", b, status, wantStatus)
	}
	if status >= 400 {
		return
	}
	if r.Method != want.Method || r.URL.String() != want.URL.String() || r.URL.Path != want.URL.Path ||
		r.RequestURI != want.RequestURI || r.Proto != want.Proto || r.Host != want.Host ||
		!r.closeAfter && (want.Close || r.bodyBytes != want.ContentLength) {
		t.Errorf("%q: read as %+v, want %+v", b, r.Request, *want)
	}
	for name, values := range want.Header {
		// net/http adds this field to requests that have only Pragma: no-cache.
		if name != "Cache-Control" && !slices.EqualFunc(r.header[name], values, sameText) && name != "Content-Length" {
			t.Errorf("%q: %s is %q, want %q", b, name, r.header[name], values)
		}
	}
	for name := range r.header {
		framing := name == "Transfer-Encoding" || name == "Content-Length" || name == "Trailer"
		if _, ok := want.Header[name]; !ok && !framing {
			t.Errorf("%q: %s is not there", b, name)
		}
	}
}

// sameText compares values. Where lines are folded, blanks at the end do not matter.
func sameText(a, b string) bool { return strings.TrimRight(a, " \t") == strings.TrimRight(b, " \t") }

// pieces of requests, good and bad, from which TestAsNetHTTP makes others.
var pieces = [][]string{
	{"GET", "HEAD", "POST", "OPTIONS", "CONNECT", "PRI", "get", "G(T", "", "G\x00T", "GET ", "\xff"},
	{" ", " ", " ", "  ", "\t", ""},
	{"/", "/a?b=c", "*", "http://h/p", "http://h:80", "h:443", "/%zz", "/%20", "//x//y", "/a#b", "/\x80", "/\x7f", "a", "", "http:///x",
		"HTTP://[::1]:1/", "http://[::1", "/a b", "ftp:x", "?"},
	{" ", " ", " ", "  ", ""},
	{"HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "http/1.1", "HTTP/1.1 ", "", "HTTP/1.10"},
}

var fields = []string{
	"Host: x", "Host: x", "Host: x", "host:", "Host: a/b", "HOST: [::1]:80", "Host: \xff", "Connection: close", "Connection: keep-alive",
	"Connection: a, CLOSE", "Content-Length: 0", "Content-Length: 5", "content-length: 5", "Content-Length: +5", "Content-Length:",
	"Content-Length: 5, 5", "Transfer-Encoding: chunked", "transfer-encoding: Chunked", "Transfer-Encoding: x", "Transfer-Encoding:",
	"Expect: 100-continue", "Expect: 100-Continue, x", "Expect: x", "Expect:", "Upgrade: h2c",
	"Pragma: no-cache", "Trailer: x", "Trailer: a, Content-length", " folded",
	"\tfolded", "A:b", "A: \tb\t ", "A : b", ": b", "A", "A b: c", "A: \x00", "A: \x7f", "A: \xff", "A: b\rc", "\xff: b", "\r", "A: b\r",
}

// TestAsNetHTTP: requests made from good and bad pieces are read, or refused, as net/http does.
func TestAsNetHTTP(t *testing.T) {
	l, seen := startNetHTTP(t)
	r := newRequest1()
	random := rand.New(rand.NewPCG(31, 2))
	of := func(list []string) string { return list[random.IntN(len(list))] }
	for range 50 * rounds.Of(100) {
		var b strings.Builder
		for _, list := range pieces {
			if random.IntN(6) > 0 {
				list = list[:1]
			}
			b.WriteString(of(list))
		}
		ends := []string{"\r\n", "\r\n", "\n"}
		b.WriteString(of(ends))
		for range random.IntN(6) {
			fmt.Fprint(&b, of(fields), of(ends))
		}
		b.WriteString(of(ends))
		asNetHTTP(t, l, seen, r, []byte(b.String()))
	}
}

// FuzzHTTP1 compares the parser with net/http.
func FuzzHTTP1(f *testing.F) {
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"HEAD /a%20b/../c?d=e&f HTTP/1.0\r\nA: b\r\nA:  c \r\nConnection: a, close\r\n\r\n",
		"GET //x#y HTTP/1.1\r\nHost: [::1]:80\r\nRange: bytes=0-\r\n\r\n",
		"GET /* HTTP/1.1\r\nHost: \r\nPragma: no-cache\r\n\r\n",
		"POST http://x/ HTTP/1.1\nHost: y\nContent-Length: 5\nExpect: 100-continue\n\n",
	} {
		f.Add([]byte(seed))
	}
	l, seen := startNetHTTP(f)
	r := newRequest1()
	f.Fuzz(func(t *testing.T, b []byte) { asNetHTTP(t, l, seen, r, b) })
}
