package remote

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/options"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(countVariable); name != "" {
		os.Exit(countInProcess(name))
	}
	goleak.VerifyTestMain(m)
}

var quick = Options{StallMax: 20 * time.Second, Attempts: 5, PauseMin: time.Millisecond}

// text returns lines of different lengths, some with quoted fields.
func text(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, "%d,needle%d,\"%s\n%d\"\n", r.IntN(1000), r.IntN(50), strings.Repeat("x", r.IntN(90)), b.Len())
	}
	return b.Bytes()[:n]
}

func newClient(t *testing.T, o Options) *Client {
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL + "/object"
}

const etag = `"v1"`

// serveRanges answers as an honest server with versions.
func serveRanges(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
}

// servers are the kinds of honest servers.
var servers = map[string]func(data []byte) http.HandlerFunc{
	"ranges": serveRanges,
	"modified": func(data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), bytes.NewReader(data))
		}
	},
	"no version": func(data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}
	},
	"no ranges": func(data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(data)))
			w.Write(data)
		}
	},
	"chunked": func(data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for part := range slices.Chunk(data, 99_999) {
				w.Write(part)
				w.(http.Flusher).Flush()
			}
		}
	},
	"short answers": func(data []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			off, end := asked(r)
			if off < len(data) {
				r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, min(end, off+150_000)-1))
			}
			serveRanges(data)(w, r)
		}
	},
}

// asked returns the range that a request is for.
func asked(r *http.Request) (off, end int) {
	if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &off, &end); n < 2 {
		return 0, 1 << 40
	}
	return off, end + 1
}

// answers asks every kind of question and returns all that is found.
func answers(t *testing.T, open func() (*thresh.Input, error), o options.Find) string {
	t.Helper()
	var out strings.Builder
	ask := func(what string, f func(in *thresh.Input) (answer.Report, error)) {
		in, err := open()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		r, err := f(in)
		if err := errors.Join(err, in.Close()); err != nil || !r.Complete {
			t.Fatalf("%s: %v, unread %v", what, err, r.Unread)
		}
		fmt.Fprintf(&out, "%s: %d of %d bytes\n", what, r.Hits, r.Bytes)
	}
	literal, _ := thresh.Text("needle7")
	rows, _ := thresh.Rows(',')
	expr, _ := thresh.Regexp("needle1[0-9],\"x+$")
	for i, q := range []*thresh.Query{thresh.LineCount(), literal, rows, expr} {
		ask([]string{"lines", "text", "rows", "regex"}[i], func(in *thresh.Input) (answer.Report, error) {
			return thresh.Count(t.Context(), in, q, o.Scan())
		})
	}
	ask("find", func(in *thresh.Input) (answer.Report, error) {
		return thresh.Find(t.Context(), in, expr, o, func(hits []answer.Hit) error {
			for _, h := range hits {
				fmt.Fprint(&out, h.Off, " ")
			}
			return nil
		})
	})
	first := o
	first.Limit = 1
	in, err := open()
	if err != nil {
		t.Fatal(err)
	}
	late, _ := thresh.Text("\"\n4999,needle") // not there: all is searched
	r, err := thresh.Find(t.Context(), in, late, first, func(hits []answer.Hit) error { fmt.Fprint(&out, hits); return nil })
	if err := errors.Join(err, in.Close()); err != nil || !r.Complete {
		t.Fatal(err, r.Unread)
	}
	return out.String()
}

// TestSameAsFile asks every question of objects of all kinds of servers, and of the same bytes in a file.
func TestSameAsFile(t *testing.T) {
	plain := text(1_700_000)
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write(plain)
	w.Close()
	length := int64(900_001)
	for what, data := range map[string][]byte{"plain": plain, "gzip": gz.Bytes(), "small": plain[:70_000], "empty": nil} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, o := range []options.Find{{}, {Run: options.Run{ChunkBytes: 100_000, Workers: 3}}, {Offset: 77_777, Length: &length}} {
			if o.Offset > 0 && len(data) < 80_000 {
				continue
			}
			want := answers(t, func() (*thresh.Input, error) { return thresh.Open(path) }, o)
			for kind, server := range servers {
				t.Run(fmt.Sprint(kind, "/", what, "/", o.ChunkBytes, o.Offset), func(t *testing.T) {
					c := newClient(t, quick)
					name := serve(t, server(data))
					got := answers(t, func() (*thresh.Input, error) { return c.Open(t.Context(), name) }, o)
					if got != want {
						t.Errorf("got\n%s\nwant\n%s", got, want)
					}
				})
			}
		}
	}
}

// TestRefused opens what cannot be opened.
func TestRefused(t *testing.T) {
	c := newClient(t, quick)
	plain := serve(t, serveRanges([]byte("plain")))
	secure := httptest.NewTLSServer(http.RedirectHandler(plain, http.StatusFound))
	defer secure.Close()
	c.http.Transport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	loop := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) })
	for name, want := range map[string]string{
		secure.URL:   "from https to http://",
		loop:         "more than 10 redirects",
		"s3://":      "no bucket",
		"s3://b/":    "-r reads",
		"https:///x": "no host",
		serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404) }): "404 Not Found",
		serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "86400")
			w.WriteHeader(503)
		}): "asks to wait for 24h",
		serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			conn, buf, _ := w.(http.Hijacker).Hijack()
			buf.WriteString("")
			conn.Close()
		}): "broke off",
		serve(t, func(w http.ResponseWriter, r *http.Request) {
			conn, buf, _ := w.(http.Hijacker).Hijack()
			io.WriteString(buf, "HTTP/1.0 200 OK\r\n\r\nhow long am I")
			buf.Flush()
			conn.Close()
		}): "how long",
	} {
		in, err := c.Open(t.Context(), name)
		if err == nil {
			// Content that is read once meets its end when it is read.
			r, readErr := thresh.Count(t.Context(), in, thresh.LineCount(), options.Scan{})
			if len(r.Unread) > 0 {
				err = &r.Unread[0]
			} else {
				err = readErr
			}
			in.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) && want != "broke off" {
			t.Errorf("%s: %v, without %q", name, err, want)
		}
		if missing := strings.Contains(want, "404"); missing != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v is fs.ErrNotExist: %v", name, err, !missing)
		}
	}
}

// TestCertificate refuses a server with an untrusted certificate at once: another attempt would not help.
func TestCertificate(t *testing.T) {
	var connections atomic.Int64
	s := httptest.NewUnstartedServer(serveRanges([]byte("secret")))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.StartTLS()
	defer s.Close()
	_, err := newClient(t, quick).Open(t.Context(), s.URL)
	if !errors.As(err, new(*tls.CertificateVerificationError)) || connections.Load() != 1 {
		t.Errorf("%d connections: %v", connections.Load(), err)
	}
}

// TestRedirect follows a redirect to another host, which gets no password, and goes back to the start when the
// address it led to is no longer valid.
func TestRedirect(t *testing.T) {
	data := text(1_300_000)
	var mu sync.Mutex
	var valid int
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok {
			t.Error("the other host got the password")
		}
		mu.Lock()
		ok := r.URL.RawQuery == strconv.Itoa(valid)
		mu.Unlock()
		if !ok {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		serveRanges(data)(w, r)
	})
	var redirects atomic.Int64
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "secret" {
			t.Error("no password")
		}
		redirects.Add(1)
		mu.Lock()
		defer mu.Unlock()
		http.Redirect(w, r, strings.Replace(target, "127.0.0.1", "localhost", 1)+"?"+strconv.Itoa(valid), http.StatusFound)
	})
	c := newClient(t, quick)
	name := strings.Replace(first, "http://", "http://me:secret@", 1)
	in, err := c.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if strings.Contains(in.Name(), "secret") {
		t.Errorf("the name shows the password: %s", in.Name())
	}
	mu.Lock()
	valid++
	mu.Unlock()
	r, err := thresh.Count(t.Context(), in, thresh.NonZero(), options.Scan{Run: options.Run{Workers: 2}})
	if err != nil || r.Hits != int64(len(data)) {
		t.Errorf("%d of %d, unread %v: %v", r.Hits, len(data), r.Unread, err)
	}
	if n := redirects.Load(); n < 2 || n > 4 {
		t.Errorf("%d redirects", n)
	}
}

// TestEngines refuses the engines that read files.
func TestEngines(t *testing.T) {
	data := text(1_300_000)
	c := newClient(t, quick)
	name := serve(t, serveRanges(data))
	for _, e := range []options.Engine{"pread", "mmap", "uring", "stream", "auto"} {
		in, err := c.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := thresh.Count(t.Context(), in, thresh.NonZero(), options.Scan{Run: options.Run{Engine: e}})
		in.Close()
		if allowed := e == "stream" || e == "auto"; allowed != (err == nil) || allowed && r.Hits != int64(len(data)) {
			t.Errorf("%s: %d of %d: %v", e, r.Hits, len(data), err)
		}
	}
}

// TestLatency: Traffic says how long the server took until its answer began.
func TestLatency(t *testing.T) {
	const wait = 20 * time.Millisecond
	answer := serveRanges([]byte("content"))
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(wait)
		answer(w, r)
	})
	o, err := newClient(t, Options{}).OpenObject(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if latency, _ := o.Traffic(); latency < wait {
		t.Errorf("the server waits for %s, and its latency is %s", wait, latency)
	}
}
