//go:build linux

package servetest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/serve"
)

// callsPerGiBMax is the project's promise.
const callsPerGiBMax = 1500

// TestFastPath checks that a server with log, metrics and a rate limit stays on the fast path: by
// the system calls of its process and by its own metrics.
func TestFastPath(t *testing.T) {
	leavesNothing(t)
	root := tree(t)
	const size = 64 << 20
	big := bytes.Repeat(noise(1<<20), size>>20)
	if err := os.WriteFile(filepath.Join(root, "big"), big, 0o644); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "access.log")
	k := startChild(t, root, log, 0)
	for _, c := range []struct {
		name, ranges string
		status       int
		bytes        int64 // of the file
	}{
		{"a whole file", "", 200, size},
		{"a range", "bytes=1048577-", 206, size - 1048577},
		{"five ranges", "bytes=0-9999999, 11000000-21999999, 23000000-33999999, 35000000-45999999, 47000000-57999999", 206, 54000000},
	} {
		t.Run(c.name, func(t *testing.T) {
			sent := k.figure(t, `thresh_serve_bytes_total{path="sendfile"}`)
			copied := k.figure(t, `thresh_serve_bytes_total{path="copy"}`)
			calls := k.calls(t)
			status, n, sum := drain(t, k.addr, "/big", c.ranges)
			calls = k.calls(t) - calls
			if status != c.status || n < c.bytes || n > c.bytes+2000 {
				t.Fatalf("%d with %d bytes, not %d with %d", status, n, c.status, c.bytes)
			}
			if c.ranges == "" && sum != sha256.Sum256(big) {
				t.Error("other bytes came")
			}
			if got := k.figure(t, `thresh_serve_bytes_total{path="sendfile"}`) - sent; got != c.bytes {
				t.Errorf("%d bytes by sendfile, not %d", got, c.bytes)
			}
			if got := k.figure(t, `thresh_serve_bytes_total{path="copy"}`) - copied; got > 32<<10 {
				t.Errorf("%d bytes by copying", got)
			}
			// Reading the metrics, the request, the log and waking threads add a few calls; copying
			// would add more than a thousand.
			if most := c.bytes*callsPerGiBMax>>30 + 64; calls > most {
				t.Errorf("%d system calls for %d MiB, %d are allowed", calls, c.bytes>>20, most)
			}
			t.Logf("%d system calls for %d MiB: %d per GiB", calls, c.bytes>>20, calls<<30/c.bytes)
		})
	}
}

// drain fetches a file and discards it.
func drain(t *testing.T, addr, path, ranges string) (status int, n int64, sum [sha256.Size]byte) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	var more []string
	if ranges != "" {
		more = append(more, "Range: "+ranges)
	}
	if _, err := io.WriteString(c, get("GET", path, "HTTP/1.1", append(more, "Connection: close")...)); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReaderSize(c, 1<<20), nil)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.New()
	into := io.Writer(hash)
	if ranges != "" {
		into = io.Discard
	}
	if n, err = io.CopyBuffer(struct{ io.Writer }{into}, r.Body, make([]byte, 1<<20)); err != nil {
		t.Fatalf("after %d bytes: %v", n, err)
	}
	if n != r.ContentLength {
		t.Errorf("%d bytes, promised were %d", n, r.ContentLength)
	}
	return r.StatusCode, n, [sha256.Size]byte(hash.Sum(nil))
}

// TestFilesChange truncates, replaces and deletes files while they are sent: a complete response is
// always the file that its header promised.
func TestFilesChange(t *testing.T) {
	root := tree(t)
	s := start(t, root, serve.Options{})
	const size = 32 << 20
	first, second := bytes.Repeat([]byte("first "), size/6), bytes.Repeat([]byte("second"), size/6)
	for name, c := range map[string]struct {
		change func(path string) error
		whole  bool // the first file must arrive complete
	}{
		"truncated": {func(path string) error { return os.Truncate(path, 1<<20) }, false},
		"emptied":   {func(path string) error { return os.Truncate(path, 0) }, false},
		"grown":     {func(path string) error { return os.Truncate(path, size*2) }, true},
		"deleted":   {func(path string) error { return os.Remove(path) }, true},
		"replaced":  {func(path string) error { return replace(path, second) }, true},
		"folder":    {func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(root, name)
			if err := replace(path, first); err != nil {
				t.Fatal(err)
			}
			conn := connect(t, s, 64<<10)
			if _, err := io.WriteString(conn, get("GET", "/"+name, "HTTP/1.1")); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 128<<10)
			if _, err := io.ReadFull(conn, got); err != nil {
				t.Fatal(err)
			}
			if err := c.change(path); err != nil {
				t.Fatal(err)
			}
			if c.whole {
				end := bytes.Index(got, []byte("\r\n\r\n")) + 4 + len(first)
				rest := make([]byte, end-len(got))
				n, err := io.ReadFull(conn, rest)
				if got = append(got, rest[:n]...); err != nil || !bytes.HasSuffix(got, first) {
					t.Errorf("%d bytes of %d, or others: %v", len(got), end, err)
				}
				if err := conn.Close(); err != nil {
					t.Error(err)
				}
			} else {
				got = append(got, closed(t, conn)...)
				if len(got) >= len(first) {
					t.Errorf("%d bytes came, of a file that was cut", len(got))
				}
			}
			s.alive(t)
		})
	}
}

// replace puts another file at path by rename, as careful programs do.
func replace(path string, content []byte) error {
	return errors.Join(os.WriteFile(path+".new", content, 0o644), os.Rename(path+".new", path))
}
