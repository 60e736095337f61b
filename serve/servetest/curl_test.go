//go:build linux

package servetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/serve"
	"golang.org/x/crypto/bcrypt"
)

func TestCurl(t *testing.T) {
	curl := client.Program(t, "curl", "curl")
	root := tree(t)
	s := start(t, root, serve.Options{})
	big := body(t, filepath.Join(root, "3m.bin"))
	get := func(t *testing.T, args ...string) (out string, file []byte) {
		to := filepath.Join(t.TempDir(), "out")
		out = output(t, curl, append([]string{"-sS", "--fail", "-o", to}, args...)...)
		if b, err := os.ReadFile(to); err == nil {
			file = b
		} else if !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return out, file
	}
	same := func(t *testing.T, got, want []byte) {
		t.Helper()
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes came, of %d, or others", len(got), len(want))
		}
	}
	t.Run("download", func(t *testing.T) {
		for _, name := range []string{"empty", "one", "4k.bin", "100k.bin", "3m.bin", "UPPER.TXT"} {
			_, got := get(t, s.url("/"+name))
			same(t, got, body(t, filepath.Join(root, name)))
		}
	})
	t.Run("resume", func(t *testing.T) {
		to := filepath.Join(t.TempDir(), "out")
		if err := os.WriteFile(to, big[:1234567], 0o644); err != nil {
			t.Fatal(err)
		}
		out := output(t, curl, "-sS", "--fail", "-C", "-", "-o", to, "-w", "%{http_code} %{size_download}", s.url("/3m.bin"))
		if want := fmt.Sprintf("206 %d", len(big)-1234567); out != want {
			t.Errorf("%q, not %q", out, want)
		}
		same(t, body(t, to), big)
		// A complete file stays unchanged, whatever curl makes of status 416.
		if out, err := run(t, curl, "-sS", "-C", "-", "-o", to, "-w", "%{http_code}", s.url("/3m.bin")); err != nil || out != "416" {
			t.Errorf("resumed when complete: %q, %v", out, err)
		}
		same(t, body(t, to), big)
	})
	t.Run("range", func(t *testing.T) {
		_, got := get(t, "-r", "100-1099", s.url("/3m.bin"))
		same(t, got, big[100:1100])
		_, got = get(t, "-r", "-7", s.url("/3m.bin"))
		same(t, got, big[len(big)-7:])
	})
	t.Run("ranges", func(t *testing.T) {
		_, got := get(t, "-r", "0-9,2000000-2000009,-5", "-D", "/dev/stderr", s.url("/3m.bin"))
		for _, part := range [][]byte{big[:10], big[2000000:2000010], big[len(big)-5:]} {
			if !bytes.Contains(got, part) {
				t.Errorf("a part is missing in %d bytes", len(got))
			}
		}
	})
	t.Run("compressed", func(t *testing.T) {
		out, got := get(t, "--compressed", "-w", "%{size_download} %header{content-encoding} %header{vary}", s.url("/page.html"))
		same(t, got, body(t, filepath.Join(root, "page.html")))
		if want := fmt.Sprintf("%d gzip Accept-Encoding", len(body(t, filepath.Join(root, "page.html.gz")))); out != want {
			t.Errorf("%q, not %q", out, want)
		}
		out, got = get(t, "-w", "%{size_download} %header{content-encoding} %header{vary}", s.url("/page.html"))
		same(t, got, body(t, filepath.Join(root, "page.html")))
		if want := fmt.Sprintf("%d  Accept-Encoding", len(got)); out != want {
			t.Errorf("%q, not %q", out, want)
		}
	})
	t.Run("HEAD", func(t *testing.T) {
		out := output(t, curl, "-sS", "-I", s.url("/3m.bin"))
		for _, line := range []string{"HTTP/1.1 200 OK", fmt.Sprintf("Content-Length: %d", len(big)), "Accept-Ranges: bytes"} {
			if !strings.Contains(strings.ToLower(out), strings.ToLower(line)+"\r\n") {
				t.Errorf("no %q in\n%s", line, out)
			}
		}
	})
	t.Run("if modified", func(t *testing.T) {
		if out, got := get(t, "-z", "Fri, 01 Mar 2024 00:00:00 GMT", "-w", "%{http_code}", s.url("/4k.bin")); out != "304" || len(got) != 0 {
			t.Errorf("changed before: %s, %d bytes", out, len(got))
		}
		if out, got := get(t, "-z", "Wed, 28 Feb 2024 00:00:00 GMT", "-w", "%{http_code}", s.url("/4k.bin")); out != "200" || len(got) != 4096 {
			t.Errorf("changed since: %s, %d bytes", out, len(got))
		}
	})
	t.Run("by ETag", func(t *testing.T) {
		tags := filepath.Join(t.TempDir(), "etag")
		for _, want := range []string{"200", "304"} {
			if out, _ := get(t, "--etag-save", tags, "--etag-compare", tags, "-w", "%{http_code}", s.url("/4k.bin")); out != want {
				t.Errorf("%s, not %s", out, want)
			}
		}
	})
	t.Run("time of the file", func(t *testing.T) {
		to := filepath.Join(t.TempDir(), "out")
		output(t, curl, "-sS", "--fail", "-R", "-o", to, s.url("/old.txt"))
		if i, err := os.Stat(to); err != nil {
			t.Error(err)
		} else if !i.ModTime().Equal(old) {
			t.Errorf("%v, not %v", i.ModTime(), old)
		}
	})
	t.Run("folder without a slash", func(t *testing.T) {
		out, got := get(t, "-L", "-w", "%{num_redirects} %{http_code} %{url_effective}", s.url("/dir"))
		if want := "1 200 " + s.url("/dir/"); out != want || string(got) != "<p>index</p>" {
			t.Errorf("%q %q, not %q", out, got, want)
		}
	})
	t.Run("many on one connection", func(t *testing.T) {
		args := []string{"-sS", "--fail", "-w", "%{num_connects} %{http_code}\n"}
		for range 20 {
			args = append(args, "-o", "/dev/null", s.url("/100k.bin"))
		}
		if out := output(t, curl, args...); strings.Count(out, " 200\n") != 20 || strings.Count(out, "1 200\n") != 1 {
			t.Errorf("20 files on one connection:\n%s", out)
		}
	})
	t.Run("many at once", func(t *testing.T) {
		dir := t.TempDir()
		output(t, curl, "-sS", "--fail", "-Z", "--parallel-max", "20", "-o", dir+"/#1", s.url("/3m.bin?[1-40]"))
		for n := 1; n <= 40; n++ {
			same(t, body(t, filepath.Join(dir, fmt.Sprint(n))), big)
		}
	})
	t.Run("client that reads slowly", func(t *testing.T) {
		_, got := get(t, "--limit-rate", "200k", s.url("/100k.bin"))
		same(t, got, body(t, filepath.Join(root, "100k.bin")))
	})
	t.Run("names", func(t *testing.T) {
		for _, name := range oddNames(t, root) {
			_, got := get(t, "--path-as-is", "-g", s.url("/"+escape(name)))
			same(t, got, body(t, filepath.Join(root, name)))
		}
	})
	t.Run("HTTP/1.0", func(t *testing.T) {
		_, got := get(t, "-0", s.url("/3m.bin"))
		same(t, got, big)
	})
}

// oddNames are the served files at the top of the tree.
func oddNames(t *testing.T, root string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() && e.Name()[0] != '.' {
			names = append(names, e.Name())
		}
	}
	if len(names) < 20 {
		t.Fatalf("only %d files", len(names))
	}
	return names
}

// escape encodes every byte of a name except letters and digits.
func escape(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func TestCurlRateAndPassword(t *testing.T) {
	curl := client.Program(t, "curl", "curl")
	root := tree(t)
	hash, err := bcrypt.GenerateFromPassword([]byte("sesame: ü"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	const rate = 200 << 10
	s := start(t, root, serve.Options{LimitRate: rate, Users: map[string]string{"alice": string(hash)}})
	codes := func(args ...string) string {
		return output(t, curl, append([]string{"-sS", "-o", "/dev/null", "-w", "%{http_code}"}, args...)...)
	}
	for want, args := range map[string][]string{
		"401": {s.url("/one")},
		"200": {"-u", "alice:sesame: ü", s.url("/one")},
	} {
		if out := codes(args...); out != want {
			t.Errorf("%v: %s, not %s", args, out, want)
		}
	}
	for _, user := range []string{"alice:wrong", "alice:", "bob:sesame: ü", ":", "alice:sesame: ü ", "Alice:sesame: ü"} {
		if out := codes("-u", user, s.url("/one")); out != "401" {
			t.Errorf("%s is answered %s", user, out)
		}
	}
	if out := output(t, curl, "-sS", "-I", s.url("/one")); !strings.Contains(strings.ToLower(out), "www-authenticate: basic realm=") {
		t.Errorf("401 does not say how to authenticate:\n%s", out)
	}
	if out := codes("-u", "alice:wrong", s.url("/missing")); out != "401" {
		t.Errorf("a stranger learns that a file is missing: %s", out)
	}
	// A limit allows a burst, but sending 100 KiB less than in three times the rate's time would be
	// no limit. We assert a lower bound only: a slow machine takes longer.
	begin := time.Now()
	to := filepath.Join(t.TempDir(), "out")
	output(t, curl, "-sS", "--fail", "-u", "alice:sesame: ü", "-r", "0-614399", "-o", to, s.url("/3m.bin"))
	if took, least := time.Since(begin), time.Second; took < least {
		t.Errorf("600 KiB at %d KiB/s came in %v", rate>>10, took)
	}
	if got := body(t, to); !bytes.Equal(got, body(t, filepath.Join(root, "3m.bin"))[:614400]) {
		t.Errorf("%d bytes came, or others", len(got))
	}
}
