package docroot

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// longAgo is the modification time of test files, so that none is young.
var longAgo = time.Date(2024, 2, 29, 12, 0, 0, 123456789, time.UTC)

// write makes files below dir from pairs of name and content, modified at longAgo.
func write(t testing.TB, dir string, nameContent ...string) {
	t.Helper()
	for i := 0; i < len(nameContent); i += 2 {
		name := filepath.Join(dir, nameContent[i])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(nameContent[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
		setTime(t, name, longAgo)
	}
}

func setTime(t testing.TB, name string, when time.Time) {
	t.Helper()
	if err := os.Chtimes(name, when, when); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, dir, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// leaveNothingOpen checks at the end that no descriptor is left open. Call it first.
func leaveNothingOpen(t testing.TB) {
	t.Helper()
	before := descriptors(t)
	t.Cleanup(func() {
		if after := descriptors(t); after > before {
			t.Errorf("%d descriptors before, %d after", before, after)
		}
	})
}

// serve opens a document root that is closed at the end.
func serve(t testing.TB, path string, o Options) *Root {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// descriptors counts the open descriptors of the process, 0 if that is unknown.
func descriptors(t testing.TB) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// content reads a file as one of its sharers does.
func content(f File) (string, error) {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size))
	return string(b), err
}

// answer describes the result of Lookup in a few characters.
func answer(s *Root, path string) string {
	e, err := s.Lookup(path)
	switch {
	case errors.Is(err, ErrNotFound) && !errors.Is(err, ErrForbidden):
		return "not found"
	case errors.Is(err, ErrForbidden) && !errors.Is(err, ErrNotFound):
		return "forbidden"
	case err != nil:
		return "error: " + err.Error()
	}
	defer e.Release()
	switch {
	case e.Redirect != "":
		return "-> " + e.Redirect
	case e.Folder:
		return "folder " + e.Name
	}
	text, err := content(e.Plain)
	if err != nil {
		return "error: " + err.Error()
	}
	return "file " + e.Name + " = " + text
}

func TestLookup(t *testing.T) {
	leaveNothingOpen(t)
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, "secret", "SECRET", "folder/secret", "SECRET", "index.html", "SECRET")
	write(t, dir, "a.txt", "A", "sub/b.txt", "B", "sub/deep/c.txt", "C", "indexed/index.html", "I", "ünï cödé.txt", "U",
		"back\\slash", "S", "per%2e", "P", "colon:name", "O", ".hidden", "H", ".git/config", "H", "sub/.env", "H",
		".well-known/security.txt", "W", ".well-known/.x", "H", "sub/.well-known/x", "H", "odd/index.html/x", "X",
		"...", "H", "bad\xff\xfe", "N", "new\nline", "L", " ", "space")
	link(t, dir, "a.txt", "to-a")
	link(t, dir, "../a.txt", "sub/to-a")
	link(t, dir, "sub", "to-sub")
	link(t, dir, "to-to-sub/b.txt", "chain")
	link(t, dir, "to-sub", "to-to-sub")
	link(t, dir, ".hidden", "to-hidden")
	link(t, dir, "loop2", "loop1")
	link(t, dir, "loop1", "loop2")
	link(t, dir, "self/x", "self")
	link(t, dir, "nowhere", "dangling")
	link(t, dir, filepath.Join(outside, "secret"), "out-absolute")
	link(t, dir, filepath.Join(dir, "a.txt"), "in-absolute")
	link(t, dir, "in-absolute", "to-in-absolute")
	link(t, dir, filepath.Join(dir, "sub"), "in-folder")
	link(t, dir, filepath.Join(dir, "in-folder")+"//.//deep", "in-folders")
	link(t, dir, dir, "in-root")
	link(t, dir, filepath.Join(dir, "in-loop"), "in-loop")
	link(t, dir, filepath.Join(dir, "in-nothing-there"), "in-dangling")
	link(t, dir, dir+"/sub/../../"+filepath.Base(outside)+"/secret", "in-and-out")
	link(t, dir, dir+"/../"+filepath.Base(dir)+"/a.txt", "in-out-and-in")
	link(t, dir, dir+"/sub/../a.txt", "in-by-sub")
	link(t, dir, dir+"/to-deep/../b.txt", "in-by-link") // b.txt of sub, not the one at the top
	link(t, dir, "sub/deep", "to-deep")
	link(t, dir, dir+"/a.txt/../a.txt", "in-by-file")
	link(t, dir, dir+"-more/a.txt", "out-by-prefix")
	link(t, dir, "../"+filepath.Base(outside)+"/secret", "out-relative")
	link(t, dir, "sub/../../"+filepath.Base(outside)+"/secret", "out-by-sub")
	link(t, dir, "../"+filepath.Base(outside), "out-folder")
	link(t, dir, "../"+filepath.Base(dir)+"/a.txt", "out-and-in")
	link(t, dir, "..", "up")
	link(t, dir, "/", "slash")
	link(t, dir, ".", "here")
	if err := os.Mkdir(filepath.Join(dir, "veiled"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, dir, filepath.Join(outside, "index.html"), "veiled/index.html")

	s := serve(t, dir, Options{})
	all := serve(t, dir, Options{Hidden: true})
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ path, want, wantHidden string }{
		{"/", "folder /", ""}, {"/a.txt", "file a.txt = A", ""}, {"/sub/b.txt", "file b.txt = B", ""},
		{"/sub/deep/c.txt", "file c.txt = C", ""}, {"/sub/", "folder sub", ""}, {"/sub/deep/", "folder deep", ""},
		{"/sub", "-> /sub/", ""}, {"/a.txt/", "-> /a.txt", ""}, {"/sub/b.txt/", "-> /sub/b.txt", ""},
		{"/indexed", "-> /indexed/", ""}, {"/indexed/", "file index.html = I", ""},
		{"/indexed/index.html", "file index.html = I", ""}, {"/indexed/index.html/", "-> /indexed/index.html", ""},
		{"/odd/", "folder odd", ""}, {"/odd/index.html", "-> /odd/index.html/", ""},
		{"/ünï cödé.txt", "file ünï cödé.txt = U", ""}, {"/back\\slash", "file back\\slash = S", ""},
		{"/per%2e", "file per%2e = P", ""}, {"/colon:name", "file colon:name = O", ""},
		{"/bad\xff\xfe", "file bad\xff\xfe = N", ""}, {"/new\nline", "file new\nline = L", ""}, {"/ ", "file   = space", ""},

		// One spelling.
		{"//", "-> /", ""}, {"/.", "-> /", ""}, {"/./", "-> /", ""}, {"//a.txt", "-> /a.txt", ""},
		{"///sub///", "-> /sub/", ""}, {"/sub/.", "-> /sub/", ""}, {"/./sub/./b.txt", "-> /sub/b.txt", ""},
		{"/sub//b.txt", "-> /sub/b.txt", ""}, {"//evil.example/x", "-> /evil.example/x", ""},
		{"/a.txt/.", "-> /a.txt/", ""}, {"/\\evil.example//", "-> /\\evil.example/", ""},

		// Nothing there.
		{"", "not found", ""}, {"a.txt", "not found", ""}, {"*", "not found", ""}, {"/nothing", "not found", ""},
		{"/nothing/", "not found", ""}, {"/a.txt/x", "not found", ""}, {"/a.txt/x/", "not found", ""},
		{"/A.TXT", "not found", ""}, {"/" + long, "not found", ""}, {"/" + long + "/", "not found", ""},
		{"/" + strings.Repeat("sub/", 2000), "not found", ""}, {"/dangling", "not found", ""},
		{"/a.txt\x00", "not found", ""}, {"/\x00", "not found", ""}, {"/a.txt\x00/../x", "not found", ""},

		// Up.
		{"/..", "not found", ""}, {"/../", "not found", ""}, {"/../a.txt", "not found", ""},
		{"/sub/../a.txt", "not found", ""}, {"/sub/..", "not found", ""}, {"/../../../../../../etc/passwd", "not found", ""},
		{"/..\\..\\etc\\passwd", "not found", ""}, {"/%2e%2e/etc/passwd", "not found", ""}, {"/..%2fa.txt", "not found", ""},
		{"/....//....//etc/passwd", "not found", "-> /..../..../etc/passwd"}, {"//../a.txt", "not found", ""},
		{"/sub/./../a.txt", "not found", ""}, {"/..;/a.txt", "not found", ""}, {"/\xc0\xae\xc0\xae/a.txt", "not found", ""},
		{"/etc/passwd", "not found", ""}, {"//etc/passwd", "-> /etc/passwd", ""}, {"/proc/self/environ", "not found", ""},

		// Hidden.
		{"/.hidden", "not found", "file .hidden = H"}, {"/.git", "not found", "-> /.git/"},
		{"/.git/", "not found", "folder .git"}, {"/.git/config", "not found", "file config = H"},
		{"/sub/.env", "not found", "file .env = H"}, {"//.git", "not found", "-> /.git"},
		{"/...", "not found", "file ... = H"}, {"/.well-known/", "folder .well-known", ""},
		{"/.well-known/security.txt", "file security.txt = W", ""}, {"/.well-known/.x", "not found", "file .x = H"},
		{"/sub/.well-known/x", "not found", "file x = H"}, {"/to-hidden", "file to-hidden = H", ""},

		// Links.
		{"/to-a", "file to-a = A", ""}, {"/sub/to-a", "file to-a = A", ""}, {"/to-sub", "-> /to-sub/", ""},
		{"/to-sub/", "folder to-sub", ""}, {"/to-sub/b.txt", "file b.txt = B", ""}, {"/chain", "file chain = B", ""},
		{"/to-sub/to-a", "file to-a = A", ""}, {"/here/a.txt", "file a.txt = A", ""}, {"/here/here/here/", "folder here", ""},
		{"/loop1", "forbidden", ""}, {"/loop2/", "forbidden", ""}, {"/self", "forbidden", ""},
		{"/out-absolute", "forbidden", ""}, {"/out-relative", "forbidden", ""},
		{"/in-absolute", "file in-absolute = A", ""}, {"/to-in-absolute", "file to-in-absolute = A", ""},
		{"/in-folder", "-> /in-folder/", ""}, {"/in-folder/", "folder in-folder", ""},
		{"/in-folder/b.txt", "file b.txt = B", ""}, {"/in-folder/to-a", "file to-a = A", ""},
		{"/in-folder/nothing", "not found", ""}, {"/in-folders/c.txt", "file c.txt = C", ""},
		{"/in-root/", "folder in-root", ""}, {"/in-root/in-root/sub/b.txt", "file b.txt = B", ""},
		{"/in-root/.hidden", "not found", "file .hidden = H"}, {"/in-loop", "forbidden", ""},
		{"/in-dangling", "not found", ""}, {"/in-and-out", "forbidden", ""}, {"/in-out-and-in", "forbidden", ""},
		{"/in-by-sub", "file in-by-sub = A", ""}, {"/in-by-link", "file in-by-link = B", ""},
		{"/in-by-file", "not found", ""}, {"/out-by-prefix", "forbidden", ""}, {"/in-root/out-absolute", "forbidden", ""},
		{"/in-root/up/", "forbidden", ""}, {"/out-by-sub", "forbidden", ""}, {"/out-folder", "forbidden", ""}, {"/out-folder/", "forbidden", ""},
		{"/out-folder/secret", "forbidden", ""}, {"/out-folder/folder/secret", "forbidden", ""},
		{"/out-and-in", "forbidden", ""}, {"/up", "forbidden", ""}, {"/up/", "forbidden", ""},
		{"/slash/etc/passwd", "forbidden", ""}, {"/sub/../up", "not found", ""}, {"/veiled/", "forbidden", ""},
	} {
		for range 2 { // from the file system, and from the cache
			if got := answer(s, c.path); got != c.want {
				t.Errorf("%q: %s, want %s", c.path, got, c.want)
			}
			want := c.wantHidden
			if want == "" {
				want = c.want
			}
			if got := answer(all, c.path); got != want {
				t.Errorf("with hidden files %q: %s, want %s", c.path, got, want)
			}
		}
	}
}

func TestSingleFile(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	write(t, dir, ".disk.img", "D", "other", "O", ".disk.img.gz", "Z")
	link(t, dir, ".disk.img", "link.IMG.html")
	for name, want := range map[string]string{".disk.img": "file .disk.img = D", "link.IMG.html": "file link.IMG.html = D"} {
		s := serve(t, filepath.Join(dir, name), Options{})
		for path, want := range map[string]string{"/": want, "/" + name: want, "/" + name + "/": "-> /" + name,
			"//": "-> /", "//" + name: "-> /" + name, "/other": "not found", "/../other": "not found", "/.": "-> /",
			"/" + name + "/x": "not found", "/./other": "not found"} {
			if got := answer(s, path); got != want {
				t.Errorf("%s of %s: %s, want %s", path, name, got, want)
			}
		}
		if _, err := s.List("/"); !errors.Is(err, ErrNotFound) {
			t.Errorf("listed a file: %v", err)
		}
		e, err := s.Lookup("/")
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Encodings) != 0 {
			t.Errorf("a single file has sidecar files %v", e.Encodings)
		}
		e.Release()
	}
	if _, err := Open(filepath.Join(dir, "nothing"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what does not exist is served: %v", err)
	}
	if _, err := Open(dir, Options{Encodings: []string{"deflate"}}); err == nil {
		t.Error("a coding that no file has is accepted")
	}
}

func TestList(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	write(t, dir, "b.txt", "BB", "a.txt", "A", "z/x", "X", "y/x", "X", ".hidden", "H", ".well-known/x", "W", "ü\xff", "U",
		"y/.well-known/x", "H")
	link(t, dir, "z", "m")
	link(t, dir, "b.txt", "l")
	link(t, dir, "/etc", "out")
	link(t, dir, "..", "up")
	link(t, dir, "nowhere", "dangling")
	link(t, dir, "loop", "loop")
	s := serve(t, dir, Options{})
	show := func(path string) string {
		listing, err := s.List(path)
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for _, i := range listing.Items {
			b.WriteString(i.Name)
			if i.Folder {
				b.WriteString("/")
			}
			b.WriteString(" ")
		}
		return b.String()
	}
	want := ".well-known/ m/ y/ z/ a.txt b.txt l ü\xff "
	for _, path := range []string{"/", "//", "/."} {
		if got := show(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := show("/y"); got != "x " {
		t.Errorf("/y: %q", got)
	}
	if got := show("/m/"); got != "x " {
		t.Errorf("/m/: %q", got)
	}
	for _, item := range must(s.List("/")).Items {
		if item.Name == "l" && (item.Size != 2 || !item.Modified.Equal(longAgo)) {
			t.Errorf("a link is listed as %+v", item)
		}
		path := "/" + item.Name
		if item.Folder {
			path += "/"
		}
		if got := answer(s, path); !strings.HasPrefix(got, "f") || got == "forbidden" {
			t.Errorf("%q is listed, but: %s", path, got)
		}
	}
	for path, why := range map[string]error{"/a.txt": ErrNotFound, "/nothing/": ErrNotFound, "/../": ErrNotFound,
		"/out/": ErrForbidden, "/up/": ErrForbidden, "/.hidden": ErrNotFound, "/loop/": ErrForbidden} {
		if _, err := s.List(path); !errors.Is(err, why) {
			t.Errorf("%s: %v, want %v", path, err, why)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestTypeOf(t *testing.T) {
	for name, want := range map[string]string{"a.html": "text/html; charset=utf-8", "A.HTML": "text/html; charset=utf-8",
		"x.tar.gz": "application/gzip", "x.css": "text/css; charset=utf-8", "x.JPG": "image/jpeg", "x.json": "application/json",
		"x": "application/octet-stream", "x.": "application/octet-stream", "x.unknown": "application/octet-stream",
		"html": "application/octet-stream", "a.b/x": "application/octet-stream", "x.wasm": "application/wasm"} {
		if got := TypeOf(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for ext, typ := range types() {
		if ext != strings.ToLower(ext) || strings.HasPrefix(typ, "text/") != strings.HasSuffix(typ, "; charset=utf-8") {
			t.Errorf("%s: %s", ext, typ)
		}
	}
}
