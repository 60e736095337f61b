package vet_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The fixes of hiddenfile, and what missinglength advises, must not change what a client sees. Here the code before and
// after each of them answers the same requests.

// answer is what a client sees of a response. Its length is missing before it is set.
type answer struct {
	status int
	header http.Header
	body   string
	broken bool // the body ends before its length
}

func ask(t *testing.T, h http.Handler, path string, header ...string) answer {
	t.Helper()
	s := httptest.NewServer(h)
	defer s.Close()
	req, err := http.NewRequest(http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = path // as it is, not cleaned
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	resp.Header.Del("Date")
	resp.Header.Del("Content-Length")
	return answer{resp.StatusCode, resp.Header, string(body), err != nil}
}

func TestHiddenFileFixKeepsBehaviour(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.txt": "text", ".hidden": "hidden", "with space": "x", "empty": "", "pages/index.html": "<p>index", "lists/b": "b",
		"lists/c/d": "d", "ü.txt": "umlaut",
	} {
		path := filepath.Join(dir, "root", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "root")
	for link, to := range map[string]string{"inside": "a.txt", "outside": "../secret", "dangling": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	before, after := http.FileServerFS(os.DirFS(root)), http.FileServer(http.Dir(root))
	for _, path := range []string{
		"/", "/a.txt", "/a.txt/", "/a.txt/x", "/.hidden", "/with%20space", "/empty", "/missing", "/pages", "/pages/", "/pages/index.html",
		"/index.html", "/lists", "/lists/", "/lists/c/", "/lists//b", "/lists/./b", "/lists/../a.txt", "/../secret", "/%2e%2e/secret",
		"/..%2fsecret", "/%5c", "/inside", "/outside", "/dangling", "/%C3%BC.txt", "/lists/c/d?x=1",
	} {
		b, a := ask(t, before, path), ask(t, after, path)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: before %+v, after %+v", path, b, a)
		}
	}
	for _, path := range []string{"/%00", "/a.txt%00", "/%ff"} { // the one difference: an invalid name is not found
		if b, a := ask(t, before, path), ask(t, after, path); b.status != http.StatusInternalServerError || a.status != http.StatusNotFound {
			t.Errorf("%s: before %+v, after %+v", path, b, a)
		}
	}
	for _, h := range [][]string{
		{"Range", "bytes=1-2"}, {"Range", "bytes=0-0,2-3"}, {"Range", "bytes=9-"},
		{"If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"},
	} {
		b, a := ask(t, before, "/a.txt", h...), ask(t, after, "/a.txt", h...)
		if b.status != a.status || b.broken || a.broken {
			t.Errorf("%v: before %+v, after %+v", h, b, a)
		}
	}
}

func TestMissingLengthAdviceKeepsBehaviour(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.gz")
	text := strings.Repeat("text", 10_000)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := func(length func(r *http.Request) bool) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f, err := os.Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			fi, err := f.Stat()
			if err != nil {
				t.Error(err)
				return
			}
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Etag", `"a"`)
			if length(r) {
				w.Header().Set("Content-Length", strconv.FormatInt(fi.Size(), 10))
			}
			http.ServeContent(w, r, "data", time.Unix(1e9, 0), f)
		})
	}
	before := serve(func(*http.Request) bool { return false })
	always := serve(func(*http.Request) bool { return true })
	after := serve(func(r *http.Request) bool {
		return r.Header.Get("If-Match") == "" && r.Header.Get("If-Unmodified-Since") == ""
	})
	for _, h := range [][]string{
		nil, {"Range", "bytes=5-10"}, {"Range", "bytes=900000-"}, {"Range", "nonsense"}, {"If-Match", `"b"`}, {"If-Match", `"a"`},
		{"If-None-Match", `"a"`}, {"If-None-Match", `"b"`}, {"If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"},
		{"If-Unmodified-Since", "Mon, 02 Jan 1995 15:04:05 GMT"}, {"If-Range", `"b"`, "Range", "bytes=1-2"},
	} {
		b, a := ask(t, before, "/", h...), ask(t, after, "/", h...)
		if !reflect.DeepEqual(a, b) || b.broken {
			t.Errorf("%v: before %+v, after %+v", h, b.status, a.status)
		}
	}
	if a := ask(t, always, "/", "If-Match", `"b"`); !a.broken {
		t.Error("a length without the condition does not break a 412 any more: the fix can do without it")
	}
}
