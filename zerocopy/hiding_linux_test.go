package zerocopy_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/zerocopy"
)

// capturing keeps what the standard library passes when it falls back to io.Copy.
type capturing struct {
	io.ReadWriter
	r io.Reader
	w io.Writer
}

func (c *capturing) ReadFrom(r io.Reader) (int64, error) {
	c.r = r
	return 0, nil
}

func (c *capturing) WriteTo(w io.Writer) (int64, error) {
	c.w = w
	return 0, nil
}

// lookalike is what os passes, and counts.
//
//thresh:ignore bypassedoverride io.Copy must not go round it, which is tested
type lookalike struct {
	*os.File
	n *int64
}

func (l lookalike) Read(p []byte) (int, error) {
	n, err := l.File.Read(p)
	*l.n += int64(n)
	return n, err
}

func (lookalike) WriteTo() {}

// TestHiding: the structs in which os and net hide methods are known, with this version of Go, and structs like
// those are not.
func TestHiding(t *testing.T) {
	f, data := made(t, 1<<20)
	near, far := pair(t, "tcp")
	var file, conn capturing
	must(io.Copy(&file, f))
	must(io.Copy(&conn, near))
	must(near.(*net.TCPConn).ReadFrom(&conn))
	target := must(os.Create(t.TempDir() + "/target"))
	defer target.Close()
	must(target.ReadFrom(&file))
	for _, c := range []struct {
		dst  io.Writer
		src  io.Reader
		want zerocopy.Method
	}{
		{far, file.r, zerocopy.BySendfile}, {far, conn.r, zerocopy.BySplice}, {conn.w, f, zerocopy.BySendfile}, {file.w, f, zerocopy.ByCopyFileRange},
	} {
		if route := zerocopy.CopyPath(c.dst, c.src); route != (zerocopy.Route{Method: c.want}) {
			t.Errorf("from a %T to a %T: %+v", c.src, c.dst, route)
		}
	}
	var n int64
	if r, err := zerocopy.Copy(target, lookalike{f, &n}); err != nil || r.Bytes[zerocopy.ByCopy] != int64(len(data)) || n != int64(len(data)) {
		t.Errorf("%v, %v: %d bytes counted", r, err, n)
	}
	f.Close()
	if r, err := zerocopy.Copy(far, file.r); err == nil || r.Total() != 0 {
		t.Errorf("a closed file: %v, %v", r, err)
	}
}

// named and unnamed types that embed what has the fast methods.
type embedsConn struct{ *net.TCPConn }

// TestMayBypass: Copy does not use a method that may be an embedded field's and bypass another one, however deep it is.
func TestMayBypass(t *testing.T) {
	f, data := made(t, 1<<20)
	near, far := pair(t, "tcp")
	drained(near)
	tcp := far.(*net.TCPConn)
	counts := &writeConn{TCPConn: tcp}
	for _, c := range []struct {
		dst  io.Writer
		want zerocopy.Method
	}{
		{embedsConn{tcp}, zerocopy.ByCopy}, {struct{ *net.TCPConn }{tcp}, zerocopy.BySendfile}, {counts, zerocopy.ByCopy},
		{struct{ *writeConn }{counts}, zerocopy.ByCopy}, {struct {
			io.ReaderFrom
			io.Writer
		}{tcp, tcp}, zerocopy.BySendfile},
	} {
		must(f.Seek(0, io.SeekStart))
		was := counts.n
		r, err := zerocopy.Copy(c.dst, f)
		if err != nil || r.Bytes[c.want] != int64(len(data)) {
			t.Errorf("to a %T: %+v, %v", c.dst, r, err)
		}
		if strings.Contains(fmt.Sprintf("%T", c.dst), "writeConn") && counts.n-was != int64(len(data)) {
			t.Errorf("a %T has counted %d bytes", c.dst, counts.n-was)
		}
	}
}

// TestResponsePath: with the request, Path knows what the response alone does not show.
func TestResponsePath(t *testing.T) {
	f, _ := made(t, 1<<20)
	var got zerocopy.Route
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/length" {
			w.Header().Set("Content-Length", "0")
		}
		got = zerocopy.Path(zerocopy.NewResponseWriter(w, r), f)
	})
	for _, c := range []struct {
		start  func(*httptest.Server)
		path   string
		method string
		old    bool
		want   string
	}{
		{(*httptest.Server).Start, "/length", "GET", false, "it depends on the ReadFrom of the *http.response"},
		{(*httptest.Server).Start, "/", "GET", false, "a body without Content-Length is chunked"},
		{(*httptest.Server).Start, "/length", "HEAD", false, "the response has no body"},
		{(*httptest.Server).Start, "/", "GET", true, "it depends on the ReadFrom of the *http.response"},
		{(*httptest.Server).StartTLS, "/length", "GET", false, "TLS encrypts"},
		{func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() }, "/length", "GET", false, "HTTP/2 builds frames"},
	} {
		srv := httptest.NewUnstartedServer(handler)
		c.start(srv)
		if c.old {
			conn := must(net.Dial("tcp", srv.Listener.Addr().String()))
			must(io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n"))
			must(io.ReadAll(conn))
			conn.Close()
		} else {
			res := must(srv.Client().Do(must(http.NewRequest(c.method, srv.URL+c.path, nil))))
			res.Body.Close()
		}
		srv.Close()
		if !strings.HasPrefix(got.Reason, c.want) || (got.Method == zerocopy.ByCopy) != !strings.HasPrefix(c.want, "it depends") {
			t.Errorf("%s %s, HTTP/1.0 %v: %+v, want %q", c.method, c.path, c.old, got, c.want)
		}
	}
}
