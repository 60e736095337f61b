package remote

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/options"
)

// TestContentEncoding opens objects whose servers compress them: what is known is decoded, by ranges and in one
// answer, and everything else is an error that names it.
func TestContentEncoding(t *testing.T) {
	data := text(300_000)
	squeeze := func(w io.WriteCloser, into *bytes.Buffer) []byte {
		w.Write(data)
		w.Close()
		return into.Bytes()
	}
	var z, f, g bytes.Buffer
	bare, _ := flate.NewWriter(&f, 6)
	zlibbed, flated, gzipped := squeeze(zlib.NewWriter(&z), &z), squeeze(bare, &f), squeeze(gzip.NewWriter(&g), &g)
	for _, test := range []struct {
		coding string
		sent   []byte
		fails  string
	}{
		{"identity", data, ""},
		{"aws-chunked", data, ""},
		{"gzip", gzipped, ""},
		{"aws-chunked, X-GZIP", gzipped, ""},
		{"deflate", zlibbed, ""},
		{"Deflate", flated, ""},
		{"deflate", zlibbed[:len(zlibbed)/2], "unexpected EOF"},
		{"deflate", append(zlibbed[:len(zlibbed):len(zlibbed)], data...), "bytes follow"},
		{"br", flated, "Content-Encoding: br"},
		{"gzip, br", flated, "Content-Encoding: gzip, br"},
		{"compress", flated, "Content-Encoding: compress"},
		{"deflate, gzip", gzipped, "Content-Encoding: deflate, gzip"},
	} {
		for _, kind := range []string{"ranges", "no version"} {
			c := newClient(t, quick)
			name := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Encoding", test.coding)
				if kind == "ranges" {
					serveRanges(test.sent)(w, r)
					return
				}
				w.Header().Set("Content-Length", fmt.Sprint(len(test.sent)))
				w.Write(test.sent)
			})
			got, err := wordsOf(t, c, name)
			switch {
			case test.fails == "" && (err != nil || got != int64(bytes.Count(data, []byte("needle")))):
				t.Errorf("%s, %s: %d, %v", test.coding, kind, got, err)
			case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
				t.Errorf("%s, %s: %d, %v, want %s", test.coding, kind, got, err, test.fails)
			}
			if in, err := c.Open(t.Context(), name, thresh.Raw); err != nil {
				t.Errorf("%s, %s, raw: %v", test.coding, kind, err)
			} else {
				in.Close()
			}
			if _, err := c.OpenTensors(t.Context(), name); strings.HasPrefix(test.fails, "Content") &&
				(err == nil || !strings.Contains(err.Error(), test.fails)) {
				t.Errorf("%s, %s, tensors: %v", test.coding, kind, err)
			}
		}
	}
}

// wordsOf counts the needles of an object. What is not read is an error.
func wordsOf(t *testing.T, c *Client, name string) (int64, error) {
	in, err := c.Open(t.Context(), name)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	q, err := thresh.Text("needle")
	if err != nil {
		t.Fatal(err)
	}
	r, err := thresh.Count(t.Context(), in, q, options.Scan{})
	if err == nil && len(r.Unread) > 0 {
		err = &r.Unread[0]
	}
	return r.Hits, err
}

// TestEmptyInStore reads an empty object of a store, which answers a request for a range by an error that does not
// tell the size.
func TestEmptyInStore(t *testing.T) {
	cleanEnvironment(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "" {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			fmt.Fprint(w, "<Error><Code>InvalidRange</Code></Error>")
		}
	}))
	defer server.Close()
	o := quick
	o.S3Endpoint = server.URL
	if n, err := wordsOf(t, newClient(t, o), "s3://b/_SUCCESS"); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// TestLiteralKeys lists keys that look like patterns.
func TestLiteralKeys(t *testing.T) {
	cleanEnvironment(t)
	listable := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("list-type") == "":
			if r.URL.Path != "/b/a[1].txt" {
				w.WriteHeader(http.StatusForbidden)
			}
		case !listable:
			w.WriteHeader(http.StatusForbidden)
		default:
			fmt.Fprint(w, "<ListBucketResult>")
			for _, key := range []string{"a1.txt", "a[1].txt", "d[1]/x", "d[1]/y", "d1/z", "q?", "qq", "]"} {
				if strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
					fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>1</Size></Contents>", key)
				}
			}
			fmt.Fprint(w, "<IsTruncated>false</IsTruncated></ListBucketResult>")
		}
	}))
	defer server.Close()
	o := quick
	o.S3Endpoint = server.URL
	c := newClient(t, o)
	check := func(key string, recursive bool, want string) {
		t.Helper()
		var got []string
		for name, err := range c.Files(t.Context(), "s3://b/"+key, recursive) {
			if err != nil {
				name = "error"
			}
			got = append(got, strings.TrimPrefix(name, "s3://b/"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	check("a[1].txt", false, "a[1].txt")
	check("a[12].txt", false, "a1.txt")
	check("a*.txt", false, "a1.txt a[1].txt")
	check("d[1]", true, "d[1]/x d[1]/y")
	check("d[1]/x", true, "d[1]/x")
	check("d[12]", true, "d1/z")
	check("q?", false, "q?")
	check("]", false, "]")
	listable = false
	check("a[1].txt", false, "a[1].txt")
	check("a[2].txt", false, "error")
}

// TestTriedOnce meets errors that no other attempt can heal.
func TestTriedOnce(t *testing.T) {
	cleanEnvironment(t)
	var asked atomic.Int64
	one := func(answer http.HandlerFunc) string {
		return serve(t, func(w http.ResponseWriter, r *http.Request) { asked.Add(1); answer(w, r) })
	}
	says := func(text string) string {
		return one(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(conn, text)
			conn.Close()
		})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := "http://" + l.Addr().String() + "/object"
	l.Close()
	plain := says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	for _, test := range []struct {
		name   string
		asked  int64
		reason string
	}{
		{one(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/object", http.StatusFound) }), redirectsMax,
			"more than 10 redirects"},
		{one(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "ftp://h/x", http.StatusFound) }), 1, "ftp://h/x"},
		{refusing, 0, "refused"},
		{says("nonsense of no protocol\r\n\r\n"), 1, "malformed"},
		{says("HTTP/1.1 abc OK\r\n\r\n"), 1, "malformed"},
		{says("HTTP/1.1 200 OK\r\nno header\r\n\r\n"), 1, "malformed"},
		{strings.Replace(plain, "http:", "https:", 1), 0, "server gave HTTP response to HTTPS client"},
		{one(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes x-y/z")
			w.WriteHeader(http.StatusPartialContent)
		}), 1, "Content-Range"},
	} {
		asked.Store(0)
		c := newClient(t, quick)
		_, err := c.Open(t.Context(), test.name)
		if err == nil || !strings.Contains(err.Error(), test.reason) || strings.Contains(err.Error(), "attempts") ||
			asked.Load() != test.asked {
			t.Errorf("%s: asked %d times, want %d: %v", test.reason, asked.Load(), test.asked, err)
		}
	}
	asked.Store(0)
	o := quick
	o.S3Endpoint = strings.TrimSuffix(one(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html></html>") }),
		"/object")
	for _, err := range newClient(t, o).Files(t.Context(), "s3://b/x", true) {
		if err == nil || !strings.Contains(err.Error(), "no list") || asked.Load() != 1 {
			t.Errorf("a list: asked %d times: %v", asked.Load(), err)
		}
	}
}
