package serve

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/net/docroot"
)

// archiveFolder has what an archive may stumble over; content has what it holds, by name.
func archiveFolder(t *testing.T) (dir string, content map[string]string) {
	dir = t.TempDir()
	content = map[string]string{
		"a.txt": letters, "empty": "", "big.bin": string(big), "sub/x/y.txt": "deep", "sub/exact": string(big[:smallBytes]),
		"sub/more": string(big[:smallBytes+1]), "site/index.html": "<p>", "site/style.css": "p{}", "ümlaut 文.txt": "utf-8",
		"new\nline": "odd", strings.Repeat("long", 50): "long",
	}
	makeFiles(t, dir, content)
	makeFiles(t, dir, map[string]string{".hidden": "h", "sub/.h/x": "h"})
	for name, target := range map[string]string{"link.txt": "a.txt", "loop": ".", "out": "/etc", "gone": "nowhere", "sub/up": ".."} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	content["link.txt"] = letters
	if err := os.Chmod(filepath.Join(dir, "a.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, content
}

// archiveOptions offers archives; errors end the test.
func archiveOptions(t *testing.T) handlerOptions {
	return handlerOptions{archives: true, errorLog: func(err error) { t.Error(err) }}
}

// TestArchiveHolds reads the archives back, over each transport.
func TestArchiveHolds(t *testing.T) {
	dir, content := archiveFolder(t)
	h := newHandler(openRoot(t, dir), archiveOptions(t))
	for _, transport := range transports {
		address, client := offer(t, h, transport.tls, transport.http2)
		for _, kind := range []string{"tar", "zip"} {
			answer, body := ask(t, client, "GET", address+"/?archive="+kind)
			if answer.StatusCode != 200 || answer.ContentLength != int64(len(body)) || answer.Header.Get("Etag") == "" ||
				answer.Header.Get("Content-Disposition") != `attachment; filename="files.`+kind+`"` {
				t.Fatalf("%s: %d, %v, %d bytes", kind, answer.StatusCode, answer.Header, len(body))
			}
			if got := unpack(t, kind, body); !equal(got, content) {
				t.Errorf("%s over %s: %d files, not %d", kind, transport.name, len(got), len(content))
			}
			head, _ := ask(t, client, "HEAD", address+"/?archive="+kind)
			if head.ContentLength != int64(len(body)) || head.Header.Get("Etag") != answer.Header.Get("Etag") {
				t.Errorf("HEAD %s: %v", kind, head.Header)
			}
		}
	}
	if n := h.(*handler).archives.entries.Load(); n != 0 {
		t.Errorf("%d entries are left of downloads that ended", n)
	}
}

func equal(a, b map[string]string) bool {
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return len(a) == len(b)
}

// unpack returns the files of an archive, by name below its folder.
func unpack(t *testing.T, kind, text string) map[string]string {
	t.Helper()
	files := map[string]string{}
	add := func(name string, r io.Reader) {
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, twice := files[name]; twice {
			t.Errorf("%s is there twice", name)
		}
		// The link "sub/up" leads to the top, which is above, and "loop" as well.
		files[strings.TrimPrefix(name, "files/")] = string(body)
	}
	if kind == "zip" {
		z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			if f.Mode().IsDir() {
				continue
			}
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, r)
		}
		return files
	}
	for r := tar.NewReader(strings.NewReader(text)); ; {
		f, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if f.Typeflag == tar.TypeReg {
			add(f.Name, r)
		}
		if want := int64(0o755); (f.Name == "files/a.txt" || f.Name == "files/link.txt") && f.Mode != want {
			t.Errorf("%s has mode %o", f.Name, f.Mode)
		}
	}
}

// TestArchiveResumes: ranges, also resumed ones on a connection of its own, equal the whole byte
// for byte.
func TestArchiveResumes(t *testing.T) {
	dir, _ := archiveFolder(t)
	address, client := offer(t, newHandler(openRoot(t, dir), archiveOptions(t)), false, false)
	for _, kind := range []string{"tar", "zip"} {
		url := address + "/?archive=" + kind
		answer, all := ask(t, client, "GET", url)
		tag := answer.Header.Get("Etag")
		for range 200 {
			off := rand.IntN(len(all))
			n := 1 + rand.IntN(len(all)-off)
			answer, part := ask(t, client, "GET", url, fmt.Sprintf("Range: bytes=%d-%d", off, off+n-1), "If-Range: "+tag)
			if answer.StatusCode != 206 || part != all[off:off+n] ||
				answer.Header.Get("Content-Range") != fmt.Sprintf("bytes %d-%d/%d", off, off+n-1, len(all)) {
				t.Fatalf("%s: %d bytes at %d: %d, %v", kind, n, off, answer.StatusCode, answer.Header)
			}
		}
		for lines, status := range map[string]int{"Range: bytes=0-0,5-6": 200, "Range: bytes=" + strconv.Itoa(len(all)) + "-": 416,
			"If-None-Match: " + tag: 304, `If-Match: "x"`: 412} {
			if answer, body := ask(t, client, "GET", url, lines); answer.StatusCode != status || status == 200 && body != all {
				t.Errorf("%s: %d, not %d", lines, answer.StatusCode, status)
			}
		}
		makeFiles(t, dir, map[string]string{"later-" + kind: "x"})
		if answer, body := ask(t, client, "GET", url, "Range: bytes=5-", "If-Range: "+tag); answer.StatusCode != 200 || body == all {
			t.Errorf("%s of another content is resumed: %d", kind, answer.StatusCode)
		}
		// So is a file of the same name and length, which only its time tells.
		before, _ := ask(t, client, "HEAD", url)
		later := changed.Add(time.Duration(len(kind)+int(kind[0])) * time.Second)
		if err := os.Chtimes(filepath.Join(dir, "sub/x/y.txt"), later, later); err != nil {
			t.Fatal(err)
		}
		after, _ := ask(t, client, "HEAD", url)
		if tag := before.Header.Get("Etag"); tag == "" || tag == after.Header.Get("Etag") || before.ContentLength != after.ContentLength {
			t.Errorf("%s: the tag of another content is %q", kind, tag)
		}
	}
}

// TestArchiveOfAChangingFolder: a file that is not what it was when its turn comes cuts the
// connection, and the client gets less than was promised.
func TestArchiveOfAChangingFolder(t *testing.T) {
	shared := t.TempDir()
	makeFiles(t, shared, map[string]string{"a": strings.Repeat("a", 64<<20)})
	for _, kind := range []string{"tar", "zip"} {
		for name, change := range map[string]func(path string) error{
			"nothing": func(string) error { return nil },
			"longer":  func(path string) error { return os.WriteFile(path, append([]byte("x"), big...), 0o644) },
			"written": func(path string) error { return os.WriteFile(path, bytes.ToUpper(big), 0o644) },
			"gone":    os.Remove,
			"shorter": func(path string) error { return os.Truncate(path, 100) },
		} {
			dir := t.TempDir()
			makeFiles(t, dir, map[string]string{"b": string(big)})
			if err := os.Link(filepath.Join(shared, "a"), filepath.Join(dir, "a")); err != nil {
				t.Fatal(err)
			}
			var errs atomic.Int64
			h := newHandler(openRoot(t, dir), handlerOptions{archives: true, errorLog: func(error) { errs.Add(1) }})
			address, client := offer(t, h, false, false)
			answer, err := client.Get(address + "/?archive=" + kind)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.CopyN(io.Discard, answer.Body, 1<<20); err != nil {
				t.Fatal(err)
			}
			if err := change(filepath.Join(dir, "b")); err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, answer.Body)
			whole := err == nil && n+1<<20 == answer.ContentLength
			if closed := answer.Body.Close(); closed != nil || whole != (name == "nothing") || (errs.Load() > 0) == whole {
				t.Errorf("%s, %s: whole %t, %d errors, %v", kind, name, whole, errs.Load(), err)
			}
		}
	}
}

// TestArchiveFileChangesWhileSent: the end of a file is held back until the file is known to be
// unchanged, even if the file is the last that a range holds.
func TestArchiveFileChangesWhileSent(t *testing.T) {
	dir := t.TempDir()
	makeFiles(t, dir, map[string]string{"a": strings.Repeat("a", 64<<20)})
	var errs atomic.Int64
	h := newHandler(openRoot(t, dir), handlerOptions{archives: true, errorLog: func(error) { errs.Add(1) }})
	address, client := offer(t, h, false, false)
	r, err := http.NewRequest("GET", address+"/?archive=tar", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Range", fmt.Sprintf("bytes=512-%d", 511+64<<20))
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.CopyN(io.Discard, answer.Body, 1<<20); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "a"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("b"), 40<<20); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, answer.Body); err == nil || n > 63<<20-archiveTailBytes {
		t.Errorf("%d bytes were taken for the whole: %v", n, err)
	}
}

// TestSums: a file is read once for its checksum, again when it changed, and each time while it is
// young.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	makeFiles(t, dir, map[string]string{"old": "123456789", "young": "x"})
	now := time.Now().Add(time.Hour).Truncate(time.Second)
	s := newSums()
	computed := 0
	sum := func(name string) (v uint32) {
		l, err := openRoot(t, dir).List("/") // a new root: a listing is kept for a while, the longer the more it cost
		if err != nil {
			t.Fatal(err)
		}
		for i := range l.Items {
			if l.Items[i].Name != name {
				continue
			}
			item := l.Items[i]
			if name == "young" {
				item.Modified = time.Now()
			}
			if v, err = s.of("/"+name, &item, func(path string, _ *docroot.Item, w io.Writer) error {
				computed++
				text, err := os.ReadFile(filepath.Join(dir, path))
				if err == nil {
					_, err = w.Write(text)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		return v
	}
	first, second := sum("old"), sum("old")
	if first != 0xcbf43926 || second != first || computed != 1 {
		t.Errorf("%x and %x after %d computations", first, second, computed)
	}
	sum("young")
	if sum("young"); computed != 3 {
		t.Errorf("%d computations", computed)
	}
	makeFiles(t, dir, map[string]string{"old": "2"})
	if err := os.Chtimes(filepath.Join(dir, "old"), now, now); err != nil {
		t.Fatal(err)
	}
	if sum("old"); computed != 4 {
		t.Errorf("%d computations after a change", computed)
	}
	l, err := openRoot(t, dir).List("/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.of("/bad", &l.Items[0], func(string, *docroot.Item, io.Writer) error { return io.ErrClosedPipe }); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	if len(s.known) != 2 {
		t.Errorf("%d sums are kept", len(s.known))
	}
}

// TestArchiveRefused: archives are off by default and with NoListing, of a file, and when too many
// entries are being sent.
func TestArchiveRefused(t *testing.T) {
	dir, _ := archiveFolder(t)
	root := openRoot(t, dir)
	address, client := offer(t, newHandler(root, handlerOptions{}), false, false)
	if answer, _ := ask(t, client, "GET", address+"/?archive=tar"); !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
		t.Error("archives are on by default")
	}
	h := newHandler(root, handlerOptions{archives: true}).(*handler)
	address, client = offer(t, h, false, false)
	for path, status := range map[string]int{"/?archive=rar": 200, "/sub?archive=tar": 301, "/a.txt?archive=tar": 200, "/none/?archive=tar": 404,
		"/.hidden/?archive=zip": 404, "/out/?archive=tar": 403, "/site/?archive=tar": 200} {
		answer, _ := ask(t, client, "GET", address+path)
		if answer.StatusCode != status || strings.Contains(answer.Header.Get("Content-Type"), "tar") != (path == "/site/?archive=tar") {
			t.Errorf("%s: %d %v", path, answer.StatusCode, answer.Header)
		}
	}
	single, one := offer(t, newHandler(openRoot(t, filepath.Join(dir, "a.txt")), archiveOptions(t)), false, false)
	if answer, body := ask(t, one, "GET", single+"/?archive=tar"); answer.StatusCode != 200 || body != letters {
		t.Errorf("a single file as an archive: %d, %q", answer.StatusCode, body)
	}
	h.archives.entries.Store(archiveEntriesMax - 3)
	if answer, _ := ask(t, client, "GET", address+"/?archive=tar"); answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" {
		t.Errorf("one download too many: %d", answer.StatusCode)
	}
	if n := h.archives.entries.Load(); n != archiveEntriesMax-3 {
		t.Errorf("%d entries too many are counted", n-archiveEntriesMax+3)
	}
}

// TestArchiveForOthers unpacks archives with GNU tar and unzip.
func TestArchiveForOthers(t *testing.T) {
	dir, content := archiveFolder(t)
	address, client := offer(t, newHandler(openRoot(t, dir), archiveOptions(t)), false, false)
	for kind, command := range map[string][]string{"tar": {"tar", "-xf"}, "zip": {"unzip", "-q"}} {
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Logf("no %s here", command[0])
			continue
		}
		to := t.TempDir()
		_, body := ask(t, client, "GET", address+"/?archive="+kind)
		if err := os.WriteFile(filepath.Join(to, "x."+kind), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(command[0], append(command[1:], "x."+kind)...)
		cmd.Dir, cmd.Env = to, append(os.Environ(), "LC_ALL=C.UTF-8")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
		for name, text := range content {
			if kind == "zip" && strings.Contains(name, "\n") {
				continue // unzip replaces control characters
			}
			path := filepath.Join(to, "files", name)
			got, err := os.ReadFile(path)
			if err != nil || string(got) != text {
				t.Errorf("%s: %q: %d bytes, %v", kind, name, len(got), err)
				continue
			}
			if info, err := os.Stat(path); err != nil || info.ModTime().Unix() != changed.Unix() {
				t.Errorf("%s: %q is of %v", kind, name, info.ModTime())
			}
		}
	}
}

func TestDisposition(t *testing.T) {
	for name, want := range map[string]string{
		"a.txt":     `inline; filename="a.txt"`,
		"a b;c.txt": `inline; filename="a b;c.txt"`,
		`q"\%/.txt`: `inline; filename="q____.txt"; filename*=UTF-8''q%22%5C%25%2F.txt`,
		"ü.txt":     `inline; filename="_.txt"; filename*=UTF-8''%C3%BC.txt`,
		"x\r\nY: z": `inline; filename="x__Y: z"; filename*=UTF-8''x%0D%0AY%3A%20z`,
		"\xff":      `inline; filename="_"; filename*=UTF-8''%EF%BF%BD`,
	} {
		if got := disposition("inline", name); got != want {
			t.Errorf("%q: %s, not %s", name, got, want)
		}
	}
}
