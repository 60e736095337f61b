package docroot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const always = time.Nanosecond // Options.Revalidate that checks at every lookup

func lookup(t testing.TB, s *Root, path string) *Entry {
	t.Helper()
	e, err := s.Lookup(path)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestChanges looks up a path before and after a change.
func TestChanges(t *testing.T) {
	leaveNothingOpen(t)
	later := longAgo.Add(time.Minute)
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string
	}{
		{"replaced", func(t *testing.T, dir string) {
			write(t, dir, "new", "B")
			rename(t, dir, "new", "f")
		}, "file f = B"},
		{"written in place", func(t *testing.T, dir string) {
			write(t, dir, "f", "B")
			setTime(t, filepath.Join(dir, "f"), later)
		}, "file f = B"},
		{"longer, with its time put back", func(t *testing.T, dir string) { write(t, dir, "f", "AB") }, "file f = AB"},
		{"truncated", func(t *testing.T, dir string) { write(t, dir, "f", "") }, "file f = "},
		{"deleted", func(t *testing.T, dir string) { remove(t, dir, "f") }, "not found"},
		{"a folder", func(t *testing.T, dir string) {
			remove(t, dir, "f")
			write(t, dir, "f/index.html", "I")
		}, "-> /f/"},
		{"a link that leads out", func(t *testing.T, dir string) {
			remove(t, dir, "f")
			link(t, dir, "/etc/passwd", "f")
		}, "forbidden"},
		{"a link inside", func(t *testing.T, dir string) {
			remove(t, dir, "f")
			link(t, dir, "g", "f")
		}, "file f = G"},
		{"nothing at all", func(t *testing.T, dir string) {}, "file f = A"},
	} {
		dir := t.TempDir()
		write(t, dir, "f", "A", "g", "G")
		eager, lazy := serve(t, dir, Options{Revalidate: always}), serve(t, dir, Options{Revalidate: time.Hour})
		held := lookup(t, eager, "/f")
		was := answer(lazy, "/f")
		c.change(t, dir)
		if got := answer(eager, "/f"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		e := lookup(t, lazy, "/f")
		if old := lookup(t, lazy, "/f"); old != e || !strings.HasPrefix(was, "file f = A") {
			t.Errorf("%s: compared before its time", c.name)
		} else {
			old.Release()
		}
		e.Release()
		if same := lookup2(eager, "/f") == held; same != (c.name == "nothing at all") {
			t.Errorf("%s: the same entry again: %v", c.name, same)
		}
		held.Release()
	}
}

// lookup2 returns the released entry at path, for comparison only.
func lookup2(s *Root, path string) *Entry {
	e, err := s.Lookup(path)
	if err != nil {
		return nil
	}
	e.Release()
	return e
}

func rename(t testing.TB, dir, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		t.Fatal(err)
	}
}

func remove(t testing.TB, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// TestFolderIsSwapped points a link to another folder, a usual way to publish a new version at
// once. The change is seen within Options.Revalidate, whatever was requested before.
func TestFolderIsSwapped(t *testing.T) {
	leaveNothingOpen(t)
	const validate = 20 * time.Millisecond
	dir := t.TempDir()
	write(t, dir, "1/f", "A", "1/g", "A", "2/f", "B", "2/g", "B")
	link(t, dir, "1", "now")
	s := serve(t, dir, Options{Revalidate: validate})
	for i := range 10 {
		for range i { // so that entry and folder differ in age
			answer(s, "/now/f")
			time.Sleep(validate / 4)
			answer(s, "/now/g")
		}
		version := i % 2
		link(t, dir, fmt.Sprint(version+1), "next")
		rename(t, dir, "next", "now")
		time.Sleep(validate + time.Millisecond)
		want := "file f = " + []string{"A", "B"}[version]
		if got := answer(s, "/now/f"); got != want {
			t.Fatalf("swap %d: %s, want %s", i, got, want)
		}
	}
}

// TestRootGoes: a renamed folder is still served; of a deleted one, nothing is.
func TestRootGoes(t *testing.T) {
	leaveNothingOpen(t)
	parent := t.TempDir()
	write(t, parent, "root/f", "A", "root/g", "G")
	s := serve(t, filepath.Join(parent, "root"), Options{Revalidate: always})
	held := lookup(t, s, "/f")
	defer held.Release()
	rename(t, parent, "root", "renamed")
	write(t, parent, "root/f", "IMPOSTOR")
	if got := answer(s, "/f") + ", " + answer(s, "/g"); got != "file f = A, file g = G" {
		t.Errorf("renamed: %s", got)
	}
	if err := os.RemoveAll(filepath.Join(parent, "renamed")); err != nil {
		t.Fatal(err)
	}
	if got := answer(s, "/f") + ", " + answer(s, "/g"); got != "not found, not found" {
		t.Errorf("deleted: %s", got)
	}
	if l, err := s.List("/"); err == nil && len(l.Items) > 0 {
		t.Errorf("deleted: listed %v, %v", l.Items, err)
	}
	if text, err := content(held.Plain); text != "A" || err != nil {
		t.Errorf("a held file reads %q, %v", text, err)
	}
}

func TestClosed(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	write(t, dir, "f", "A", "f.gz", "Z")
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	held := lookup(t, s, "/f")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lookup("/f"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("looked up in a closed document root: %v", err)
	}
	if text, err := content(held.Plain); text != "A" || err != nil {
		t.Errorf("a held file reads %q, %v", text, err)
	}
	if _, err := held.Variant("gzip"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("opened in a closed document root: %v", err)
	}
	held.Release()
	defer func() {
		if recover() == nil {
			t.Error("an entry may be released twice")
		}
	}()
	held.Release()
}

// TestManyFiles sends many files through a small cache, while some are held.
func TestManyFiles(t *testing.T) {
	leaveNothingOpen(t)
	const files, open, holdEvery, different = 10000, 64, 99, 100
	dir := t.TempDir()
	for i := range different {
		write(t, dir, fmt.Sprint(i), fmt.Sprint(i))
	}
	for i := different; i < files; i++ { // names are cheaper to make than files
		if err := os.Link(filepath.Join(dir, fmt.Sprint(i%different)), filepath.Join(dir, fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, dir, Options{OpenFiles: open, Revalidate: time.Hour, Encodings: []string{}})
	before := descriptors(t)
	var held []*Entry
	var wg sync.WaitGroup
	var mu sync.Mutex
	for part := range 4 {
		wg.Go(func() {
			for i := part; i < files; i += 4 {
				e, err := s.Lookup(fmt.Sprintf("/%d", i))
				if err != nil {
					t.Error(err)
					return
				}
				if text, err := content(e.Plain); text != fmt.Sprint(i%different) || err != nil {
					t.Errorf("%d reads %q, %v", i, text, err)
				}
				if i%holdEvery != 0 {
					e.Release()
					continue
				}
				mu.Lock()
				held = append(held, e)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if now := descriptors(t); now > before+open+len(held) {
		t.Errorf("%d descriptors before; with %d in the cache and %d held, %d", before, open, len(held), now)
	}
	if len(s.cache.entries) != open || s.cache.files != open || s.cache.recent.Len() != open {
		t.Errorf("%d entries with %d files are cached, not %d", len(s.cache.entries), s.cache.files, open)
	}
	for range 1000 {
		if _, err := s.Lookup(fmt.Sprintf("/nothing/%p", new(int))); !errors.Is(err, ErrNotFound) {
			t.Fatal(err)
		}
	}
	if len(s.cache.entries) != open || len(s.cache.flights) != 0 {
		t.Errorf("paths that lead nowhere left %d entries of %d", len(s.cache.entries), open)
	}
	for _, e := range held {
		if text, err := content(e.Plain); text == "" || err != nil || !strings.HasSuffix(e.Name, text) && e.Name[len(e.Name)-2:] != "0"+text {
			t.Errorf("%s, held, reads %q, %v", e.Name, text, err)
		}
		e.Release()
	}
}

// TestBoundCountsSidecars opens three files for each entry.
func TestBoundCountsSidecars(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	s := serve(t, dir, Options{OpenFiles: 6, Revalidate: time.Hour})
	for i := range 10 {
		name := fmt.Sprint(i)
		write(t, dir, name, "P", name+".gz", "G", name+".br", "B")
		e := lookup(t, s, "/"+name)
		for _, c := range []string{"br", "gzip", "br"} {
			if _, err := e.Variant(c); err != nil {
				t.Fatal(err)
			}
		}
		e.Release()
		if s.cache.files > 6 {
			t.Fatalf("%d files are open", s.cache.files)
		}
	}
	if len(s.cache.entries) != 2 {
		t.Errorf("%d entries of three files each are kept in six", len(s.cache.entries))
	}
	small := serve(t, dir, Options{OpenFiles: 1, Revalidate: time.Hour})
	e := lookup(t, small, "/1")
	defer e.Release()
	if v, err := e.Variant("gzip"); err != nil || v.Size != 1 || small.cache.files > 1 {
		t.Errorf("two files in a cache of one: %v, %v; it counts %d", v, err, small.cache.files)
	}
}

// TestOneOpen requests one path from many goroutines at once: they share what one of them opens.
func TestOneOpen(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	write(t, dir, "f", "A", "f.br", "B")
	for range 20 {
		s := serve(t, dir, Options{Revalidate: time.Hour})
		entries, files := make([]*Entry, 32), make([]File, 32)
		var wg sync.WaitGroup
		for i := range entries {
			wg.Go(func() {
				entries[i], _ = s.Lookup("/f")
				files[i], _ = entries[i].Variant("br")
			})
		}
		wg.Wait()
		for i, e := range entries {
			if e != entries[0] || files[i].File == nil || files[i].File != files[0].File {
				t.Fatal("one path was opened more than once")
			}
			e.Release()
		}
		if left := entries[0].holders.Load(); left != 1 {
			t.Fatalf("%d hold the entry, but only the cache should", left)
		}
	}
}

// TestHitAllocatesNothing checks what makes responses with small files cheap.
func TestHitAllocatesNothing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", "A", "f.br", "B")
	s := serve(t, dir, Options{Revalidate: time.Hour})
	n := testing.AllocsPerRun(100, func() {
		e := lookup(t, s, "/f")
		if _, err := e.Variant("br"); err != nil {
			t.Fatal(err)
		}
		e.Release()
	})
	if n > 0 {
		t.Errorf("a path that is kept open takes %v allocations", n)
	}
}

// TestUnderLoad changes files while they are looked up and read.
func TestUnderLoad(t *testing.T) {
	leaveNothingOpen(t)
	dir, store := t.TempDir(), t.TempDir()
	write(t, dir, "replaced", "a", "truncated", "a", "deleted", "a")
	s := serve(t, dir, Options{OpenFiles: 4, Revalidate: 50 * time.Microsecond})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for reader := range 4 {
		wg.Go(func() {
			for i := reader; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				path := []string{"/replaced", "/truncated", "/deleted", "/"}[i%4]
				e, err := s.Lookup(path)
				if err != nil {
					if path != "/deleted" || !errors.Is(err, ErrNotFound) {
						t.Error(err)
					}
					continue
				}
				if path == "/replaced" { // an open file stays whole, and one version
					text, err := content(e.Plain)
					if err != nil || int64(len(text)) != e.Plain.Size || strings.Count(text, text[:1]) != len(text) {
						t.Errorf("read %d of %d bytes, %.20q, %v", len(text), e.Plain.Size, text, err)
					}
				}
				for _, c := range e.Encodings {
					if v, err := e.Variant(c); err == nil && (v.ETag == e.Plain.ETag || v.Encoding != c) {
						t.Errorf("sidecar file %+v", v)
					} else if err != nil && !errors.Is(err, ErrNotFound) {
						t.Error(err)
					}
				}
				e.Release()
			}
		})
	}
	const changes = 150
	for i := range changes {
		text := strings.Repeat(string(rune('a'+i%26)), 1+i*7%1000)
		write(t, store, "next", text, "next.gz", text)
		for _, suffix := range []string{"", ".gz"} {
			if err := os.Rename(filepath.Join(store, "next"+suffix), filepath.Join(dir, "replaced"+suffix)); err != nil {
				t.Error(err)
			}
		}
		write(t, dir, "truncated", text)
		if i%2 == 0 {
			remove(t, dir, "deleted")
		} else {
			write(t, dir, "deleted", text)
		}
	}
	close(stop)
	wg.Wait()
	time.Sleep(time.Millisecond) // Revalidate
	last := changes - 1
	want := "= " + strings.Repeat(string(rune('a'+last%26)), 1+last*7%1000)
	for _, name := range []string{"replaced", "truncated", "deleted"} {
		if got := answer(s, "/"+name); got != "file "+name+" "+want {
			t.Errorf("at the end %s: %s", name, got)
		}
	}
}
