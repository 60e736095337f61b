//go:build linux

package servetest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/serve"
)

// names returns the texts of the links to entries of the current listing, in order.
const names = `return [...document.querySelectorAll("td a, li a")].map(a => a.textContent.trim()).join("\n")`

func TestChromiumListing(t *testing.T) {
	root := tree(t)
	s := start(t, root, serve.Options{})
	b := client.OpenBrowser(t)
	b.Open(s.url("/"))
	if shot := os.Getenv("SERVETEST_SCREENSHOT"); shot != "" {
		var encoded string
		b.Decode(b.Call("GET", "/screenshot", nil), &encoded)
		png, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(shot, png, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shown := strings.Split(b.Text(names), "\n")
	has := map[string]bool{}
	for _, name := range shown {
		has[strings.TrimSuffix(name, "/")] = true
	}
	for _, name := range append(oddNames(t, root), "nested", "ordner ü", "dir", "inside", "inside-dir") {
		if !has[name] {
			t.Errorf("%q is not shown, in %q", name, shown)
		}
	}
	for _, name := range []string{".hidden", ".folder", "outside", "outside-abs", "outside-dir", "loop", "gone"} {
		if has[name] {
			t.Errorf("%q is shown", name)
		}
	}
	// Every file's link, as the browser resolves it, leads to that file.
	for _, name := range oddNames(t, root) {
		href := b.Text(`const [name] = arguments
			const a = [...document.querySelectorAll("td a, li a")].find(a => a.textContent.trim() == name)
			return a ? a.pathname : ""`, name)
		r, err := exchange(s.addr, get("GET", href, "HTTP/1.1", "Connection: close"))
		if err != nil || !bytes.Equal(r.body, body(t, filepath.Join(root, name))) {
			t.Errorf("the link of %q leads to %q, which is answered %d, %v", name, href, r.status, err)
		}
	}
	// Into a folder and back, by its links.
	for _, step := range []string{"ordner ü", ".."} {
		link := b.Text(`const [name] = arguments
			const a = [...document.querySelectorAll("a")].find(a => a.textContent.trim().replace(/\/$/, "") == name)
			if (a) return a.textContent
			const up = document.querySelector("a[href='../'], a[rel=up], nav a, h1 a")
			return up ? up.textContent : ""`, step)
		if link == "" {
			t.Fatalf("no link %q", step)
		}
		b.Click(strings.TrimSpace(link))
		want := map[string]string{"ordner ü": "/ordner%20%C3%BC/", "..": "/"}[step]
		if got := b.Text(`return location.pathname`); got != want {
			t.Errorf("a click on %q leads to %s, not %s", link, got, want)
		}
	}
	// The links in the table's head sort: the largest file comes first or last.
	sortedBy := map[string]bool{}
	heads := b.Text(`return [...document.querySelectorAll("th a")].map(a => a.getAttribute("href")).join("\n")`)
	for _, href := range strings.Split(heads, "\n") {
		b.Open(s.url("/") + href)
		sortedBy[b.Text(names)] = true
		if n := len(strings.Split(b.Text(names), "\n")); n != len(shown) {
			t.Errorf("sorted by %q there are %d entries, not %d", href, n, len(shown))
		}
	}
	if len(sortedBy) < 3 {
		t.Errorf("%q sort in %d ways", heads, len(sortedBy))
	}
	b.Open(s.url("/grün%20日本語.txt"))
	if got := b.Text(`return document.body.innerText`); got != "utf-8" {
		t.Errorf("a text is shown as %q", got)
	}
	for _, e := range b.Errors() {
		if !strings.Contains(e, "favicon") {
			t.Errorf("the console says: %s", e)
		}
	}
}

// TestChromiumDownload: the browser's download manager fetches a file whose first connection ends
// in the middle. It resumes by itself, with a range that is valid only if the file is unchanged.
func TestChromiumDownload(t *testing.T) {
	root := tree(t)
	s := start(t, root, serve.Options{})
	cut := newCutter(t, s.addr, 1<<20)
	b := client.OpenBrowser(t)
	to := t.TempDir()
	b.Devtools("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": to})
	b.Open(s.url("/nested/"))
	b.Text(`const [href] = arguments
		const a = document.createElement("a")
		a.href = href
		document.body.append(a)
		a.click()
		return ""`, "http://"+cut.addr+"/3m.bin")
	want := body(t, filepath.Join(root, "3m.bin"))
	eventually(t, func() error {
		got, err := os.ReadFile(filepath.Join(to, "3m.bin"))
		if err == nil && !bytes.Equal(got, want) {
			return fmt.Errorf("the download has %d bytes of %d, or others; asked:\n%s", len(got), len(want), cut.asked())
		}
		if err != nil {
			entries, _ := os.ReadDir(to)
			return fmt.Errorf("%w: %v; asked:\n%s", err, entries, cut.asked())
		}
		return nil
	})
	if !regexp.MustCompile(`(?i)\r\nRange: bytes=[1-9]\d*-`).MatchString(cut.asked()) {
		t.Errorf("the browser did not resume:\n%s", cut.asked())
	}
}

// cutter forwards connections to the server and cuts the first one after some bytes.
type cutter struct {
	addr string

	mu       sync.Mutex
	requests bytes.Buffer
	cut      bool
}

func newCutter(t *testing.T, to string, after int64) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{addr: l.Addr().String()}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return // closed at the end of the test
			}
			running.Go(func() {
				if err := c.pass(client, to, after); err != nil {
					t.Error(err)
				}
			})
		}
	})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		running.Wait()
	})
	return c
}

// pass forwards one connection. Either side may end it early, which is what the test is about.
func (c *cutter) pass(client net.Conn, to string, after int64) error {
	server, err := net.Dial("tcp", to)
	if err != nil {
		return errors.Join(err, client.Close())
	}
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(io.MultiWriter(server, c), struct{ io.Reader }{client})
		_ = server.(*net.TCPConn).CloseWrite()
	})
	// Without splice, because the runtime keeps its pipes.
	n, err := io.CopyN(struct{ io.Writer }{client}, server, after)
	if err == nil && n == after && c.first() {
		err = errors.Join(client.(*net.TCPConn).CloseWrite(), client.Close())
	} else {
		_, _ = io.Copy(struct{ io.Writer }{client}, server)
		err = client.Close()
	}
	err = errors.Join(err, server.Close())
	up.Wait()
	return err
}

// Write records the browser's requests.
func (c *cutter) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests.Write(p)
}

func (c *cutter) asked() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests.String()
}

// first returns true once.
func (c *cutter) first() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := !c.cut
	c.cut = true
	return first
}

// TestChromiumFetch fetches a range, a compressed page and a listing from a page.
func TestChromiumFetch(t *testing.T) {
	root := tree(t)
	s := start(t, root, serve.Options{})
	b := client.OpenBrowser(t)
	b.Open(s.url("/dir/")) // a page in the folder itself: listings allow no scripts
	want := body(t, filepath.Join(root, "3m.bin"))
	got := b.Text(`return fetch("/3m.bin", {headers: {Range: "bytes=1000-1015"}}).then(r => r.arrayBuffer().then(b =>
		r.status + " " + r.headers.get("content-range") + " " + [...new Uint8Array(b)].join(" ")))`)
	if want := fmt.Sprintf("206 bytes 1000-1015/%d %s", len(want), strings.Trim(fmt.Sprint(want[1000:1016]), "[]")); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	got = b.Text(`return fetch("/page.html").then(r => r.text().then(b => r.headers.get("content-encoding") + " " + b.length))`)
	if want := fmt.Sprintf("gzip %d", len(body(t, filepath.Join(root, "page.html")))); got != want {
		t.Errorf("%s, not %s", got, want)
	}
	got = b.Text(`return fetch("/nested/?format=json").then(r => r.json()).then(l => l.map(e => e.name + " " + e.type).join(", "))`)
	if !strings.Contains(got, "a folder") || !strings.Contains(got, "up file") {
		t.Errorf("the listing as JSON has %s", got)
	}
	if u, err := url.Parse(b.Text(`return location.href`)); err != nil || u.Path != "/dir/" {
		t.Errorf("the page is %v, %v", u, err)
	}
}
