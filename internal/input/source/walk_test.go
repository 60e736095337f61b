package source

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plant creates empty files and their folders below a new folder.
func plant(tb testing.TB, names ...string) (top string) {
	tb.Helper()
	top = tb.TempDir()
	for _, name := range names {
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return top
}

// listed returns the names that a walk yields, without the top's name, and the errors.
func listed(tb testing.TB, l *Listing, top string) (names []string, errs []error) {
	tb.Helper()
	for name, err := range l.Files() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		names = append(names, strings.TrimPrefix(name, top+string(filepath.Separator)))
	}
	return names, errs
}

// Files are sorted by name in each folder. That is not the order of whole paths: '.' sorts before
// the separator.
func TestFilesInOrder(t *testing.T) {
	want := []string{".hidden", "a/b/c", "a/z", "a.txt", "b", "c/d/e"}
	top := plant(t, "b", "a.txt", "a/z", "c/d/e", ".hidden", "a/b/c")
	if err := os.Mkdir(filepath.Join(top, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		want[i] = filepath.FromSlash(want[i])
	}
	got, errs := listed(t, NewListing([]string{top}, true), top)
	if !slices.Equal(got, want) || errs != nil {
		t.Errorf("got %q, %v, want %q", got, errs, want)
	}
	got = nil
	for name := range NewListing([]string{top}, true).Files() {
		got = append(got, name)
		if len(got) == 3 {
			break // in the middle of a folder below another
		}
	}
	if len(got) != 3 {
		t.Errorf("a walk that was left after 3 files went on to %q", got)
	}
}

// Names begin with the argument as it was written, unless that is the current folder.
func TestNamesBeginAsWritten(t *testing.T) {
	t.Chdir(plant(t, "a/f"))
	for arg, want := range map[string]string{
		".": "a/f", "./": "a/f", "a": "a/f", "a//": "a/f", "./a": "./a/f", "a/../a": "a/../a/f", "[a]": "a/f",
	} {
		got, errs := listed(t, NewListing([]string{filepath.FromSlash(arg)}, true), "")
		if want := []string{filepath.FromSlash(want)}; !slices.Equal(got, want) || errs != nil {
			t.Errorf("%s: got %q, %v, want %q", arg, got, errs, want)
		}
	}
}

// The entries of a large folder need several system calls. Some thousands are enough to see that
// none is lost between blocks.
func TestManyFilesInAFolder(t *testing.T) {
	var want []string
	for i := range 5000 {
		want = append(want, fmt.Sprintf("%05d%s", i, strings.Repeat("x", i%200)))
	}
	top := plant(t, want...)
	got, errs := listed(t, NewListing([]string{top}, true), top)
	if !slices.Equal(got, want) || errs != nil {
		t.Errorf("%d files listed of %d, errors %v", len(got), len(want), errs)
	}
}

func TestLinksAreCounted(t *testing.T) {
	top := plant(t, "a/f")
	for link, to := range map[string]string{"loop": top, "a/up": "..", "file": "a/f", "dangling": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	l := NewListing([]string{top}, true)
	got, errs := listed(t, l, top)
	if want := []string{filepath.Join("a", "f")}; !slices.Equal(got, want) || errs != nil || l.Links != 4 {
		t.Errorf("got %q, %v, %d links skipped, want %q and 4", got, errs, l.Links, want)
	}
	loop := filepath.Join(top, "loop")
	l = NewListing([]string{loop, filepath.Join(top, "file")}, true)
	got, errs = listed(t, l, loop)
	if want := []string{filepath.Join("a", "f"), filepath.Join(top, "file")}; !slices.Equal(got, want) || errs != nil {
		t.Errorf("links that are arguments lead to %q, %v, want %q", got, errs, want)
	}
}

func TestSocketsAreCounted(t *testing.T) {
	top := plant(t, "f")
	s, err := net.Listen("unix", filepath.Join(top, "s"))
	if err != nil {
		t.Skipf("no sockets in folders here: %v", err)
	}
	defer s.Close()
	l := NewListing([]string{top}, true)
	if got, errs := listed(t, l, top); !slices.Equal(got, []string{"f"}) || errs != nil || l.Specials != 1 {
		t.Errorf("got %q, %v, %d specials", got, errs, l.Specials)
	}
}

// A folder that cannot be listed is an error in its place, and the walk goes on.
func TestUnreadableFolder(t *testing.T) {
	top := plant(t, "a/f", "b/f", "c/f")
	closed := filepath.Join(top, "b")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o700) // so that the test can remove it
	if _, err := os.ReadDir(closed); err == nil {
		t.Skip("this user may list what is closed to him")
	}
	got, errs := listed(t, NewListing([]string{top}, true), top)
	if want := []string{filepath.Join("a", "f"), filepath.Join("c", "f")}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var path *fs.PathError
	if len(errs) != 1 || !errors.Is(errs[0], fs.ErrPermission) || !errors.As(errs[0], &path) || path.Path != closed {
		t.Errorf("errors %v, want one of permission that names %s", errs, closed)
	}
}

// A file or folder that disappears during a walk is not an error. An argument that does not exist
// is one.
func TestVanished(t *testing.T) {
	top := plant(t, "a", "b/f", "c/f", "d")
	missing := filepath.Join(top, "missing")
	l := NewListing([]string{top, missing}, true)
	var got []string
	for name, err := range l.Files() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimPrefix(name, top+string(filepath.Separator)))
		if name == filepath.Join(top, "a") {
			for _, gone := range []string{"b", "c", "d"} {
				if err := os.RemoveAll(filepath.Join(top, gone)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(top, "c"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := []string{"a", "d", "missing"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for name, want := range map[string]bool{
		filepath.Join(top, "d"):      true,  // was found and removed
		filepath.Join(top, "c", "f"): true,  // its folder is a file now
		filepath.Join(top, "a"):      false, // exists
		missing:                      false, // was never found
	} {
		_, err := Open(name)
		if got := l.Vanished(name, err); got != want {
			t.Errorf("%s, error %v: vanished is %t, want %t", name, err, got, want)
		}
	}
	if l.Vanished(filepath.Join(top, "d"), fs.ErrPermission) {
		t.Error("a file that may not be opened is taken for one that has vanished")
	}
}

// BenchmarkWalk lists 10,000 files in 100 folders, and does the same with package filepath for
// comparison.
func BenchmarkWalk(b *testing.B) {
	const folders, files = 100, 100
	var names []string
	for i := range folders * files {
		names = append(names, fmt.Sprintf("folder%02d/some-file-%03d.txt", i/files, i%files))
	}
	top := plant(b, names...)
	b.Run("with=Listing", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for range NewListing([]string{top}, true).Files() {
				n++
			}
			if n != len(names) {
				b.Fatalf("%d files of %d", n, len(names))
			}
		}
	})
	b.Run("with=WalkDir", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			err := filepath.WalkDir(top, func(_ string, entry fs.DirEntry, err error) error {
				if err == nil && entry.Type().IsRegular() {
					n++
				}
				return err
			})
			if n != len(names) || err != nil {
				b.Fatalf("%d files of %d, error %v", n, len(names), err)
			}
		}
	})
}
