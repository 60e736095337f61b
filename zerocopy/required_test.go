package zerocopy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/thresh-dev/thresh/zerocopy"
)

// pointerHook is a hook that needs its receiver.
type pointerHook struct{ n int64 }

func (h *pointerHook) Before(_ context.Context, want int64) (int64, error) { return want - h.n, nil }
func (h *pointerHook) After(n int64, _ zerocopy.Method)                    { h.n = 0 }

// Every constructor panics at once if an argument is nil, or an interface holds a nil pointer, and
// names the function and the argument.
func TestNilArguments(t *testing.T) {
	var (
		conn, _ = net.Pipe()
		tcp     *net.TCPConn
		file    *os.File
		buffer  *bytes.Buffer
		hook    *pointerHook
		server  *httptest.ResponseRecorder
		handler http.HandlerFunc
		request = httptest.NewRequest("GET", "/", nil)
		good    = httptest.NewRecorder()
		open, _ = made(t, 1)
		hooks   = func(net.Conn) zerocopy.Hooks { return zerocopy.Hooks{} }
		listens *net.TCPListener
	)
	defer conn.Close()
	for want, call := range map[string]func(){
		"NewConn: the connection is nil":                              func() { zerocopy.NewConn(nil, zerocopy.Hooks{}) },
		"NewConn: the connection is a nil *net.TCPConn":               func() { zerocopy.NewConn(tcp, zerocopy.Hooks{}) },
		"NewConn: the first hook is nil":                              func() { zerocopy.NewConn(conn, zerocopy.Hooks{Read: []zerocopy.Hook{nil}}) },
		"NewConn: the first hook is a nil *zerocopy_test.pointerHook": func() { zerocopy.NewConn(conn, zerocopy.Hooks{Write: []zerocopy.Hook{hook}}) },
		"NewListener: the listener is nil":                            func() { zerocopy.NewListener(nil, hooks) },
		"NewListener: the listener is a nil *net.TCPListener":         func() { zerocopy.NewListener(listens, hooks) },
		"NewListener: the function hooks is a nil func(net.Conn) zerocopy.Hooks": func() {
			zerocopy.NewListener(&net.TCPListener{}, nil)
		},
		"NewReader: the reader is nil":                            func() { zerocopy.NewReader(nil) },
		"NewReader: the reader is a nil *os.File":                 func() { zerocopy.NewReader(file) },
		"NewReader: the second hook is nil":                       func() { zerocopy.NewReader(open, &pointerHook{}, nil) },
		"NewReadSeeker: the reader is nil":                        func() { zerocopy.NewReadSeeker(nil) },
		"NewReadSeeker: the reader is a nil *os.File":             func() { zerocopy.NewReadSeeker(file) },
		"NewReadSeeker: the first hook is nil":                    func() { zerocopy.NewReadSeeker(open, nil) },
		"NewWriter: the writer is nil":                            func() { zerocopy.NewWriter(nil) },
		"NewWriter: the writer is a nil *bytes.Buffer":            func() { zerocopy.NewWriter(buffer) },
		"NewWriter: the first hook is nil":                        func() { zerocopy.NewWriter(io.Discard, nil) },
		"NewSection: the file is nil":                             func() { zerocopy.NewSection(nil, 0, 1, nil) },
		"NewResponseWriter: the response is nil":                  func() { zerocopy.NewResponseWriter(nil, request) },
		"NewResponseWriter: the response is a nil *httptest.Resp": func() { zerocopy.NewResponseWriter(server, request) },
		"NewResponseWriter: the request is a nil *http.Request":   func() { zerocopy.NewResponseWriter(good, nil) },
		"NewResponseWriter: the first hook is nil":                func() { zerocopy.NewResponseWriter(good, request, nil) },
		"NewHandler: the handler is nil":                          func() { zerocopy.NewHandler(nil) },
		"NewHandler: the handler is a nil http.HandlerFunc":       func() { zerocopy.NewHandler(handler) },
		"Count: the counter is a nil *zerocopy.Counter":           func() { zerocopy.Count(nil) },
		"Limit: the limiter is a nil *zerocopy.Limiter":           func() { zerocopy.Limit(nil) },
		"WriteTimeout: the connection is nil":                     func() { zerocopy.WriteTimeout(nil, time.Second) },
		"WriteTimeout: the connection is a nil *net.TCPConn":      func() { zerocopy.WriteTimeout(tcp, time.Second) },
		"ReadTimeout: the connection is nil":                      func() { zerocopy.ReadTimeout(nil, time.Second) },
		"Trace: the function is a nil func(zerocopy.Event)":       func() { zerocopy.Trace(nil) },
		"Progress: the function is a nil func(int64)":             func() { zerocopy.Progress(1, nil) },
		"SendFile: the connection is nil":                         func() { zerocopy.SendFile(nil, open, 0, 1) },
		"SendFile: the connection is a nil *net.TCPConn":          func() { zerocopy.SendFile(tcp, open, 0, 1) },
		"SendFile: the file is a nil *os.File":                    func() { zerocopy.SendFile(conn, nil, 0, 1) },
		"Copy: the destination is nil":                            func() { zerocopy.Copy(nil, open) },
		"Copy: the source is nil":                                 func() { zerocopy.Copy(io.Discard, nil) },
		"CopyN: the source is nil":                                func() { zerocopy.CopyN(io.Discard, nil, 1) },
		"Path: the destination is nil":                            func() { zerocopy.Path(nil, open) },
		"CopyPath: the source is nil":                             func() { zerocopy.CopyPath(io.Discard, nil) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "zerocopy."+want) {
					t.Errorf("%q, not %q", got, want)
				}
			}()
			call()
		}()
	}
	// A nil slice or map may be a valid value.
	if n, err := io.Copy(zerocopy.NewWriter(io.Discard), zerocopy.NewReader(new(net.Buffers))); n != 0 || err != nil {
		t.Error(n, err)
	}
}

func TestResultPrintsItself(t *testing.T) {
	const reason = "the reader is a struct { io.Reader }, which hides its source"
	var none, one, two zerocopy.Result
	one.Bytes[zerocopy.BySendfile], one.Calls[zerocopy.BySendfile] = 1<<30, 512
	two.Bytes[zerocopy.ByCopy], two.Calls[zerocopy.ByCopy], two.Reason = 512, 1, reason
	two.Bytes[zerocopy.BySplice], two.Calls[zerocopy.BySplice] = 15<<20, 30
	for _, c := range []struct {
		r                    zerocopy.Result
		plain, told, encoded string
	}{
		{none, "0 B", "0 B", `{}`},
		{one, "1.0 GiB by sendfile in 512 calls", "1.0 GiB by sendfile in 512 calls",
			`{"sendfile":{"bytes":1073741824,"calls":512}}`},
		{two, "15 MiB by splice in 30 calls, 512 B by copy in 1 call",
			"15 MiB by splice in 30 calls, 512 B by copy in 1 call: " + reason,
			`{"copy":{"bytes":512,"calls":1},"reason":"` + reason + `","splice":{"bytes":15728640,"calls":30}}`},
	} {
		if got := fmt.Sprint(c.r); got != c.plain {
			t.Errorf("%q, not %q", got, c.plain)
		}
		if got := fmt.Sprintf("%+v", c.r); got != c.told {
			t.Errorf("%q, not %q", got, c.told)
		}
		if got := string(must(json.Marshal(c.r))); got != c.encoded {
			t.Errorf("%s, not %s", got, c.encoded)
		}
	}
	for _, n := range []int64{0, 1, 1023, 1024, 10_188, 10_189, 10_240, 1<<20 - 1, 1 << 20, 1 << 40, math.MaxInt64} {
		one.Bytes[zerocopy.BySendfile], one.Calls[zerocopy.BySendfile] = n, 2
		want := humanize.IBytes(uint64(n)) + " by sendfile in 2 calls"
		if n == 0 {
			want = "0 B"
		}
		if got := one.String(); got != want {
			t.Errorf("%d: %q, not %q", n, got, want)
		}
	}
}

// The Result of a copy says why its bytes went through memory, whatever showed it.
func TestResultReason(t *testing.T) {
	f, _ := made(t, 1<<20)
	for _, c := range []struct {
		dst    io.Writer
		src    io.Reader
		reason string
	}{
		{struct{ io.Writer }{io.Discard}, f, "the writer is a struct { io.Writer }, which hides"},
		{io.Discard, strings.NewReader("text"), "the WriteTo of the *strings.Reader wrote bytes of its own"},
	} {
		must(f.Seek(0, io.SeekStart))
		r, err := zerocopy.Copy(c.dst, c.src)
		if err != nil || r.Total() == 0 || !strings.HasPrefix(r.Reason, c.reason) {
			t.Errorf("%+v, %v, not %q", r, err, c.reason)
		}
	}
}
