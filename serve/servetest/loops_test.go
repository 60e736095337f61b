//go:build linux

package servetest

import (
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/serve"
)

// TestPaddedAlike sends every case of the comparison with nginx twice: unchanged, and with a header
// line so long that the header does not fit into the first buffer. The responses must be the same.
func TestPaddedAlike(t *testing.T) {
	root := tree(t)
	special(t, root)
	s := start(t, root, serve.Options{})
	pad := "X-Pad: " + strings.Repeat("x", 6<<10)
	for _, c := range requests() {
		head, rest, whole := strings.Cut(c.raw, "\r\n\r\n")
		if !whole || !strings.Contains(head, "HTTP/1.") || strings.HasPrefix(c.name, "wire ") {
			continue // a request cut in the middle of a header would differ
		}
		short, err := ask(s.addr, c)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		c.raw = head + "\r\n" + pad + "\r\n\r\n" + rest
		long, err := ask(s.addr, c)
		if err != nil && long.status == 400 && short.status == 400 {
			continue // the server does not read the rest of a malformed request
		}
		if err != nil {
			t.Errorf("%s, padded: %v", c.name, err)
			continue
		}
		for _, d := range compare(short, long) {
			t.Errorf("%s: %s: short %.80q, padded %.80q", c.name, d.field, d.nginx, d.thresh)
		}
		for _, h := range []reply{short, long} {
			h.header.Del("Date")
			if multi(h) {
				h.header.Del("Content-Type") // contains a random boundary
			}
		}
		for _, name := range sorted(short.header) {
			if a, b := short.header.Get(name), long.header.Get(name); a != b {
				t.Errorf("%s: %s: short %q, padded %q", c.name, name, a, b)
			}
		}
		for _, name := range sorted(long.header) {
			if _, ok := short.header[name]; !ok {
				t.Errorf("%s: %s: only padded: %q", c.name, name, long.header.Get(name))
			}
		}
	}
}
