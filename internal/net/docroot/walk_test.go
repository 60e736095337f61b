package docroot

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWalk(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	write(t, dir, "b", "B", "a/x", "X", "a/deep/y", "Y", ".hidden", "H", "a/.h/x", "H", "site/index.html", "I", "site/s", "S",
		"other/o", "O")
	link(t, dir, "b", "link")
	link(t, filepath.Join(dir, "a"), "..", "up")
	link(t, filepath.Join(dir, "a"), ".", "self")
	link(t, filepath.Join(dir, "a"), "../other", "z1")
	link(t, filepath.Join(dir, "a"), "../other", "z2")
	link(t, dir, "/etc", "out")
	link(t, dir, "nowhere", "dangling")
	s := serve(t, dir, Options{})
	show := func(path string) string {
		var all []string
		if err := s.Walk(path, func(below string, item Item) error {
			all = append(all, below)
			if strings.HasSuffix(below, "/") != item.Folder {
				t.Errorf("%s: %+v", below, item)
			}
			return nil
		}); err != nil {
			return err.Error()
		}
		return strings.Join(all, " ")
	}
	if got, want := show("/"), "a/ a/deep/ a/deep/y a/x a/z1/ a/z1/o b link other/ other/o site/ site/index.html site/s"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	// "up" leads to the top, which is not above in this archive; its "a" is, though.
	if got, want := show("/a"), "deep/ deep/y up/ up/a/ up/a/deep/ up/a/deep/y up/a/x up/a/z1/ up/a/z1/o up/b up/link up/other/ "+
		"up/other/o up/site/ up/site/index.html up/site/s x"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	for path, why := range map[string]error{"/b": ErrNotFound, "/none/": ErrNotFound, "/out/": ErrForbidden, "/.hidden/": ErrNotFound} {
		if err := s.Walk(path, func(string, Item) error { return nil }); !errors.Is(err, why) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := s.Walk("/", func(string, Item) error { return io.ErrClosedPipe }); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("visit's error became %v", err)
	}
}

// TestOpenListed opens what was listed, and nothing else.
func TestOpenListed(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	s := serve(t, dir, Options{})
	change := map[string]func(path string) error{
		"nothing":   func(string) error { return nil },
		"appended":  func(path string) error { return os.WriteFile(path, []byte("AB"), 0o644) },
		"same size": func(path string) error { return os.WriteFile(path, []byte("B"), 0o644) },
		"time set back": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("B"), 0o644), os.Chtimes(path, longAgo, longAgo))
		},
		"gone": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+"2", []byte("B"), 0o644), os.Chtimes(path+"2", longAgo, longAgo), os.Rename(path+"2", path))
		},
		"a link out": func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/etc/passwd", path)) },
		"a folder":   func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
	}
	for name, do := range change {
		for _, late := range []bool{false, true} {
			at := fmt.Sprintf("/%s %t/", name, late)
			path := filepath.Join(dir, at, "f")
			write(t, dir, at+"f", "A")
			time.Sleep(20 * time.Millisecond) // so that the change time differs
			item := must(s.List(at)).Items[0]
			if !late {
				if err := do(path); err != nil {
					t.Fatal(err)
				}
			}
			f, err := s.OpenListed(at+"f", &item)
			if late && err == nil {
				if err := do(path); err != nil {
					t.Fatal(err)
				}
				err = CheckListed(f, &item)
			}
			if f != nil {
				f.Close()
			}
			unseen := late && (name == "a link out" || name == "a folder" || name == "gone" || name == "replaced") // the open file is still the listed one
			if name == "nothing" && err != nil || name != "nothing" && err == nil && !unseen {
				t.Errorf("%s, late %t: %v", name, late, err)
			}
		}
	}
}
