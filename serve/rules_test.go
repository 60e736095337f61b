package serve

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
)

func TestGlobs(t *testing.T) {
	for glob, paths := range map[string]string{ // that match | that do not
		"*.css":           "a.css b/c/a.css .css | a.cssx a.css/ css",
		"/*.css":          "a.css | b/a.css",
		"a/*":             "a/ a/x | a a/b/c b/a/x",
		"a/**":            "a/ a/x a/b/c/ | a ba/x",
		"**":              "a a/b/ | ",
		"**/x":            "x a/x a/b/x | ax x/",
		"a/**/z":          "a/z a/b/c/z | a/bz az",
		"*.{js,css}":      "a.js b/a.css | a.jsx a.{js,css}",
		"a?c.t+t":         "abc.t+t | a/c.t+t abc.tt",
		"ü*":              "üx a/ü | u",
		"{index,404}.htm": "index.htm x/404.htm | index404.htm",
	} {
		pattern, ok := globPattern(glob)
		if !ok {
			t.Fatalf("%s is refused", glob)
		}
		yes, no, _ := strings.Cut(paths, "|")
		for _, path := range strings.Fields(yes) {
			if !pattern.MatchString(path) {
				t.Errorf("%s does not match %s", glob, path)
			}
		}
		for _, path := range strings.Fields(no) {
			if pattern.MatchString(path) {
				t.Errorf("%s matches %s", glob, path)
			}
		}
	}
	for _, h := range []Header{{"", "X", "1"}, {"/", "X", "1"}, {"{a", "X", "1"}, {"a}", "X", "1"}, {"{a,{b}}", "X", "1"}, {"[a]", "X", "1"},
		{"*", "", "1"}, {"*", "X Y", "1"}, {"*", "X", ""}, {"*", "X", " "}, {"*", "X", "a\r\nY: z"}, {"*", "content-LENGTH", "1"}, {"*", "ETag", "1"}} {
		if _, err := New(".", Options{Headers: []Header{h}}); err == nil || !errors.As(err, new(*failure.OptionError)) {
			t.Errorf("%q: %v", h, err)
		}
	}
	for _, origin := range []string{"", "app.example", "https://app.example/", "https://", "**"} {
		if _, err := New(".", Options{CORS: []string{origin}}); err == nil || !errors.As(err, new(*failure.OptionError)) {
			t.Errorf("origin %q: %v", origin, err)
		}
	}
}

// TestHeaders: fields by path, and which kinds of responses have them.
func TestHeaders(t *testing.T) {
	rules, err := newHeaderRules([]Header{
		{"**", "X-Frame-Options", "DENY"}, {"**", "cache-control", "no-store"}, {"*.txt", "Cache-Control", "max-age=60"},
		{"letters.txt", "Content-Type", "text/x-letters"}, {"sub/**", "X-Sub", "yes"},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := newHandler(handlerRoot(t), handlerOptions{headers: rules, archives: true})
	for _, transport := range transports {
		address, client := offer(t, h, transport.tls, transport.http2)
		for _, c := range []struct {
			path, lines string
			status      int
			want        string // X-Frame-Options, Cache-Control, Content-Type, X-Sub
		}{
			{"/letters.txt", "", 200, "DENY|max-age=60|text/x-letters|"},
			{"/letters.txt", "Range: bytes=0-1", 206, "DENY|max-age=60|text/x-letters|"},
			{"/letters.txt", "If-None-Match: *", 304, "DENY|max-age=60||"},
			{"/letters.txt", "If-Match: \"x\"", 412, "DENY||text/plain; charset=utf-8|"},
			{"/big.bin", "", 200, "DENY|no-store|application/octet-stream|"},
			{"/none.txt", "", 404, "DENY||text/plain; charset=utf-8|"},
			{"/sub/a.txt", "", 200, "DENY|max-age=60|text/plain; charset=utf-8|yes"},
			{"/sub/", "", 200, "DENY|no-store|text/html; charset=utf-8|yes"},
			{"/sub/?archive=tar", "", 200, "DENY|no-store|application/x-tar|yes"},
		} {
			lines := []string{c.lines}
			if c.lines == "" {
				lines = nil
			}
			answer, _ := ask(t, client, "GET", address+c.path, lines...)
			var got []string
			for _, name := range []string{"X-Frame-Options", "Cache-Control", "Content-Type", "X-Sub"} {
				got = append(got, strings.Join(answer.Header.Values(name), ", "))
			}
			if answer.StatusCode != c.status || strings.Join(got, "|") != c.want {
				t.Errorf("%s %s: %d %q, not %q", c.path, c.lines, answer.StatusCode, strings.Join(got, "|"), c.want)
			}
		}
	}
}

func TestCORS(t *testing.T) {
	for _, c := range []struct{ origins, origin, want, vary string }{
		{"", "https://a.example", "", ""}, {"*", "https://a.example", "*", ""}, {"*", "", "*", ""},
		{"https://a.example https://b.example", "https://b.example", "https://b.example", "Origin"},
		{"https://a.example", "https://b.example", "", "Origin"}, {"https://a.example", "", "", "Origin"},
	} {
		r := start(t, func(o *Options) {
			o.CORS = strings.Fields(c.origins)
			o.Users = map[string]string{"alice": "$2a$04$AfX6gXh.jx4WXmkAXiHiHOQe1oWcSUXwcyQYW0Q5jqQmYLbiPW8vK"}
		})
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		for method, status := range map[string]int{"GET": 401, "OPTIONS": 204} {
			lines := []string{"Origin: " + c.origin}
			if c.origin == "" {
				lines = nil
			}
			if method == "OPTIONS" {
				lines = append(lines, "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: range")
			}
			if c.origins == "" {
				status = 401
			}
			answer, _ := ask(t, client, method, "http://"+r.addr+"/small.txt", lines...)
			got := answer.Header.Get("Access-Control-Allow-Origin")
			if answer.StatusCode != status || got != c.want || answer.Header.Get("Vary") != c.vary {
				t.Errorf("%+v %s: %d %q, Vary %q", c, method, answer.StatusCode, got, answer.Header.Get("Vary"))
			}
			allows := strings.Contains(answer.Header.Get("Access-Control-Allow-Headers"), "Range")
			exposes := strings.Contains(answer.Header.Get("Access-Control-Expose-Headers"), "Content-Range")
			if allows != (c.want != "" && method == "OPTIONS") || exposes != (c.want != "" && method == "GET") {
				t.Errorf("%+v %s: %v", c, method, answer.Header)
			}
		}
	}
}

// TestFallback: which paths are answered by the page instead, and by which page.
func TestFallback(t *testing.T) {
	const navigation = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
	h := newHandler(handlerRoot(t), handlerOptions{fallback: "/page.html", notFound: "/letters.txt"})
	address, client := offer(t, h, false, false)
	for _, c := range []struct {
		path, lines string
		status      int
		body        string
	}{
		{"/user/7", "", 200, "<h1>page</h1>"}, {"/user/7/", "", 200, "<h1>page</h1>"}, {"/john.doe", navigation, 200, "<h1>page</h1>"},
		{"/none.js", "Accept: */*", 404, letters}, {"/none.js", "", 404, letters}, {"/sub/a.txt", navigation, 200, "a"},
		{"/user/7", "Range: bytes=0-3", 206, "<h1>"}, {"/user/7", "If-None-Match: *", 304, ""}, {"/none.js", "Range: bytes=0-3", 404, letters},
		{"/none.js", "If-None-Match: *", 404, letters},
	} {
		lines := []string{c.lines}
		if c.lines == "" {
			lines = nil
		}
		answer, body := ask(t, client, "GET", address+c.path, lines...)
		if answer.StatusCode != c.status || body != c.body || c.path != "/sub/a.txt" && !strings.Contains(strings.Join(answer.Header.Values("Vary"), ","), "Accept") {
			t.Errorf("%s %s: %d %.40q %v", c.path, c.lines, answer.StatusCode, body, answer.Header)
		}
		if answer.StatusCode == 404 && (answer.Header.Get("Etag") != "" || answer.Header.Get("Last-Modified") != "") {
			t.Errorf("%s: the page for 404 can be kept: %v", c.path, answer.Header)
		}
	}
	dir := t.TempDir()
	makeFiles(t, dir, map[string]string{"index.html": "", "sub/x": ""})
	for _, path := range []string{"index.html", "/none.html", "/sub/", "/sub", "/.."} {
		for _, o := range []Options{{Fallback: path}, {NotFound: path}} {
			if _, err := New(dir, o); !errors.As(err, new(*failure.OptionError)) {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
}

// TestDownload: the name of the file where the URL lacks it, and where the client asks for it.
func TestDownload(t *testing.T) {
	dir := t.TempDir()
	makeFiles(t, dir, map[string]string{"disk.img": letters})
	for _, served := range []string{dir, dir + "/disk.img"} {
		address, client := offer(t, newHandler(openRoot(t, served), handlerOptions{}), false, false)
		for path, want := range map[string]string{"/disk.img": "", "/disk.img?download": `attachment; filename="disk.img"`,
			"/?download": `attachment; filename="disk.img"`, "/": `inline; filename="disk.img"`} {
			if served == dir && path != "/disk.img" && path != "/disk.img?download" {
				want = ""
			}
			for _, line := range []string{"Range: bytes=0-1", "X: y"} {
				if answer, _ := ask(t, client, "GET", address+path, line); answer.Header.Get("Content-Disposition") != want {
					t.Errorf("%s of %s: %q", path, served, answer.Header.Get("Content-Disposition"))
				}
			}
		}
	}
}
