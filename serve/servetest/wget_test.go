//go:build linux

package servetest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/test/client"
	"github.com/thresh-dev/thresh/serve"
)

// TestWgetMirror follows the links of the listings with wget, which must find all served files
// under their names and with their times.
func TestWgetMirror(t *testing.T) {
	wget := client.Program(t, "wget", "wget")
	t.Setenv("LC_ALL", "C.UTF-8") // else it writes other names than it reads
	root := tree(t)
	s := start(t, root, serve.Options{})
	to := t.TempDir()
	output(t, wget, "-q", "-e", "robots=off", "-r", "-np", "-nH", "-l", "10", "--restrict-file-names=nocontrol",
		"--reject-regex", `[?&](sort|order|format)=`, "-P", to, s.url("/"))
	want, got := contents(t, root, true), contents(t, to, false)
	delete(want, "a%20b.txt")     // wget decodes twice and calls it "a b.txt", from nginx, too
	delete(got, "a b.txt")        // see above
	delete(want, "dir/other.txt") // index.html replaces the listing of the folder
	for _, name := range sorted(want) {
		mirrored, ok := got[name]
		switch {
		case !ok:
			t.Errorf("%s was not mirrored", name)
		case !bytes.Equal(mirrored, want[name]):
			t.Errorf("%s has other bytes", name)
		}
	}
	for _, name := range sorted(got) {
		if _, ok := want[name]; !ok && !strings.HasPrefix(filepath.Base(name), "index.html") {
			t.Errorf("%s was mirrored and is not served", name)
		}
		if bytes.Contains(got[name], []byte(secret)) {
			t.Errorf("%s holds what lies outside the folder", name)
		}
	}
	if i, err := os.Stat(filepath.Join(to, "old.txt")); err != nil || !i.ModTime().Equal(old) {
		t.Errorf("old.txt: %v, time %v", err, i.ModTime())
	}
}

// contents returns the files below root by path. With served, only what a server of root shows: no
// hidden files, and links inside the folder as their targets.
func contents(t *testing.T, root string, served bool) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			path := filepath.Join(root, name)
			if served && (e.Name()[0] == '.' || !within(root, path)) {
				continue
			}
			switch i, err := os.Stat(path); {
			case err != nil:
				t.Fatal(err)
			case i.IsDir() && name != "inside-dir/up":
				walk(name)
			case i.Mode().IsRegular():
				all[name] = body(t, path)
			}
		}
	}
	walk(".")
	return all
}

// within reports whether path leads to something below root.
func within(root, path string) bool {
	to, err := filepath.EvalSymlinks(path)
	return err == nil && strings.HasPrefix(to, root+"/")
}

func TestWgetResumeAndTimestamps(t *testing.T) {
	wget := client.Program(t, "wget", "wget")
	root := tree(t)
	s := start(t, root, serve.Options{})
	to := t.TempDir()
	whole := body(t, filepath.Join(root, "3m.bin"))
	path := filepath.Join(to, "3m.bin")
	if err := os.WriteFile(path, whole[:1<<20], 0o644); err != nil {
		t.Fatal(err)
	}
	if out := output(t, wget, "-S", "-c", "-P", to, s.url("/3m.bin")); !strings.Contains(out, "206 Partial Content") {
		t.Errorf("not resumed:\n%s", out)
	}
	if !bytes.Equal(body(t, path), whole) {
		t.Error("resumed with other bytes")
	}
	// For a complete file, wget requests a range after its end.
	if out := output(t, wget, "-S", "-c", "-P", to, s.url("/3m.bin")); !strings.Contains(out, "416 ") {
		t.Errorf("no 416 for a complete file:\n%s", out)
	}
	if !bytes.Equal(body(t, path), whole) {
		t.Error("spoilt what was complete")
	}
	for _, want := range []string{"200 OK", "304 Not Modified"} {
		if out := output(t, wget, "-S", "-N", "-P", to, s.url("/4k.bin")); !strings.Contains(out, want) {
			t.Errorf("-N is not answered %s:\n%s", want, out)
		}
	}
	if err := os.Chtimes(filepath.Join(root, "4k.bin"), time.Time{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error { // an open file is revalidated once a second
		out, err := run(t, wget, "-S", "-N", "-P", to, s.url("/4k.bin"))
		if err == nil && !strings.Contains(out, "200 OK") {
			return fs.ErrNotExist
		}
		return err
	})
}

func TestWgetSingleFile(t *testing.T) {
	wget := client.Program(t, "wget", "wget")
	root := tree(t)
	s := start(t, filepath.Join(root, "3m.bin"), serve.Options{})
	whole := body(t, filepath.Join(root, "3m.bin"))
	for _, path := range []string{"/", "/3m.bin"} {
		to := filepath.Join(t.TempDir(), "out")
		output(t, wget, "-q", "-O", to, s.url(path))
		if !slices.Equal(body(t, to), whole) {
			t.Errorf("%s: other bytes", path)
		}
	}
	for _, path := range []string{"/4k.bin", "/3m.bin/", "/root/3m.bin", "/x/3m.bin"} {
		r, err := exchange(s.addr, get("GET", path, "HTTP/1.1"))
		if err != nil || r.status == 200 {
			t.Errorf("%s beside a single file: %d, %v", path, r.status, err)
		}
	}
}
