package serve

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func itoa(n int) string { return strconv.Itoa(n) }

// faults collects the errors that a handler logs.
type faults struct {
	mu  sync.Mutex
	all []error
}

func (c *faults) add(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, err)
}

// only returns the error, if there is exactly one.
func (c *faults) only(t *testing.T) string {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) != 1 {
		t.Fatalf("errs: %v", c.all)
	}
	return c.all[0].Error()
}

// TestTruncated truncates files that are open: before a response has begun, the client gets an
// error; afterwards the connection is cut. A body never looks complete.
func TestTruncated(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	const size, left = 64 << 20, 1 << 20
	t.Run("all", func(t *testing.T) {
		for _, transport := range transports {
			t.Run(transport.name, func(t *testing.T) {
				dir := t.TempDir()
				makeFiles(t, dir, map[string]string{"small": letters, "large": ""})
				large, small := filepath.Join(dir, "large"), filepath.Join(dir, "small")
				if err := os.Truncate(large, size); err != nil {
					t.Fatal(err)
				}
				var reported faults
				url, client := offer(t, newHandler(openRoot(t, dir), handlerOptions{errorLog: reported.add}), transport.tls, transport.http2)
				ask(t, client, "GET", url+"/small")
				if err := os.Truncate(small, 5); err != nil {
					t.Fatal(err)
				}
				answer, _ := ask(t, client, "GET", url+"/small")
				if answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" || answer.Header.Get("ETag") != "" {
					t.Errorf("small: %d %v", answer.StatusCode, answer.Header)
				}
				if got := reported.only(t); !strings.HasSuffix(got, "/small at 5: 21 bytes unsent: "+errShorter.Error()) {
					t.Error(got)
				}
				reported.all = nil

				for _, ranges := range []string{"", "bytes=0-9,10-"} {
					if err := os.Truncate(large, size); err != nil {
						t.Fatal(err)
					}
					r, err := http.NewRequest("GET", url+"/large", nil)
					if err != nil {
						t.Fatal(err)
					}
					r.Header.Set("Range", ranges)
					answer, err := client.Do(r)
					if err != nil {
						t.Fatal(err)
					}
					if err := os.Truncate(large, left); err != nil {
						t.Fatal(err)
					}
					n, err := io.Copy(io.Discard, answer.Body)
					if err == nil || n >= answer.ContentLength {
						t.Errorf("large %q: %d of %d bytes: %v", ranges, n, answer.ContentLength, err)
					}
					if err := answer.Body.Close(); err != nil {
						t.Error(err)
					}
					if got := reported.only(t); !strings.HasSuffix(got, errShorter.Error()) || !strings.Contains(got, "/large at ") {
						t.Error(got)
					}
					reported.all = nil
				}
			})
		}
	})
}

// TestGrown checks that a response has the promised length, however long the file is now.
func TestGrown(t *testing.T) {
	dir := t.TempDir()
	makeFiles(t, dir, map[string]string{"small": letters, "large": string(big)})
	url, client := offer(t, newHandler(openRoot(t, dir), handlerOptions{errorLog: func(err error) { t.Error(err) }}), false, false)
	for name, content := range map[string]string{"/small": letters, "/large": string(big)} {
		ask(t, client, "HEAD", url+name) // now the file is cached
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Write(big)
		if err := cmp.Or(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if answer, body := ask(t, client, "GET", url+name); answer.StatusCode != 200 || body != content {
			t.Errorf("%s: %d with %d bytes, not %d", name, answer.StatusCode, len(body), len(content))
		}
		if _, body := ask(t, client, "GET", url+name, "Range: bytes=-3"); body != content[len(content)-3:] {
			t.Errorf("the end of %s: %q", name, body)
		}
	}
}

// TestReadError closes the open file, so that reading it fails.
func TestReadError(t *testing.T) {
	s := handlerRoot(t)
	for _, path := range []string{"/letters.txt", "/big.bin"} {
		e, err := s.Lookup(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Plain.Close(); err != nil {
			t.Fatal(err)
		}
		e.Release()
	}
	var reported faults
	url, client := offer(t, newHandler(s, handlerOptions{errorLog: reported.add}), false, false)
	if answer, _ := ask(t, client, "GET", url+"/letters.txt"); answer.StatusCode != 503 {
		t.Errorf("small: %d", answer.StatusCode)
	}
	if got := reported.only(t); !strings.Contains(got, "letters.txt at 0: 26 bytes unsent: file already closed") {
		t.Error(got)
	}
	reported.all = nil
	answer, err := client.Get(url + "/big.bin")
	if err == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	if err == nil {
		t.Error("a file that cannot be read arrived")
	}
}

// TestClientGone checks that a client that leaves is not logged as an error.
func TestClientGone(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("all", func(t *testing.T) {
		dir := t.TempDir()
		makeFiles(t, dir, map[string]string{"large": ""})
		if err := os.Truncate(filepath.Join(dir, "large"), 64<<20); err != nil {
			t.Fatal(err)
		}
		var handled sync.WaitGroup
		h := newHandler(openRoot(t, dir), handlerOptions{errorLog: func(err error) { t.Error(err) }})
		for _, transport := range transports {
			url, client := offer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer handled.Done()
				h.ServeHTTP(w, r)
			}), transport.tls, transport.http2)
			for range 3 {
				handled.Add(1)
				answer, err := client.Get(url + "/large")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.CopyN(io.Discard, answer.Body, 1000); err != nil {
					t.Error(err)
				}
				if err := answer.Body.Close(); err != nil { // with the most of it unread
					t.Error(err)
				}
			}
		}
		handled.Wait()
	})
}

// TestAsServeContent compares the handler with http.ServeContent where both should do the same:
// conditions, and one well-formed range.
func TestAsServeContent(t *testing.T) {
	s := handlerRoot(t)
	h := newHandler(s, handlerOptions{errorLog: func(err error) { t.Error(err) }})
	e, err := s.Lookup("/letters.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Release()
	theirs := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", e.Plain.ETag)
		w.Header().Set("Content-Type", e.Plain.Type)
		http.ServeContent(w, r, "letters.txt", e.Plain.Modified, strings.NewReader(letters))
	})
	dates := []string{"", "", changed.Format(http.TimeFormat), changed.AddDate(0, 0, 1).Format(http.TimeFormat),
		changed.AddDate(0, 0, -1).Format(http.TimeFormat), changed.Format("Monday, 02-Jan-06 15:04:05 GMT"), "x"}
	tags := []string{"", "", e.Plain.ETag, "W/" + e.Plain.ETag, `"x"`, "*", `"x", ` + e.Plain.ETag, `W/"x","y"`}
	values := map[string][]string{
		"Range": {"", "", "bytes=0-0", "bytes=3-7", "bytes=-4", "bytes=20-", "bytes=20-99", "bytes=26-", "bytes=0-25", "bytes=0-,0-"},
		// a list in If-Range is malformed; net/http uses its first tag
		"If-Range": append(tags[:5:5], dates...),
		"If-Match": tags, "If-None-Match": tags, "If-Modified-Since": dates, "If-Unmodified-Since": dates,
	}
	random := rand.New(rand.NewPCG(5, 5))
	seen := map[int]int{}
	for range 5000 {
		method := []string{"GET", "HEAD"}[random.IntN(2)]
		lines := http.Header{}
		for _, name := range []string{"Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"} {
			if v := values[name][random.IntN(len(values[name]))]; v != "" && random.IntN(2) == 0 {
				lines.Set(name, v)
			}
		}
		do := func(h http.Handler) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, "/letters.txt", nil)
			r.Header = lines
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		a, b := do(h), do(theirs)
		seen[a.Code]++
		if a.Code != b.Code {
			t.Fatalf("%s %v: %d, net/http %d", method, lines, a.Code, b.Code)
		}
		for _, name := range []string{"Content-Range", "Content-Length", "Last-Modified", "Etag", "Accept-Ranges"} {
			x, y := a.Header().Get(name), b.Header().Get(name)
			if a.Code < 400 && x != y && !(a.Code == 304 && name == "Last-Modified") || name == "Content-Range" && x != y {
				t.Fatalf("%s %v: %d with %s %q, net/http %q", method, lines, a.Code, name, x, y)
			}
		}
		if a.Code < 400 && !bytes.Equal(a.Body.Bytes(), b.Body.Bytes()) {
			t.Fatalf("%s %v: %q, net/http %q", method, lines, a.Body, b.Body)
		}
	}
	for _, status := range []int{200, 206, 304, 412, 416} {
		if seen[status] < 20 {
			t.Errorf("%d only %d times: this tests too little", status, seen[status])
		}
	}
}

// TestServeError checks that errors of the system are logged, and the client gets status 500
// without details.
func TestServeError(t *testing.T) {
	var reported faults
	h := &handler{options: handlerOptions{errorLog: reported.add}}
	w := httptest.NewRecorder()
	h.serveError(w, httptest.NewRequest("GET", "/", nil), errors.New("open x: input/output error"))
	if w.Code != 500 || strings.Contains(w.Body.String(), "input") || reported.only(t) != "open x: input/output error" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

// BenchmarkSmall measures a small file from the request to the write.
func BenchmarkSmall(b *testing.B) {
	dir := b.TempDir()
	makeFiles(b, dir, map[string]string{"small": string(big[:4096])})
	h := newHandler(openRoot(b, dir), handlerOptions{})
	r := httptest.NewRequest("GET", "/small", nil)
	r.Header = http.Header{"User-Agent": {"x"}, "Accept": {"*/*"}}
	w := &emptied{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		w.n = 0
		h.ServeHTTP(w, r)
		if w.n != 4096 {
			b.Fatalf("%d bytes", w.n)
		}
	}
}

type emptied struct {
	header http.Header
	n      int
}

func (w *emptied) Header() http.Header { return w.header }
func (w *emptied) WriteHeader(int)     {}

func (w *emptied) Write(p []byte) (int, error) {
	w.n += len(p)
	return len(p), nil
}
