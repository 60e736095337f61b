//go:build linux

package servetest

import (
	"fmt"
	"strings"
)

// request is a case of the comparison with nginx. Its bytes are sent unchanged, except {etag},
// {weak}, {date}, {before} and {after}, which are replaced by the validators that the server itself
// returns for the file.
type request struct {
	name string
	file string // the file of the validators
	raw  string
}

// get is a request with the usual header, plus more lines.
func get(method, target, version string, lines ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\r\n", method, target, version)
	b.WriteString("Host: files.test\r\n")
	for _, l := range lines {
		b.WriteString(l + "\r\n")
	}
	return b.String() + "\r\n"
}

// rangeValues are values of Range, well formed and malformed.
var rangeValues = []string{
	"bytes=0-0", "bytes=0-", "bytes=-1", "bytes=-0", "bytes=10-20", "bytes=1-", "bytes=4095-", "bytes=4096-",
	"bytes=0-99999999", "bytes=-99999999", "bytes=5-2", "bytes=alpha", "bytes=", "bytes", "bytes=-", "bytes=--1",
	"bytes=0-1,3-4", "bytes=0-1, 100-101, -1", "bytes=0-10,5-15", "bytes=3-4,0-1", "bytes=0-,0-,0-", "bytes=0-0,0-0",
	"Bytes=0-1", "items=0-1", "bytes =0-1", "bytes= 0-1", "bytes=0 - 1", "bytes=0-1,", "bytes=,0-1", "bytes=0-1 ,\t3-4",
	"bytes=0-1,99999999-", "bytes=99999998-,99999999-", "bytes=99999999999999999999-",
	"bytes=0-99999999999999999999", "bytes=-99999999999999999999", "bytes=+1-2", "bytes=0x0-1", "bytes=1-2-3",
	"bytes=0-1;3-4", "bytes=18446744073709551616-", "bytes=-1,-2", "bytes=0-1,x", "bytes=00-01",
}

// conditions are header lines of conditional requests.
var conditions = [][]string{
	{`If-None-Match: {etag}`},
	{`If-None-Match: {weak}`},
	{`If-None-Match: *`},
	{`If-None-Match: "other"`},
	{`If-None-Match: "other", {etag}`},
	{`If-None-Match: "other",{weak} , "third"`},
	{`If-None-Match: unquoted`},
	{`If-None-Match: `},
	{`If-None-Match: "other"`, `If-Modified-Since: {date}`},
	{`If-None-Match: {etag}`, `If-Modified-Since: {before}`},
	{`If-Modified-Since: {date}`},
	{`If-Modified-Since: {before}`},
	{`If-Modified-Since: {after}`},
	{`If-Modified-Since: yesterday`},
	{`If-Modified-Since: {rfc850}`},
	{`If-Modified-Since: {asctime}`},
	{`If-Modified-Since: {date}; length=4096`},
	{`If-Match: {etag}`},
	{`If-Match: {weak}`},
	{`If-Match: *`},
	{`If-Match: "other"`},
	{`If-Match: "other", {etag}`},
	{`If-Match: {etag}`, `If-Unmodified-Since: {before}`},
	{`If-Match: "other"`, `If-None-Match: {etag}`},
	{`If-Match: {etag}`, `If-None-Match: {etag}`},
	{`If-Unmodified-Since: {date}`},
	{`If-Unmodified-Since: {before}`},
	{`If-Unmodified-Since: {after}`},
	{`If-Unmodified-Since: tomorrow`},
	{`If-Unmodified-Since: {before}`, `If-None-Match: {etag}`},
	{`Range: bytes=1-2`, `If-Range: {etag}`},
	{`Range: bytes=1-2`, `If-Range: {weak}`},
	{`Range: bytes=1-2`, `If-Range: "other"`},
	{`Range: bytes=1-2`, `If-Range: {date}`},
	{`Range: bytes=1-2`, `If-Range: {before}`},
	{`Range: bytes=1-2`, `If-Range: {after}`},
	{`Range: bytes=1-2`, `If-Range: x`},
	{`Range: bytes=1-2`, `If-Range: `},
	{`Range: bytes=1-2,4-5`, `If-Range: {etag}`},
	{`Range: bytes=9999-`, `If-Range: "other"`},
	{`Range: bytes=9999-`, `If-Range: {etag}`},
	{`If-Range: {etag}`},
	{`Range: bytes=1-2`, `If-None-Match: {etag}`},
	{`Range: bytes=1-2`, `If-None-Match: "other"`},
	{`Range: bytes=1-2`, `If-Match: "other"`},
	{`Range: bytes=9999-`, `If-None-Match: {etag}`},
	{`Range: bytes=9999-`, `If-Match: "other"`},
	{`Range: bytes=1-2`, `If-Modified-Since: {date}`},
	{`Range: bytes=1-2`, `If-Unmodified-Since: {before}`},
}

// encodings are values of Accept-Encoding.
var encodings = []string{
	"gzip", "GZIP", "x-gzip", "deflate", "br", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.5", "*", "*;q=0", "identity",
	"gzip;q=0", "gzip;q=0.000", "gzip;q=0.001", "gzip;q=1", "gzip ; q=0.5", "identity;q=0", "identity;q=0, gzip",
	"gzip;q=0, *", "gzip;q=2", "gzip;q=x", ", gzip", "",
}

// targets are request targets, including odd ones.
var targets = []string{
	"/", "/empty", "/one", "/4k.bin", "/100k.bin", "/3m.bin", "/UPPER.TXT", "/upper.txt", "/missing", "/missing/", "/missing/x",
	"/dir", "/dir/", "/dir/index.html", "/dir?x=1", "/dir/?x=1", "/nested", "/nested/", "/nested/a/b/c.txt", "/nested/a/b",
	"/sp%20ace.txt", "/gr%C3%BCn%20%E6%97%A5%E6%9C%AC%E8%AA%9E.txt", "/grün%20日本語.txt", "/100%25.txt", "/100%.txt",
	"/a%2520b.txt", "/a%20b.txt", "/a%23b.txt", "/a#b.txt", "/q%3Fm.txt", "/q?m.txt", "/semi;colon&amp.txt", "/semi%3Bcolon%26amp.txt",
	"/quote%22.txt", `/quote".txt`, "/it's.txt", "/it%27s.txt", "/%3Cb%3Ebold.txt", "/<b>bold.txt", "/-dash.txt", "/+plus.txt",
	"/%2Bplus.txt", "/back%5Cslash.txt", `/back\slash.txt`, "/colon:12.txt", "/colon%3A12.txt", "/ordner%20%C3%BC", "/ordner%20%C3%BC/",
	"/ordner%20%C3%BC/inhalt", "/.hidden", "/.folder/in.txt", "/.folder/", "/page.html", "/page.html.gz", "/old.txt", "/inside",
	"/inside-dir", "/inside-dir/", "/inside-dir/a/two.txt", "/nested/up", "/outside", "/outside-abs", "/outside-dir/",
	"/outside-dir/secret", "/nested/above", "/loop", "/gone", "//4k.bin", "//dir", "//dir/", "/nested//a/two.txt", "/./4k.bin",
	"/nested/./a/two.txt", "/nested/../4k.bin", "/nested/a/../../4k.bin", "/nested/a/..", "/nested/a/.", "/..", "/../4k.bin",
	"/../secret", "/%2e%2e/secret", "/nested/%2e%2e/4k.bin", "/%2e/4k.bin", "/..%2fsecret", "/dir%2findex.html", "/nested%2Fa/two.txt",
	"/4k.bin/", "/4k.bin/x", "/4k.bin?", "/4k.bin?x=1&y=%zz", "/4k.bin%00", "/4k.bin%00.txt", "/%", "/%zz", "/%4", "/4k.bin%20", "/4k.bin.",
	"/%34k.bin", "/4k%2Ebin", "http://files.test/4k.bin", "http://other.test/4k.bin", "http://files.test", "HTTP://files.test/4k.bin",
	"https://files.test/4k.bin", "ftp://files.test/4k.bin", "http:///4k.bin", "*", "4k.bin", "?x", "#", "files.test:80",
	"/" + strings.Repeat("a", 300), "/" + strings.Repeat("a/", 1500), "/%C0%AE%C0%AE/secret", "/%ff", "/\xff", "/fifo", "/socket",
}

// requests returns all cases of the comparison.
func requests() (all []request) {
	add := func(file, raw string, name string, a ...any) {
		all = append(all, request{fmt.Sprintf(name, a...), file, raw})
	}
	shown := func(s string) string {
		if len(s) > 60 {
			return fmt.Sprintf("%.40s...%d bytes", s, len(s))
		}
		return strings.ReplaceAll(fmt.Sprintf("%q", s), `"`, "'")
	}
	for _, target := range targets {
		for _, method := range []string{"GET", "HEAD"} {
			add("/4k.bin", get(method, target, "HTTP/1.1"), "target %s %s", method, shown(target))
		}
	}
	for _, file := range []string{"/empty", "/one", "/4k.bin", "/100k.bin"} {
		for _, form := range rangeValues {
			add(file, get("GET", file, "HTTP/1.1", "Range: "+form), "range GET %s %s", file, form)
		}
	}
	for _, form := range []string{"bytes=0-0", "bytes=99999999-", "bytes=1000000-2000000", "bytes=0-1048576,2097152-", "bytes=-1048577"} {
		add("/3m.bin", get("GET", "/3m.bin", "HTTP/1.1", "Range: "+form), "range GET /3m.bin %s", form)
		add("/3m.bin", get("HEAD", "/3m.bin", "HTTP/1.1", "Range: "+form), "range HEAD /3m.bin %s", form)
	}
	add("/4k.bin", get("GET", "/4k.bin", "HTTP/1.1", "Range: bytes=0-1", "Range: bytes=4-5"), "range twice")
	add("/4k.bin", get("GET", "/missing", "HTTP/1.1", "Range: bytes=0-1"), "range GET /missing")
	add("/4k.bin", get("GET", "/nested/", "HTTP/1.1", "Range: bytes=0-1"), "range GET /nested/")
	add("/4k.bin", get("GET", "/nested", "HTTP/1.1", "Range: bytes=0-1"), "range GET /nested")
	for _, c := range conditions {
		for _, method := range []string{"GET", "HEAD"} {
			add("/4k.bin", get(method, "/4k.bin", "HTTP/1.1", c...), "condition %s %s", method, strings.Join(c, " | "))
		}
	}
	for _, c := range []string{"If-Match: *", "If-Match: {etag}", "If-None-Match: *", "If-Modified-Since: {date}", "If-Unmodified-Since: {before}"} {
		add("/4k.bin", get("GET", "/missing", "HTTP/1.1", c), "condition GET /missing %s", c)
		add("/4k.bin", get("GET", "/nested/", "HTTP/1.1", c), "condition GET /nested/ %s", c)
	}
	for _, e := range encodings {
		add("/page.html", get("GET", "/page.html", "HTTP/1.1", "Accept-Encoding: "+e), "encoding GET %s", e)
		add("/page.html", get("HEAD", "/page.html", "HTTP/1.1", "Accept-Encoding: "+e), "encoding HEAD %s", e)
	}
	for _, lines := range [][]string{
		{"Accept-Encoding: gzip", "Range: bytes=0-9"}, {"Accept-Encoding: gzip", "Range: bytes=0-1,5-9"},
		{"Accept-Encoding: gzip", "Range: bytes=4000-"}, {"Accept-Encoding: gzip", "If-None-Match: {etag}"},
		{"Accept-Encoding: gzip", "If-Range: {etag}", "Range: bytes=0-9"}, {"Accept-Encoding: br", "Accept-Encoding: gzip"},
		{"Accept-Encoding: gzip", "Via: 1.1 proxy"}, {"Accept-Encoding: gzip", "If-Modified-Since: {date}"},
	} {
		add("/page.html", get("GET", "/page.html", "HTTP/1.1", lines...), "encoding GET %s", strings.Join(lines, " | "))
	}
	add("/4k.bin", get("GET", "/page.html.gz", "HTTP/1.1", "Accept-Encoding: gzip"), "encoding of the sidecar file itself")
	add("/4k.bin", get("GET", "/page.html", "HTTP/1.0", "Accept-Encoding: gzip"), "encoding HTTP/1.0")
	for _, method := range []string{"OPTIONS", "POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND", "get", "FOO", "G\x01T", "G ET", ""} {
		for _, target := range []string{"/4k.bin", "/nested/", "/missing"} {
			raw := get(method, target, "HTTP/1.1")
			if method == "POST" || method == "PUT" || method == "PATCH" {
				raw = get(method, target, "HTTP/1.1", "Content-Length: 4") + "body"
			}
			add("/4k.bin", raw, "method %s %s", shown(method), target)
		}
	}
	add("/4k.bin", get("OPTIONS", "*", "HTTP/1.1"), "method OPTIONS *")
	for _, v := range []string{"HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "HTTP/3.0", "HTTP/0.9", "HTTP/1.10", "HTTP/1.", "HTTP/11", "http/1.1", "HTTP", "XTTP/1.1"} {
		add("/4k.bin", get("GET", "/4k.bin", v), "version %s", v)
	}
	for _, lines := range [][]string{
		{"Connection: keep-alive"}, {"Connection: close"}, {"Connection: Keep-Alive, x"}, {"Range: bytes=0-1"}, {"Range: bytes=0-1,4-5"},
	} {
		add("/4k.bin", get("GET", "/4k.bin", "HTTP/1.0", lines...), "version HTTP/1.0 %s", strings.Join(lines, " | "))
		add("/4k.bin", get("GET", "/4k.bin", "HTTP/1.1", lines...), "version HTTP/1.1 %s", strings.Join(lines, " | "))
	}
	for name, raw := range map[string]string{
		"no host":              "GET /one HTTP/1.1\r\n\r\n",
		"no host 1.0":          "GET /one HTTP/1.0\r\n\r\n",
		"two hosts":            "GET /one HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"empty host":           "GET /one HTTP/1.1\r\nHost:\r\n\r\n",
		"odd host":             "GET /one HTTP/1.1\r\nHost: a/b\r\n\r\n",
		"bare line feeds":      "GET /one HTTP/1.1\nHost: a\n\n",
		"empty lines before":   "\r\n\r\nGET /one HTTP/1.1\r\nHost: a\r\n\r\n",
		"two spaces":           "GET  /one HTTP/1.1\r\nHost: a\r\n\r\n",
		"space behind":         "GET /one HTTP/1.1 \r\nHost: a\r\n\r\n",
		"tab":                  "GET\t/one\tHTTP/1.1\r\nHost: a\r\n\r\n",
		"no version":           "GET /one\r\n\r\n",
		"space in the path":    "GET /sp ace.txt HTTP/1.1\r\nHost: a\r\n\r\n",
		"no colon":             "GET /one HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n",
		"space before colon":   "GET /one HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
		"folded":               "GET /one HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n",
		"folded first":         "GET /one HTTP/1.1\r\n Host: a\r\n\r\n",
		"NUL in a value":       "GET /one HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n",
		"CR in a value":        "GET /one HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
		"empty name":           "GET /one HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n",
		"two lengths":          "GET /one HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n",
		"equal lengths":        "GET /one HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
		"length and chunks":    "GET /one HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"negative length":      "GET /one HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
		"signed length":        "GET /one HTTP/1.1\r\nHost: a\r\nContent-Length: +0\r\n\r\n",
		"endless length":       "GET /one HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
		"unknown coding":       "GET /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n",
		"chunked body":         "GET /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		"bad chunk":            "GET /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"body":                 "GET /one HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
		"expect":               "GET /one HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n",
		"TLS":                  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
		"HTTP/2 by prior word": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"upgrade to h2c": "GET /one HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\n" +
			"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
		"header of 5 KiB":       "GET /one HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("a", 5<<10) + "\r\n\r\n",
		"header of 128 KiB":     "GET /one HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("a", 128<<10) + "\r\n\r\n",
		"request line of 5 KiB": "GET /one?" + strings.Repeat("a", 5<<10) + " HTTP/1.1\r\nHost: a\r\n\r\n",
		"300 headers":           "GET /one HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X: y\r\n", 300) + "\r\n",
	} {
		add("/4k.bin", raw, "wire %s", name)
	}
	return all
}
