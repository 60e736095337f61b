package serve

import (
	"bufio"
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func newPlainRequest() *plainRequest { return &plainRequest{header: http.Header{}} }

func TestPlainRequest(t *testing.T) {
	r := newPlainRequest()
	for _, c := range []struct {
		header string
		plain  bool
		last   bool
	}{
		{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", true, false},
		{"HEAD /a%20b?c HTTP/1.1\r\nhost: x\r\nconnection: Keep-Alive, CLOSE\r\n\r\n", true, true},
		{"GET / HTTP/1.0\r\n\r\n", true, true},
		{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true, false},
		{"GET / HTTP/1.1\nHost: x\r\n\r\n", false, false},
		{"GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", false, false},
		{"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", false, false},
		{"GET / HTTP/1.1\r\nHost: x\r\n A: b\r\n\r\n", false, false},
		{"GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n", false, false},
		{"GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", false, false},
		{"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n\r\n", false, false},
		{"GET / HTTP/1.1\r\nHost: x\r\ntransfer-encoding: chunked\r\n\r\n", false, false},
		{"GET / HTTP/1.1\r\nHost: x\r\nContent-length: 0\r\n\r\n", false, false},
		{"GET / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n", false, false},
		{"GET /\x80 HTTP/1.1\r\nHost: x\r\n\r\n", false, false},
		{"get / HTTP/1.1\r\nHost: x\r\n\r\n", false, false},
	} {
		if plain := r.parse([]byte(c.header), "r"); plain != c.plain || plain && r.closeAfter != c.last {
			t.Errorf("%q: plain %t, last %t", c.header, plain, r.closeAfter)
		}
	}
}

// FuzzPlainRequest compares the parser with net/http: both read every request that the parser
// accepts alike.
func FuzzPlainRequest(f *testing.F) {
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"HEAD /a%20b/../c?d=e&f HTTP/1.0\r\nA: b\r\nA:  c \r\nConnection: a, close\r\n\r\n",
		"GET //x#y HTTP/1.1\r\nHost: [::1]:80\r\nRange: bytes=0-\r\n\r\n",
		"GET /* HTTP/1.1\r\nHost: \r\nPragma: no-cache\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	r := newPlainRequest()
	f.Fuzz(func(t *testing.T, b []byte) {
		end := bytes.Index(b, headerEnd)
		if end < 0 {
			return
		}
		b = b[:end+len(headerEnd)]
		if !r.parse(b, "r") {
			return
		}
		want, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			t.Fatalf("%q: net/http says %v", b, err)
		}
		if r.Method != want.Method || r.URL.String() != want.URL.String() || r.URL.Path != want.URL.Path ||
			r.RequestURI != want.RequestURI || r.Proto != want.Proto || r.Host != want.Host || r.closeAfter != want.Close {
			t.Errorf("%q: read as %+v, want %+v", b, r.Request, *want)
		}
		for name, values := range want.Header {
			// net/http adds this field to requests that have only Pragma: no-cache.
			if name != "Cache-Control" && !slices.Equal(r.header[name], values) {
				t.Errorf("%q: %s is %q, want %q", b, name, r.header[name], values)
			}
		}
		for name := range r.header {
			// net/http hides Connection: close and the like from handlers.
			if _, ok := want.Header[name]; !ok && name != "Connection" && !strings.EqualFold(name, "Keep-Alive") {
				t.Errorf("%q: %s is not there", b, name)
			}
		}
	})
}
