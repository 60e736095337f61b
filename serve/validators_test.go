package serve

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestValidators: whatever a response says about its version, the server takes back in conditions. A client that
// relies on a field which is ignored gets parts of two versions.
func TestValidators(t *testing.T) {
	dir, _ := archiveFolder(t)
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() && !d.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
	h := newHandler(openRoot(t, dir), archiveOptions(t))
	const past = "Sun, 06 Nov 1994 08:49:37 GMT"
	for _, transport := range transports {
		address, client := offer(t, h, transport.tls, transport.http2)
		for target, parts := range map[string]bool{
			"/a.txt": true, "/site/": true, "/sub/": false, "/sub/?format=json": false,
			"/?archive=tar": true, "/sub/?archive=zip": true,
		} {
			first, _ := ask(t, client, "GET", address+target)
			tag, date := first.Header.Get("Etag"), first.Header.Get("Last-Modified")
			status := func(want int, lines ...string) {
				t.Helper()
				got, _ := ask(t, client, "GET", address+target, lines...)
				if got.StatusCode != want {
					t.Errorf("%s over %s, %q: status %d, want %d", target, transport.name, lines, got.StatusCode, want)
				}
			}
			if tag == "" {
				t.Errorf("%s has no entity tag", target)
			}
			status(304, "If-None-Match: "+tag)
			status(412, `If-Match: "other"`)
			if date != "" {
				status(304, "If-Modified-Since: "+date)
				status(412, "If-Unmodified-Since: "+past)
			}
			if !parts {
				continue
			}
			status(206, "Range: bytes=0-1", "If-Range: "+tag)
			status(200, "Range: bytes=0-1", "If-Range: W/"+tag)
			if date != "" {
				status(206, "Range: bytes=0-1", "If-Range: "+date)
			}
			status(200, "Range: bytes=0-1", "If-Range: "+past)
		}
	}
}
