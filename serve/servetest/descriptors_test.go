//go:build linux

package servetest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSilentFlood opens more silent connections than the server has descriptors for, and keeps
// opening them. Files that were not requested before are served nevertheless, and the error log
// stays short.
func TestSilentFlood(t *testing.T) {
	const descriptors, flood, files = 1024, 1100, 400
	leavesNothing(t)
	root := tree(t)
	for i := range files {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprint("file", i)), fmt.Append(nil, i), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	k := startChild(t, root, "", descriptors)
	var held []net.Conn
	hold := func() {
		t.Helper()
		c, err := net.Dial("tcp", k.addr)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	for range flood {
		hold()
	}
	var most int64
	for i := range files {
		hold()
		r, err := exchange(k.addr, get("GET", fmt.Sprint("/file", i), "HTTP/1.1", "Connection: close"))
		if err != nil || r.status != 200 || string(r.body) != fmt.Sprint(i) {
			t.Fatalf("file %d: %d, %q, %v", i, r.status, r.body, err)
		}
		if i%40 == 0 {
			most = max(most, k.figure(t, "thresh_serve_connections_open"))
		}
	}
	evicted, open := k.figure(t, "thresh_serve_connections_evicted_total"), k.figure(t, "thresh_serve_connections_open")
	// A quarter is for files, 64 for folders, a sixteenth stays free.
	const limit = descriptors - descriptors/4 - 64 - descriptors/16
	if most < limit-2 || most > limit {
		t.Errorf("up to %d connections were open, want %d", most, limit)
	}
	if evicted+open < flood || evicted > flood+2*files {
		t.Errorf("%d connections were evicted, %d are open", evicted, open)
	}
	if n := strings.Count(k.stderr.String(), "\n"); n > 2 {
		t.Errorf("%d errors are reported:\n%s", n, k.stderr.String())
	}
	for _, c := range held {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFilesEvict downloads so many files at once that their descriptors have to be taken from idle
// connections.
func TestFilesEvict(t *testing.T) {
	const descriptors, downloads, idle = 96, 38, 12
	leavesNothing(t)
	root := tree(t)
	content := noise(8 << 20)
	for i := range downloads {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprint("file", i)), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	k := startChild(t, root, "", descriptors)
	var held []net.Conn
	// All are accepted before the first file is opened: otherwise accepting would evict.
	for range idle + downloads {
		held = append(held, connect(t, &k.server, 4<<10))
	}
	eventually(t, func() error {
		if n := k.figure(t, "thresh_serve_connections_open"); n != idle+downloads {
			return fmt.Errorf("%d connections are open", n)
		}
		return nil
	})
	time.Sleep(time.Second) // longer than a connection has to be idle
	for i, c := range held[idle:] {
		if _, err := io.WriteString(c, get("GET", fmt.Sprint("/file", i), "HTTP/1.1")); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReaderSize(c, 16).ReadString('\n'); err != nil || !strings.Contains(line, " 200 ") {
			t.Errorf("file %d: %q, %v", i, line, err)
		}
	}
	if n := k.figure(t, "thresh_serve_connections_evicted_total"); n == 0 || n > idle {
		t.Errorf("%d connections were evicted", n)
	}
	for _, c := range held {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	k.alive(t)
}

// TestBusyFlood takes all connections with downloads that make no progress. None is evicted, and
// the reason is reported once.
func TestBusyFlood(t *testing.T) {
	const descriptors = 96
	leavesNothing(t)
	root := tree(t)
	if err := os.WriteFile(filepath.Join(root, "big"), noise(16<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	k := startChild(t, root, "", descriptors)
	var held []net.Conn
	for range descriptors {
		c, err := net.Dial("tcp", k.addr)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
		if _, err := io.WriteString(c, get("GET", "/big", "HTTP/1.1")); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, func() error {
		if n := strings.Count(k.stderr.String(), "connections that the limit of open files allows are in use"); n != 1 {
			return fmt.Errorf("reported %d times: %s", n, k.stderr.String())
		}
		return nil
	})
	if n := k.figure(t, "thresh_serve_connections_evicted_total"); n != 0 {
		t.Errorf("%d connections were evicted", n)
	}
	for _, c := range held {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	k.alive(t)
}
