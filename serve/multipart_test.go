package serve

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/net/httpsem"
)

// TestParts parses responses with several ranges with mime/multipart.
func TestParts(t *testing.T) {
	h := newHandler(handlerRoot(t), handlerOptions{errorLog: func(err error) { t.Error(err) }})
	many := strings.TrimSuffix(strings.Repeat("0-9,100-109,", httpsem.RangesMax/2), ",")
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			url, client := offer(t, h, transport.tls, transport.http2)
			for _, c := range []struct {
				path, ranges, coding string
				content              string
				parts                int
			}{
				{"/letters.txt", "0-1,3-4", "", letters, 2},
				{"/letters.txt", "-1,0-0,5-6", "", letters, 3},
				{"/letters.txt", "20-100,0-0,99-", "", letters, 2},
				{"/big.bin", "0-0,1-99999,-100000", "", string(big), 3},
				{"/big.bin", "0-32767,32768-65536,-1", "", string(big), 3},
				{"/big.bin", "300000-,0-299999", "", string(big), 2},
				{"/big.bin", many, "", string(big), httpsem.RangesMax},
				{"/style.css", "0-49999,60000-60000", "gzip", string(big[:100_000]), 2},
				{"/page.html", "4-7,0-2", "br", "the page in br", 2},
			} {
				answer, body := ask(t, client, "GET", url+c.path, "Range: bytes="+c.ranges, "Accept-Encoding: "+c.coding)
				typ, parameters, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
				if err != nil || typ != "multipart/byteranges" || answer.StatusCode != http.StatusPartialContent {
					t.Fatalf("%s %.40s: %d %s %v", c.path, c.ranges, answer.StatusCode, typ, err)
				}
				if answer.ContentLength != int64(len(body)) || answer.Header.Get("Content-Encoding") != "" {
					t.Errorf("%s %.40s: Content-Length %d of %d, Content-Encoding %q", c.path, c.ranges,
						answer.ContentLength, len(body), answer.Header.Get("Content-Encoding"))
				}
				plain, _ := ask(t, client, "HEAD", url+c.path)
				checkParts(t, body, parameters["boundary"], c.content, plain.Header.Get("Content-Type"), c.coding, c.parts)
			}
		})
	}
}

// checkParts compares each part with the bytes that its Content-Range names.
func checkParts(t *testing.T, body, boundary, content, typ, coding string, want int) {
	t.Helper()
	parts := multipart.NewReader(strings.NewReader(body), boundary)
	for n := 0; ; n++ {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			if n != want {
				t.Errorf("%d parts, not %d", n, want)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		ranges, _ := httpsem.ParseRanges("bytes="+strings.TrimSpace(
			strings.TrimSuffix(strings.TrimPrefix(part.Header.Get("Content-Range"), "bytes "), "/"+itoa(len(content)))), int64(len(content)))
		if len(ranges) != 1 || string(got) != content[ranges[0].Off:ranges[0].Off+ranges[0].Bytes] {
			t.Errorf("part %d with %q has other %d bytes", n, part.Header.Get("Content-Range"), len(got))
		}
		if part.Header.Get("Content-Type") != typ || part.Header.Get("Content-Encoding") != coding {
			t.Errorf("part %d is %v, not %q in %q", n, part.Header, typ, coding)
		}
	}
}

// FuzzRequest sends arbitrary headers and checks that the response is consistent: the promised
// number of bytes, the bytes of the file, and the same header for HEAD.
func FuzzRequest(f *testing.F) {
	for _, row := range requests {
		method, path, _ := strings.Cut(row.request, " ")
		lines := map[string]string{}
		for line := range strings.SplitSeq(row.lines, " | ") {
			name, value, _ := strings.Cut(line, ": ")
			lines[name] = value
		}
		if method == "GET" && path[0] == '/' {
			f.Add(path[1:], lines["Range"], lines["If-Range"], lines["If-None-Match"], lines["Accept-Encoding"], lines["Accept"])
		}
	}
	s := handlerRoot(f)
	f.Fuzz(func(t *testing.T, path, ranges, ifRange, ifNoneMatch, acceptEncoding, accept string) {
		h := newHandler(s, handlerOptions{errorLog: func(err error) { t.Error(err) }})
		do := func(method string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, "/", nil)
			r.URL.Path = "/" + path
			r.RequestURI = r.URL.EscapedPath()
			for name, value := range map[string]string{"Range": ranges, "If-Range": ifRange, "If-None-Match": ifNoneMatch,
				"Accept-Encoding": acceptEncoding, "Accept": accept} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		get, head := do("GET"), do("HEAD")
		listing := get.Code == 200 && get.Header().Get("Vary") == "Accept"
		unread := listing && head.Header().Get("Etag") == "" // HEAD does not read a folder
		if get.Code != head.Code || !unread && get.Header().Get("Content-Length") != head.Header().Get("Content-Length") {
			t.Errorf("GET %d %v, HEAD %d %v", get.Code, get.Header(), head.Code, head.Header())
		}
		if promised := get.Header().Get("Content-Length"); get.Code != 304 && promised != itoa(get.Body.Len()) {
			t.Errorf("%d promises %q bytes and has %d", get.Code, promised, get.Body.Len())
		}
		if to := get.Header().Get("Location"); to != "" && (to[0] != '/' || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\x00")) {
			t.Errorf("%q redirects to %q", path, to)
		}
		if path == "letters.txt" && get.Code == 200 && get.Body.String() != letters {
			t.Errorf("the whole file is %q", get.Body)
		}
		if get.Code == 206 && get.Header().Get("Content-Range") == "" {
			_, parameters, err := mime.ParseMediaType(get.Header().Get("Content-Type"))
			if err != nil || !strings.HasSuffix(get.Body.String(), "\r\n--"+parameters["boundary"]+"--\r\n") {
				t.Errorf("several ranges as %v: %v", get.Header(), err)
			}
		}
	})
}
