package docroot

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// FuzzLookup compares Lookup with a plain twin, which resolves the path in the whole file system
// and then checks where it leads.
func FuzzLookup(f *testing.F) {
	if runtime.GOOS == "windows" {
		f.Skip("the twin knows one separator only")
	}
	dir, outside := f.TempDir(), f.TempDir()
	write(f, outside, "secret", "SECRET", "index.html", "SECRET")
	write(f, dir, "a", "A", "b/c", "C", "b/d/e.html", "E", "i/index.html", "I", ".h", "H", "b/.h/x", "H", ".well-known/w", "W")
	link(f, dir, "b", "l")
	link(f, dir, "../a", "b/up")
	link(f, dir, "../..", "b/d/out")
	link(f, dir, outside, "o")
	link(f, dir, "x", "x")
	link(f, dir, "gone", "g")
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		f.Fatal(err)
	}
	s := serve(f, dir, Options{Revalidate: always, OpenFiles: 4})
	for _, p := range []string{"/", "/a", "/b", "/b/", "/b/c", "/b/d/e.html", "/i", "/i/", "/i/index.html", "/.h", "/b/.h/x",
		"/.well-known/w", "/l/c", "/l/../a", "/b/up", "/b/d/out", "/b/d/out/x", "/o", "/o/", "/o/secret", "/x", "/x/", "/g",
		"//a", "/./b/./c", "/b//", "/b/.", "/b/..", "/a/", "/a/b", "/\x00", "", "a", "/a\\..", "/l/l/l", "/b/up/", "/..."} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		got := answer(s, p)
		if strings.HasPrefix(got, "error") || strings.Contains(got, "SECRET") {
			t.Fatalf("%q: %s", p, got)
		}
		if want := twin(real, p); got != want {
			t.Fatalf("%q: %s, want %s", p, got, want)
		}
		for at := p; strings.HasPrefix(got, "-> "); { // a redirect ends, here
			to := strings.TrimPrefix(got, "-> ")
			if to == at || strings.HasPrefix(to, "//") || len(to) > len(p)+1 {
				t.Fatalf("%q: %s", at, got)
			}
			at, got = to, answer(s, to)
		}
	})
}

// twin returns what is at p below root, to which no link leads.
func twin(root, p string) string {
	if !strings.HasPrefix(p, "/") || strings.Contains(p, "\x00") {
		return "not found"
	}
	for i, elem := range strings.Split(strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(p, "..", "\x00")), "/"), "/") {
		elem = strings.ReplaceAll(elem, "\x00", "..")
		if strings.HasPrefix(elem, ".") && !(i == 0 && elem == wellKnown) {
			return "not found"
		}
	}
	clean := path.Clean(p)
	if clean != "/" && (strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/.")) {
		clean += "/"
	}
	if clean != p {
		return "-> " + clean
	}
	name := strings.TrimSuffix(root+clean, "/")
	real, inside := resolve(root, name)
	if !inside {
		return "forbidden"
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "not found"
	case !strings.HasSuffix(p, "/"):
		if info.IsDir() {
			return "-> " + p + "/"
		}
	case !info.IsDir():
		return "-> " + strings.TrimSuffix(p, "/")
	default:
		if real, inside = resolve(root, name+"/"+index); !inside {
			return "forbidden"
		}
		if _, err := os.Stat(real); errors.Is(err, fs.ErrNotExist) {
			return "folder " + path.Base(p)
		}
		name += "/" + index
	}
	text, err := os.ReadFile(real)
	if err != nil {
		return err.Error()
	}
	return "file " + path.Base(name) + " = " + string(text)
}

// resolve follows the links of name as far as there are files, and reports whether the result is
// inside root.
func resolve(root, name string) (string, bool) {
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		return real, real == root || strings.HasPrefix(real, root+"/")
	}
	if !errors.Is(err, fs.ErrNotExist) && !isAbsent(err) {
		return "", false // a cycle
	}
	if parent := path.Dir(name); parent != root && len(parent) > len(root) {
		if _, inside := resolve(root, parent); !inside {
			return "", false
		}
	}
	return name, true
}
