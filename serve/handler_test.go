package serve

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/thresh-dev/thresh/internal/net/docroot"
)

const letters = "abcdefghijklmnopqrstuvwxyz"

var (
	changed = time.Date(2024, 2, 29, 12, 30, 45, 123456789, time.UTC)
	// big is sent by the kernel where possible; its end is not at a page boundary
	big = bytes.Repeat([]byte("0123456789abcdef\n"), 20_001)
)

// handlerFiles are the files of the folder that the handler's tests serve.
var handlerFiles = map[string]string{
	"letters.txt":       letters,
	"empty.txt":         "",
	"big.bin":           string(big),
	"page.html":         "<h1>page</h1>",
	"page.html.gz":      "the page in gzip",
	"page.html.br":      "the page in br",
	"style.css":         "p{}",
	"style.css.gz":      string(big[:100_000]),
	"only.gz":           "no variant of anything",
	"no-extension":      "plain",
	"old.txt":           "from 1970",
	"index/index.html":  "the index",
	"sub/a.txt":         "a",
	"sub/b/c.txt":       "c",
	"ümlaut 文.txt":      "utf-8",
	"a#b?c%41&d;e+f.g":  "marks",
	"q\"'<>`{}|^\\.txt": "quotes",
	"new\nline\t.txt":   "control",
	"\xff\xfe.txt":      "no utf-8",
	"colon: x.txt":      "colon",
	"javascript:0":      "scheme",
	"..dots.txt":        "dots",
	".hidden":           "hidden",
}

func makeFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		when := changed
		if name == "old.txt" {
			when = time.Unix(0, 0)
		}
		if err := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644),
			os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
	}
}

// openRoot opens dir, with entries cached for an hour.
func openRoot(t testing.TB, dir string) *docroot.Root {
	t.Helper()
	s, err := docroot.Open(dir, docroot.Options{Revalidate: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func handlerRoot(t testing.TB) *docroot.Root {
	dir := t.TempDir()
	makeFiles(t, dir, handlerFiles)
	return openRoot(t, dir)
}

// transports differ in how a body is sent.
var transports = []struct {
	name       string
	tls, http2 bool
}{{"http", false, false}, {"tls", true, false}, {"http2", true, true}}

// offer serves h and returns the address, and a client that does not follow redirects or
// decompress.
func offer(t testing.TB, h http.Handler, tls, http2 bool) (string, *http.Client) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = http2
	if tls {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	client := server.Client()
	client.Transport.(*http.Transport).DisableCompression = true
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return server.URL, client
}

// ask sends one request; lines are "Name: value".
func ask(t testing.TB, client *http.Client, method, url string, lines ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s %q: %v", method, url, lines, err)
	}
	body, err := io.ReadAll(answer.Body)
	if err := cmp.Or(err, answer.Body.Close()); err != nil {
		t.Fatalf("%s %s %q: %v", method, url, lines, err)
	}
	return answer, string(body)
}

// TestRequests sends every row of the table over each transport, as is and as HEAD.
func TestRequests(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("all", func(t *testing.T) {
		h := newHandler(handlerRoot(t), handlerOptions{errorLog: func(err error) { t.Error(err) }})
		for _, transport := range transports {
			t.Run(transport.name, func(t *testing.T) {
				url, client := offer(t, h, transport.tls, transport.http2)
				fill := placeholders(t, client, url)
				for _, row := range requests {
					method, path, _ := strings.Cut(row.request, " ")
					check(t, client, method, url+path, fill, row)
				}
			})
		}
	})
}

// placeholders replace what a table cannot contain: tags, and dates around the file's.
func placeholders(t *testing.T, client *http.Client, url string) *strings.Replacer {
	t.Helper()
	tag := func(path string, lines ...string) string {
		answer, _ := ask(t, client, "HEAD", url+path, lines...)
		if answer.Header.Get("ETag") == "" {
			t.Fatalf("%s has no ETag", path)
		}
		return answer.Header.Get("ETag")
	}
	return strings.NewReplacer(
		"{letters}", tag("/letters.txt"), "{page}", tag("/page.html"),
		"{gz}", tag("/page.html", "Accept-Encoding: gzip"), "{br}", tag("/page.html", "Accept-Encoding: br"),
		"{date}", changed.Format(http.TimeFormat),
		"{before}", changed.Add(-time.Second).Format(http.TimeFormat),
		"{after}", changed.Add(time.Hour).Format(http.TimeFormat),
		"{850}", changed.Format("Monday, 02-Jan-06 15:04:05 GMT"), "{ansi}", changed.Format(time.ANSIC),
	)
}

func check(t *testing.T, client *http.Client, method, url string, fill *strings.Replacer, row request) {
	t.Helper()
	lines := func(text string) []string {
		if text == "" {
			return nil
		}
		return strings.Split(fill.Replace(text), " | ")
	}
	about := fmt.Sprintf("%s [%s]", row.request, row.lines)
	answer, body := ask(t, client, method, url, lines(row.lines)...)
	if answer.StatusCode != row.status {
		t.Errorf("%s: %d, not %d", about, answer.StatusCode, row.status)
		return
	}
	if row.body != "*" && method != "HEAD" && body != row.body {
		t.Errorf("%s: body %.60q (%d), not %.60q (%d)", about, body, len(body), row.body, len(row.body))
	}
	for _, line := range lines(row.want) {
		name, value, _ := strings.Cut(line, ": ")
		got := strings.Join(answer.Header.Values(name), ", ")
		if name == "Content-Length" {
			got = fmt.Sprint(answer.ContentLength)
		}
		if value == "-" && got != "" || value != "-" && got != value {
			t.Errorf("%s: %s is %q, not %q", about, name, got, value)
		}
	}
	if got := answer.Header.Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("%s: X-Content-Type-Options is %q", about, got)
	}
	if method != "GET" {
		return
	}
	if answer.ContentLength != int64(len(body)) && answer.StatusCode != 304 {
		t.Errorf("%s: Content-Length %d of %d bytes", about, answer.ContentLength, len(body))
	}
	head, body := ask(t, client, "HEAD", url, lines(row.lines)...)
	if answer.Header.Get("Etag") != "" && head.Header.Get("Etag") == "" && head.StatusCode == 200 {
		return // a HEAD that read no folder
	}
	if answer.StatusCode == 304 {
		head.ContentLength = answer.ContentLength // without the field the client makes one up
	}
	if body != "" || head.StatusCode != answer.StatusCode || head.ContentLength != answer.ContentLength {
		t.Errorf("HEAD of %s: %d, length %d, body %q; GET has %d, length %d", about,
			head.StatusCode, head.ContentLength, body, answer.StatusCode, answer.ContentLength)
	}
	for _, h := range []http.Header{head.Header, answer.Header} {
		h.Del("Date")
		if strings.HasPrefix(h.Get("Content-Type"), "multipart/") {
			h.Set("Content-Type", "multipart/byteranges") // boundaries differ
		}
	}
	if a, b := headerLines(head.Header), headerLines(answer.Header); !slices.Equal(a, b) {
		t.Errorf("HEAD of %s: %q, GET %q", about, a, b)
	}
}

func headerLines(h http.Header) (lines []string) {
	for name, values := range h {
		lines = append(lines, name+": "+strings.Join(values, " | "))
	}
	slices.Sort(lines)
	return lines
}
