package zerocopy_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// A wayIn and a wayOut are ends of a transfer. Every one of the first is copied to every one of the
// second, so that each strategy meets each ending.
type wayIn struct {
	name string
	open func(t *testing.T, f *os.File, n int64) io.Reader
}

type wayOut struct {
	name string
	open func(t *testing.T) (w io.Writer, end func() [32]byte)
}

var waysIn = []wayIn{
	{"file", func(_ *testing.T, f *os.File, n int64) io.Reader { return io.LimitReader(f, n) }},
	{"Section", func(_ *testing.T, f *os.File, n int64) io.Reader { return zerocopy.NewSection(f, 0, n, nil) }},
	{"SectionReader", func(_ *testing.T, f *os.File, n int64) io.Reader { return io.NewSectionReader(f, 0, n) }},
	{"hidden", func(_ *testing.T, f *os.File, n int64) io.Reader { return struct{ io.Reader }{io.LimitReader(f, n)} }},
	{"Reader", func(_ *testing.T, f *os.File, n int64) io.Reader {
		return zerocopy.NewReader(io.LimitReader(f, n), zerocopy.Count(new(zerocopy.Counter)))
	}},
	{"tcp", func(t *testing.T, f *os.File, n int64) io.Reader { return fed(t, "tcp", f, n) }},
	{"unix", func(t *testing.T, f *os.File, n int64) io.Reader { return fed(t, "unix", f, n) }},
}

// fed returns a connection that receives n bytes of the file and an end.
func fed(t *testing.T, network string, f *os.File, n int64) net.Conn {
	near, far := pair(t, network)
	go func() {
		io.Copy(struct{ io.Writer }{far}, io.NewSectionReader(f, 0, n))
		far.Close()
	}()
	return near
}

var waysOut = []wayOut{
	{"tcp", func(t *testing.T) (io.Writer, func() [32]byte) { return received(t, "tcp", nil) }},
	{"unix", func(t *testing.T) (io.Writer, func() [32]byte) { return received(t, "unix", nil) }},
	{"Conn", func(t *testing.T) (io.Writer, func() [32]byte) {
		return received(t, "tcp", func(c net.Conn) io.Writer {
			return zerocopy.NewConn(c, zerocopy.Hooks{Write: []zerocopy.Hook{zerocopy.Count(new(zerocopy.Counter))}})
		})
	}},
	{"forwarding", func(t *testing.T) (io.Writer, func() [32]byte) {
		return received(t, "tcp", func(c net.Conn) io.Writer { return forwardsReadFrom{c} })
	}},
	{"hidden", func(t *testing.T) (io.Writer, func() [32]byte) {
		return received(t, "tcp", func(c net.Conn) io.Writer { return struct{ io.Writer }{c} })
	}},
	{"file", func(t *testing.T) (io.Writer, func() [32]byte) {
		f := must(os.Create(filepath.Join(t.TempDir(), "target")))
		return f, func() [32]byte {
			f.Close()
			return sha256.Sum256(must(os.ReadFile(f.Name())))
		}
	}},
}

// received returns a connection, and the digest of what its peer reads.
func received(t *testing.T, network string, wrap func(net.Conn) io.Writer) (io.Writer, func() [32]byte) {
	near, far := pair(t, network)
	got := drained(far)
	end := func() [32]byte {
		near.Close()
		return sha256.Sum256(got())
	}
	if wrap == nil {
		return near, end
	}
	return wrap(near), end
}

// Every way in, every way out, at the sizes at which a transfer takes another step.
func TestSizes(t *testing.T) {
	const slice, buffer = 2 << 20, 32 << 10
	f, data := made(t, 2*slice+1)
	for _, n := range []int64{0, 1, buffer - 1, buffer, buffer + 1, slice - 1, slice, slice + 1, 2*slice + 1} {
		want := sha256.Sum256(data[:n])
		for _, in := range waysIn {
			for _, out := range waysOut {
				for _, by := range []string{"Copy", "CopyN", "io.Copy"} {
					must(f.Seek(0, io.SeekStart))
					src := in.open(t, f, n)
					dst, end := out.open(t)
					var r zerocopy.Result
					var err error
					total := int64(0)
					switch by {
					case "Copy":
						r, err = zerocopy.Copy(dst, src)
						total = r.Total()
					case "CopyN":
						r, err = zerocopy.CopyN(dst, src, n)
						total = r.Total()
					default:
						total, err = io.Copy(dst, src)
					}
					if got := end(); err != nil || total != n || got != want {
						t.Errorf("%s of %d bytes, %s to %s: %d, %v; the same bytes: %v", by, n, in.name, out.name, total, err, got == want)
					}
				}
			}
		}
	}
}

// A source that is reset ends the copy with that error: a clean end would make a cut transfer look whole.
func TestSourceIsReset(t *testing.T) {
	const n = 300_000
	for _, hooked := range []bool{false, true} {
		for _, out := range waysOut {
			near, far := pair(t, "tcp")
			dst, end := out.open(t)
			var src io.Reader = near
			var counter zerocopy.Counter
			if hooked {
				src = zerocopy.NewConn(near, zerocopy.Hooks{Read: []zerocopy.Hook{zerocopy.Count(&counter)}})
			}
			passed := make(chan struct{})
			go func() {
				far.Write(make([]byte, n))
				<-passed
				far.(*net.TCPConn).SetLinger(0)
				far.Close()
			}()
			first, err := zerocopy.CopyN(dst, src, n)
			close(passed)
			if err != nil {
				t.Fatalf("to %s: %+v, %v", out.name, first, err)
			}
			r, err := zerocopy.Copy(dst, src)
			if !errors.Is(err, syscall.ECONNRESET) || r.Total() != 0 {
				t.Errorf("to %s, hooks %v: %+v, %v", out.name, hooked, r, err)
			}
			if got := end(); got != sha256.Sum256(make([]byte, n)) || hooked && counter.Total() != n {
				t.Errorf("to %s, hooks %v: %d counted, the same bytes: %v", out.name, hooked, counter.Total(), got == sha256.Sum256(make([]byte, n)))
			}
		}
	}
}

// A destination that is reset ends the copy with an error, whatever moves the bytes.
func TestDestinationIsReset(t *testing.T) {
	f, _ := made(t, 16<<20)
	for _, in := range waysIn {
		for _, wrap := range []func(net.Conn) io.Writer{
			func(c net.Conn) io.Writer { return c },
			func(c net.Conn) io.Writer { return struct{ io.Writer }{c} },
			func(c net.Conn) io.Writer { return forwardsReadFrom{c} },
		} {
			near, far := pair(t, "tcp")
			go func() {
				io.CopyN(io.Discard, far, 1<<20)
				far.(*net.TCPConn).SetLinger(0)
				far.Close()
			}()
			must(f.Seek(0, io.SeekStart))
			src := in.open(t, f, 16<<20)
			r, err := zerocopy.Copy(wrap(near), src)
			if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) || r.Total() < 1<<20 || r.Total() == 16<<20 {
				t.Errorf("%s to %T: %v, %v", in.name, wrap(near), r, err)
			}
			if c, ok := src.(net.Conn); ok {
				c.Close()
			}
		}
	}
}

// What a client receives is the same, byte for byte, with and without this package.
func TestRawResponses(t *testing.T) {
	f, _ := made(t, 3<<20)
	handler := func(ours bool) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if ours {
				w = zerocopy.NewResponseWriter(w, r, zerocopy.Count(new(zerocopy.Counter)))
			}
			must(f.Seek(0, io.SeekStart))
			switch r.URL.Path {
			case "/content":
				http.ServeContent(w, r, "data", time.Unix(1_700_000_000, 0), f)
			case "/chunked":
				io.Copy(w, f)
			case "/short": // fewer bytes than it declared
				w.Header().Set("Content-Length", "4000000")
				io.Copy(w, f)
			case "/long":
				w.Header().Set("Content-Length", "2000000")
				io.Copy(w, f)
			case "/status":
				w.WriteHeader(http.StatusTeapot)
				io.Copy(w, io.LimitReader(f, 100))
			case "/abort":
				w.Header().Set("Content-Length", "3145728")
				io.Copy(w, io.LimitReader(f, 1_000_000))
				panic(http.ErrAbortHandler)
			case "/error":
				http.Error(w, "none", http.StatusNotFound)
			}
		})
	}
	get := func(ours bool, request string) string {
		srv := httptest.NewUnstartedServer(handler(ours))
		if ours {
			srv.Listener = zerocopy.NewListener(srv.Listener, func(net.Conn) zerocopy.Hooks {
				return zerocopy.Hooks{Write: []zerocopy.Hook{zerocopy.Count(new(zerocopy.Counter))}}
			})
		}
		srv.Start()
		defer srv.Close()
		c := must(net.Dial("tcp", srv.Listener.Addr().String()))
		defer c.Close()
		must(io.WriteString(c, request))
		all, err := io.ReadAll(c)
		all = regexp.MustCompile(`Date: .*\r\n`).ReplaceAll(all, nil)
		head, body, _ := bytes.Cut(all, []byte("\r\n\r\n"))
		if bytes.Contains(head, []byte("chunked")) {
			// How a body is cut into chunks is no one's promise.
			body = regexp.MustCompile(`(^|\r\n)[0-9a-f]+\r\n`).ReplaceAll(body, nil)
		}
		return fmt.Sprintf("%s\n%d bytes, %x, %v", head, len(body), sha256.Sum256(body), err)
	}
	for _, path := range []string{"/content", "/chunked", "/short", "/long", "/status", "/abort", "/error"} {
		for _, rest := range []string{
			" HTTP/1.1\r\n", " HTTP/1.0\r\n", " HTTP/1.1\r\nRange: bytes=100-2500000\r\n", " HTTP/1.1\r\nRange: bytes=9000000-\r\n",
			" HTTP/1.1\r\nIf-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n",
		} {
			for _, method := range []string{"GET ", "HEAD "} {
				request := method + path + rest + "Host: h\r\nConnection: close\r\n\r\n"
				if want, got := get(false, request), get(true, request); got != want {
					t.Errorf("%q:\n%s\nwithout this package:\n%s", request, got, want)
				}
			}
		}
	}
}
