package docroot

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSidecars(t *testing.T) {
	leaveNothingOpen(t)
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, "secret", "SECRET")
	write(t, dir, "all", "P", "all.zst", "Z", "all.br", "B", "all.gz", "G", "gz.html", "P", "gz.html.gz", "G",
		"none", "P", "none.xz", "X", "folder", "P", "folder.gz/x", "X", "out", "P", "tar.gz", "P", "tar.gz.zst", "Z",
		"linked", "P", "page/index.html", "P", "page/index.html.br", "B", "late", "P", "late.br", "B", "near", "P", "near.br", "B",
		"same.gz", "S")
	link(t, dir, filepath.Join(outside, "secret"), "out.gz")
	link(t, dir, "all.gz", "linked.gz")
	link(t, dir, "same.gz", "same")
	setTime(t, filepath.Join(dir, "late"), longAgo.Add(time.Minute))
	setTime(t, filepath.Join(dir, "near"), longAgo.Add(staleAfter))
	s := serve(t, dir, Options{})
	for path, want := range map[string]string{"/all": "zstd br gzip", "/gz.html": "gzip", "/none": "", "/folder": "", "/out": "",
		"/tar.gz": "", "/linked": "gzip", "/page/": "br", "/page/index.html": "br", "/late": "", "/near": "br", "/same": "gzip"} {
		e := lookup(t, s, path)
		if got := strings.Join(e.Encodings, " "); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		tags := []string{e.Plain.ETag}
		for _, c := range e.Encodings {
			v, err := e.Variant(c)
			if err != nil {
				t.Fatal(err)
			}
			text := must(content(v))
			if v.Encoding != c || v.Type != e.Plain.Type || path != "/same" && text != strings.ToUpper(c[:1]) || slices.Contains(tags, v.ETag) {
				t.Errorf("%s as %s: %+v: %s", path, c, v, text)
			}
			tags = append(tags, v.ETag)
		}
		if _, err := e.Variant("deflate"); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s as deflate: %v", path, err)
		}
		e.Release()
	}
	if got := answer(s, "/all.gz"); got != "file all.gz = G" {
		t.Errorf("asked for by its own name: %s", got)
	}

	some := serve(t, dir, Options{Encodings: []string{"gzip", "zstd"}})
	e := lookup(t, some, "/all")
	if !slices.Equal(e.Encodings, []string{"gzip", "zstd"}) {
		t.Errorf("%v are offered, but gzip and zstd were asked for", e.Encodings)
	}
	e.Release()
}

func TestSidecarsChange(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	write(t, dir, "f", "P", "f.br", "B")
	s := serve(t, dir, Options{Revalidate: always})
	now := func() string {
		e := lookup(t, s, "/f")
		defer e.Release()
		var b strings.Builder
		for _, c := range e.Encodings {
			v, err := e.Variant(c)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(c + "=" + must(content(v)) + " ")
		}
		return b.String()
	}
	check := func(when, want string) {
		t.Helper()
		if got := now(); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	check("at first", "br=B ")
	write(t, dir, "f.gz", "G")
	check("with one more", "br=B gzip=G ")
	write(t, dir, "f.br", "BB")
	check("with a new one", "br=BB gzip=G ")
	setTime(t, filepath.Join(dir, "f"), longAgo.Add(time.Hour))
	check("when the file is newer", "")
	setTime(t, filepath.Join(dir, "f.gz"), longAgo.Add(time.Hour))
	check("when one is as new", "gzip=G ")

	held := lookup(t, s, "/f")
	defer held.Release()
	remove(t, dir, "f.gz")
	if _, err := held.Variant("gzip"); err != nil {
		t.Errorf("opened before it went: %v", err)
	}
	check("when it is gone", "")
	write(t, dir, "f.gz", "G")
	setTime(t, filepath.Join(dir, "f.gz"), longAgo.Add(time.Hour))
	other := lookup(t, s, "/f")
	defer other.Release()
	remove(t, dir, "f.gz")
	if _, err := other.Variant("gzip"); !errors.Is(err, ErrNotFound) {
		t.Errorf("gone before it was opened: %v", err)
	}
	link(t, dir, "/etc/passwd", "f.gz")
	if _, err := other.Variant("gzip"); !errors.Is(err, ErrForbidden) {
		t.Errorf("leads out since: %v", err)
	}
	if text := must(content(other.Plain)); text != "P" {
		t.Errorf("the file itself reads %q", text)
	}
}

func TestETag(t *testing.T) {
	leaveNothingOpen(t)
	dir := t.TempDir()
	write(t, dir, "a", "A", "b", "A", "epoch", "E", "nextday", "E")
	setTime(t, filepath.Join(dir, "epoch"), time.Unix(1, 0))
	setTime(t, filepath.Join(dir, "nextday"), time.Date(1970, 1, 2, 23, 59, 59, 0, time.UTC))
	info := must(os.Stat(filepath.Join(dir, "a")))
	tag := etag(info, coding{}, longAgo.Add(time.Hour))
	if len(tag) < 10 || strings.Trim(tag, `"0123456789abcdef-`) != "" || strings.Count(tag, `"`) != 2 ||
		tag[0] != '"' || tag[len(tag)-1] != '"' {
		t.Errorf("tag %s", tag)
	}
	if again := etag(info, coding{}, longAgo.Add(2*time.Hour)); again != tag {
		t.Errorf("%s, and later %s", tag, again)
	}
	if young, again := etag(info, coding{}, longAgo), etag(info, coding{}, longAgo.Add(1)); young == tag || young == again {
		t.Errorf("a file that may still change has the tags %s and %s, and then %s", young, again, tag)
	}
	setTime(t, filepath.Join(dir, "b"), time.Unix(1e9, 0))
	if whole := must(os.Stat(filepath.Join(dir, "b"))); !young(whole, time.Unix(1e9+1, 0)) || young(whole, time.Unix(1e9+2, 0)) ||
		young(info, longAgo.Add(time.Second)) || young(info, longAgo.Add(-time.Hour)) {
		t.Error("how long a file is young does not follow from its time")
	}

	s := serve(t, dir, Options{Revalidate: always})
	a, epoch, day := lookup(t, s, "/a"), lookup(t, s, "/epoch"), lookup(t, s, "/nextday")
	if a.Plain.ETag != tag || !a.Plain.Modified.Equal(longAgo) {
		t.Errorf("%+v", a.Plain)
	}
	if !epoch.Plain.Modified.IsZero() || !day.Plain.Modified.IsZero() || epoch.Plain.ETag == day.Plain.ETag {
		t.Errorf("useless times: %+v, %+v", epoch.Plain, day.Plain)
	}
	release([]*Entry{epoch, day})

	// Another file of the same size and time has another tag.
	write(t, dir, "new", "B")
	rename(t, dir, "new", "a")
	if b := lookup(t, s, "/a"); b.Plain.ETag == a.Plain.ETag {
		t.Errorf("two files have the tag %s", tag)
	} else {
		b.Release()
	}
	a.Release()

	// A young file is opened again although nothing changed.
	first := lookup(t, s, "/a")
	first.young = true
	if second := lookup(t, s, "/a"); second == first {
		t.Error("a file that may still change keeps its tag")
	} else {
		second.Release()
	}
	first.Release()
}
