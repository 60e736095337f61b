//go:build linux

package servetest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/serve"
)

// climbs are targets that try to leave the folder, or to reach hidden files.
func climbs() (all []string) {
	dots := []string{
		"..", "%2e%2e", "%2e.", ".%2e", "%2E%2E", "%252e%252e", "%25%32%65%25%32%65", "..%00", "..%2500", "...", "....", "..;", "..;x=y",
		"%c0%ae%c0%ae", "%c0%2e%c0%2e", "%e0%80%ae%e0%80%ae", "%f0%80%80%ae%f0%80%80%ae", "%u002e%u002e", "%uff0e%uff0e",
		"%ef%bc%8e%ef%bc%8e", "\xc0\xae\xc0\xae", ".%20.", "..%20", ".. ", "..%09", "..%0d%0a", "..%c2%a0", "..%e2%80%8b",
	}
	slashes := []string{"/", "%2f", "%2F", "%252f", "%5c", "\\", "%255c", "%c0%af", "%c1%9c", "%e0%80%af", "%ef%bc%8f", "//", "/./", "%00/"}
	for _, d := range dots {
		all = append(all, "/"+d+"/secret", "/nested/"+d+"/"+d+"/secret")
	}
	for _, s := range slashes {
		all = append(all, "/.."+s+"secret", "/nested"+s+".."+s+".."+s+"secret", s+".."+s+"secret")
	}
	return append(all,
		"..", "../secret", "/..", "/../", "/../../../../../../../../etc/passwd", "//etc/passwd", "///etc/passwd", "/%2fetc/passwd",
		"/%2f%2fetc/passwd", "file:///etc/passwd", "http://x/../secret", "http://x/%2e%2e/secret", "http://x@y/../secret", "//x/../secret",
		"//../secret", "//x/../../secret", "/nested/../../secret", "/nested/a/b/../../../../secret", "/one/../../secret", "/missing/../../secret",
		"/#/../secret", "/one#/../../secret", "/?/../secret", "/one?../../secret", "/~root", "/~/secret", "/outside", "/outside-abs",
		"/outside-dir/secret", "/outside-dir/", "/outside-dir", "/nested/above", "/inside-dir/above", "/nested/above/", "/loop", "/loop/x",
		"/gone", "/.hidden", "/%2ehidden", "/.folder/in.txt", "/%2efolder/in.txt", "/.folder", "/.folder/", "/./.hidden", "//.hidden",
		"/nested/../.hidden", "/.folder/../.hidden", "/proc/self/environ", "/dev/fd/0", "/C:/secret", "/C:%5csecret", "/::$DATA", "/one::$DATA",
		"/secret", "/root/one", "/\x00../secret", "/one\x00", "/\x7f", "/%", "/%2", "/%g1", "/"+strings.Repeat("../", 300)+"secret",
		"/"+strings.Repeat("%2e%2e/", 300)+"secret", "/"+strings.Repeat("a/../", 300)+"../secret", "/"+strings.Repeat("x", 8000),
		"/"+strings.Repeat("x/", 4000), "/"+strings.Repeat("/", 8000), "/fifo", "/socket", "/zero", "/fifo/", "/zero/x",
	)
}

// TestTraversal sends these as raw bytes with three methods. No response may contain what is
// outside or hidden, and no request may wait for a special file.
func TestTraversal(t *testing.T) {
	root := tree(t)
	special(t, root)
	s := start(t, root, serve.Options{HeaderTimeout: 5 * time.Second})
	all := climbs()
	if len(all) < 80 {
		t.Fatalf("only %d paths", len(all))
	}
	for _, target := range all {
		for _, method := range []string{"GET", "HEAD"} {
			r, err := exchange(s.addr, get(method, target, "HTTP/1.1", "Connection: close"))
			if err != nil {
				t.Errorf("%s %.80q: %v", method, target, err)
				continue
			}
			for _, never := range []string{secret, "hide and seek", "root:x:0:0", "in a hidden folder"} {
				if bytes.Contains(r.body, []byte(never)) {
					t.Errorf("%s %.80q is answered %d with %q", method, target, r.status, never)
				}
			}
			where := r.header.Get("Location")
			if strings.HasPrefix(where, "../") || strings.Contains(where, "../..") || strings.Contains(where, `\`) {
				t.Errorf("%s %.80q is sent elsewhere: %q", method, target, where)
			}
			if r.status >= 500 && r.status != 501 && r.status != 505 {
				t.Errorf("%s %.80q is answered %d: %s", method, target, r.status, r.body)
			}
		}
	}
	s.alive(t)
}

// TestNeverElsewhere checks that redirects stay on this server: to a browser "//host/" is another
// host.
func TestNeverElsewhere(t *testing.T) {
	s := start(t, tree(t), serve.Options{})
	for _, target := range []string{
		"//evil.test/..", "//evil.test/%2e%2e", "//evil.test//", "/\\evil.test/", "/%5cevil.test/..", "//dir", "///dir", "/%2fdir",
		"//evil.test/../dir", "//evil.test/../nested", "http://evil.test//dir", "/.//dir", "/nested/..//dir", "//nested", "/./nested",
		"/nested?//evil.test", "/nested#x", "//nested/a?x=1", "/nested%0d%0aSet-Cookie:x=1", "/dir\r", "//%0d%0aX:y/..",
	} {
		r, err := exchange(s.addr, get("GET", target, "HTTP/1.1", "Connection: close"))
		if err != nil {
			t.Errorf("%q: %v", target, err)
			continue
		}
		where := r.header.Get("Location")
		elsewhere := strings.HasPrefix(where, "//") || strings.HasPrefix(where, `/\`)
		if here := strings.HasPrefix(where, "/") || strings.HasPrefix(where, "../"); r.status/100 == 3 && (!here || elsewhere) {
			t.Errorf("%q: %d to %q", target, r.status, where)
		}
		if r.header.Get("Set-Cookie") != "" || r.header.Get("X") != "" {
			t.Errorf("%q splits the header: %v", target, r.header)
		}
	}
}

// TestSmuggling sends requests that two parsers may read differently. There may be at most one
// response, unless every reading has two requests, and the second must never come from inside the
// first's body.
func TestSmuggling(t *testing.T) {
	s := start(t, tree(t), serve.Options{HeaderTimeout: 5 * time.Second, IdleTimeout: 5 * time.Second})
	inner := "GET /4k.bin HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, raw := range map[string]string{
		"length and chunks":        "POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
		"chunks and length":        "POST /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n" + inner,
		"two lengths":              fmt.Sprintf("POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: %d\r\n\r\n%s", len(inner), inner),
		"a list of lengths":        "POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 0, 5\r\n\r\n" + inner,
		"two codings":              "POST /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + inner,
		"coding with a space":      "POST /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + inner,
		"coding behind a tab":      "POST /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + inner,
		"coding in quotes":         "POST /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n" + inner,
		"length in hexadecimal":    "POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 0x0\r\n\r\n" + inner,
		"length with a sign":       "POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: +0\r\n\r\n" + inner,
		"length with an underline": "POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 0_0\r\n\r\n" + inner,
		"chunk with a sign":        "POST /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n" + inner,
		"chunk too big":            "POST /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n" + inner,
		"chunk ended by LF":        "POST /one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n" + inner,
		"CR alone":                 "GET /one HTTP/1.1\r\nHost: a\r\nX: y\rContent-Length: 0\r\n\r\n",
		"NUL in a name":            "GET /one HTTP/1.1\r\nHost: a\r\nX\x00: y\r\n\r\n",
	} {
		answers, err := converse(s.addr, raw)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, a := range answers {
			if i > 0 && bytes.Equal(a.body, noise(4<<10)) {
				t.Errorf("%s: what was smuggled is answered: %d then %d", name, answers[0].status, a.status)
			}
		}
	}
	s.alive(t)
}

// TestPipelining sends several unambiguous requests at once: all get a response, in order.
func TestPipelining(t *testing.T) {
	s := start(t, tree(t), serve.Options{})
	var raw string
	for range 5 {
		raw += get("GET", "/3m.bin", "HTTP/1.1") + get("GET", "/one", "HTTP/1.1") + get("HEAD", "/4k.bin", "HTTP/1.1") +
			get("GET", "/100k.bin", "HTTP/1.1", "Range: bytes=5-6, 8-9") + get("GET", "/missing", "HTTP/1.1") + get("GET", "/empty", "HTTP/1.1") +
			"POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"
	}
	raw += get("GET", "/4k.bin", "HTTP/1.1", "Connection: close")
	answers, err := converse(s.addr, raw, "GET", "GET", "HEAD", "GET", "GET", "GET", "POST")
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, a := range answers {
		got = append(got, a.status)
	}
	want := fmt.Sprint("[", strings.Repeat("200 200 200 206 404 200 405 ", 5), "200]")
	if fmt.Sprint(got) != want {
		t.Fatalf("answers %v, not %s", got, want)
	}
	if !bytes.Equal(answers[28].body, noise(3<<20)) || !bytes.Equal(answers[35].body, noise(4<<10)) {
		t.Error("other bytes came")
	}
}
