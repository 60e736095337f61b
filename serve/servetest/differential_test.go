//go:build linux

package servetest

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/serve"
)

const casesMin = 300

// TestLikeNginx sends every case to nginx and to thresh, on the same folder. The responses must be
// alike, except for the differences that differences.md documents with reasons.
func TestLikeNginx(t *testing.T) {
	root := tree(t)
	special(t, root)
	nginx := startNginx(t, root)
	ours := start(t, root, serve.Options{}).addr
	known := differences(t)

	cases := requests()
	if len(cases) < casesMin {
		t.Fatalf("%d cases, there should be %d", len(cases), casesMin)
	}
	seen := map[string]bool{}
	alike := 0
	for _, c := range cases {
		if seen[c.name] {
			t.Fatalf("there are two cases %q", c.name)
		}
		seen[c.name] = true
		theirs, err := ask(nginx, c)
		if err != nil {
			t.Errorf("nginx: %s: %v", c.name, err)
			continue
		}
		mine, err := ask(ours, c)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if bytes.Contains(mine.body, []byte(secret)) {
			t.Errorf("%s: the answer holds what lies outside the folder", c.name)
		}
		var differ []string
		for _, d := range compare(theirs, mine) {
			if !known.covers(c.name, d.field, theirs.status, mine.status) {
				differ = append(differ, d.String())
			}
		}
		if differ != nil {
			t.Errorf("%s (nginx %d, thresh %d):\n\t%s", c.name, theirs.status, mine.status, strings.Join(differ, "\n\t"))
		} else {
			alike++
		}
	}
	known.report(t)
	t.Logf("%d cases, %d alike or with a reason", len(cases), alike)
}

// ask sends a case with the validators of that server.
func ask(addr string, c request) (reply, error) {
	raw := c.raw
	if strings.Contains(raw, "{") {
		head, err := exchange(addr, get("HEAD", c.file, "HTTP/1.1"))
		if err != nil {
			return reply{}, err
		}
		etag := head.header.Get("ETag")
		modified, err := http.ParseTime(head.header.Get("Last-Modified"))
		if err != nil || !strings.HasPrefix(etag, `"`) || len(etag) < 3 {
			return reply{}, fmt.Errorf("HEAD %s: ETag %q, Last-Modified: %w", c.file, etag, err)
		}
		raw = strings.NewReplacer(
			"{etag}", etag,
			"{weak}", "W/"+etag,
			"{date}", modified.Format(http.TimeFormat),
			"{before}", modified.Add(-time.Hour).Format(http.TimeFormat),
			"{after}", modified.Add(time.Hour).Format(http.TimeFormat),
			"{rfc850}", modified.Format("Monday, 02-Jan-06 15:04:05 GMT"),
			"{asctime}", modified.Format(time.ANSIC),
		).Replace(raw)
	}
	return exchange(addr, raw)
}

// difference is a field in which two responses differ.
type difference struct{ field, nginx, thresh string }

// String shows both sides.
func (d difference) String() string {
	return fmt.Sprintf("%s: nginx %.80q, thresh %.80q", d.field, d.nginx, d.thresh)
}

// compared are the header fields that matter to a client. The servers build ETags differently; the
// conditions test that each works with the server that issued it.
var compared = []string{"Accept-Ranges", "Content-Range", "Content-Encoding", "Vary", "Allow", "Last-Modified", "Www-Authenticate"}

// compare returns the differences between two responses. Bodies of errors and redirects are up to
// the server; so are listings, but their names must agree.
func compare(nginx, thresh reply) (all []difference) {
	differ := func(field, a, b string) {
		if a != b {
			all = append(all, difference{field, a, b})
		}
	}
	differ("status", fmt.Sprint(nginx.status), fmt.Sprint(thresh.status))
	differ("close", fmt.Sprint(nginx.close), fmt.Sprint(thresh.close))
	for _, name := range compared {
		differ(name, strings.Join(nginx.header.Values(name), ", "), strings.Join(thresh.header.Values(name), ", "))
	}
	differ("ETag", shape(nginx), shape(thresh))
	differ("Location", nginx.header.Get("Location"), thresh.header.Get("Location"))
	own := func(r reply) bool { return r.status != 200 && r.status != 206 }
	switch {
	case own(nginx) || own(thresh):
	case listing(nginx) && listing(thresh):
		for _, name := range []string{"a/", "up"} {
			differ("listing", fmt.Sprint(bytes.Contains(nginx.body, []byte(name))), fmt.Sprint(bytes.Contains(thresh.body, []byte(name))))
		}
	case multi(nginx) && multi(thresh):
		differ("parts", parts(nginx), parts(thresh))
	default:
		differ("Content-Length", nginx.header.Get("Content-Length"), thresh.header.Get("Content-Length"))
		differ("body", string(nginx.body), string(thresh.body))
	}
	return all
}

// shape reports whether there is a strong ETag, a weak one, or none.
func shape(r reply) string {
	switch tag := r.header.Get("ETag"); {
	case tag == "":
		return "none"
	case strings.HasPrefix(tag, `"`):
		return "strong"
	default:
		return "weak"
	}
}

func multi(r reply) bool {
	return strings.HasPrefix(r.header.Get("Content-Type"), "multipart/byteranges")
}

// listing reports whether this is a page about a folder rather than a file.
func listing(r reply) bool {
	return r.header.Get("ETag") == "" && strings.HasPrefix(r.header.Get("Content-Type"), "text/html")
}

// parts shows the parts of a response to several ranges.
func parts(r reply) string {
	if len(r.body) == 0 {
		return "" // to HEAD
	}
	_, p, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil {
		return err.Error()
	}
	var all []string
	for from := multipart.NewReader(bytes.NewReader(r.body), p["boundary"]); ; {
		part, err := from.NextPart()
		if err == io.EOF {
			return strings.Join(all, "; ")
		}
		if err != nil {
			return err.Error()
		}
		b, err := io.ReadAll(part)
		if err != nil {
			return err.Error()
		}
		all = append(all, fmt.Sprintf("%s %x", part.Header.Get("Content-Range"), b))
	}
}

// sorted returns the keys of m in order.
func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
