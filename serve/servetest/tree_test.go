//go:build linux

package servetest

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// secret is in the file outside the served folder; no response may contain it.
const secret = "this line lies outside the folder that is served"

// old is the modification time of old.txt and its folder's other files.
var old = time.Date(2001, 9, 9, 1, 46, 40, 0, time.UTC)

// noise returns n bytes that are the same in every run and do not repeat.
func noise(n int) []byte {
	b := make([]byte, n)
	rnd := rand.NewChaCha8([32]byte{1})
	if _, err := rnd.Read(b); err != nil {
		panic(err) // ChaCha8 returns none
	}
	return b
}

// tree creates the folder that most tests serve, and returns its path.
func tree(t *testing.T) string {
	t.Helper()
	above := t.TempDir()
	root := filepath.Join(above, "root")
	page := []byte("<!doctype html><title>page</title>" + string(bytes.Repeat([]byte("<p>again and again</p>\n"), 200)))
	files := map[string][]byte{
		"empty":              nil,
		"one":                []byte("1"),
		"4k.bin":             noise(4 << 10),
		"100k.bin":           noise(100 << 10),
		"3m.bin":             noise(3 << 20),
		"sp ace.txt":         []byte("space"),
		"grün 日本語.txt":       []byte("utf-8"),
		"100%.txt":           []byte("percent"),
		"a%20b.txt":          []byte("looks encoded"),
		"a#b.txt":            []byte("number sign"),
		"q?m.txt":            []byte("question mark"),
		"semi;colon&amp.txt": []byte("semicolon"),
		`quote".txt`:         []byte("quote"),
		"it's.txt":           []byte("apostrophe"),
		"<b>bold.txt":        []byte("markup"),
		"-dash.txt":          []byte("dash"),
		"+plus.txt":          []byte("plus"),
		"back\\slash.txt":    []byte("backslash"),
		"colon:12.txt":       []byte("colon"),
		".hidden":            []byte("hide and seek"),
		".folder/in.txt":     []byte("in a hidden folder"),
		"page.html":          page,
		"page.html.gz":       gzipped(t, page),
		"old.txt":            []byte("old"),
		"dir/index.html":     []byte("<p>index</p>"),
		"dir/other.txt":      []byte("other"),
		"nested/a/b/c.txt":   []byte("deep"),
		"nested/a/two.txt":   []byte("two"),
		"ordner ü/inhalt":    []byte("inhalt"),
		"UPPER.TXT":          []byte("upper"),
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		// A sidecar file that is newer than its file would be a different case.
		if err := os.Chtimes(path, time.Time{}, time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(root, "old.txt"), time.Time{}, old); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(above, "secret"), []byte(secret), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"inside":       "4k.bin",
		"inside-dir":   "nested",
		"outside":      "../secret",
		"outside-abs":  filepath.Join(above, "secret"),
		"outside-dir":  "..",
		"loop":         "loop",
		"gone":         "nowhere",
		"nested/up":    "../4k.bin",
		"nested/above": "../../secret",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// special adds special files to the tree. They must never be kept open or read.
func special(t *testing.T, root string) {
	t.Helper()
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Close(fd); err != nil {
			t.Error(err)
		}
	})
	// A socket's path may have at most 107 bytes, and a test's folder may be longer: hence the
	// detour.
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(short); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: short + "/s"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(short+"/s", filepath.Join(root, "socket")); err != nil {
		t.Fatal(err)
	}
	// Devices need privileges. /dev/zero never ends; /dev/full is another device.
	const zero = 1<<8 | 5
	if err := syscall.Mknod(filepath.Join(root, "zero"), syscall.S_IFCHR|0o666, zero); err != nil {
		t.Logf("no device in the tree: %v", err)
	}
}

func gzipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
