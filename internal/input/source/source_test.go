package source

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/failure"
)

func write(t *testing.T, data []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func open(t *testing.T, name string) *File {
	t.Helper()
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestOpen(t *testing.T) {
	f := open(t, write(t, make([]byte, 12345)))
	if f.Kind != Regular || f.Bytes != 12345 {
		t.Errorf("kind %v, %d bytes, want a regular file of 12345", f.Kind, f.Bytes)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, failure.ErrDirectory) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	pipe, err := FromOS("pipe", r)
	if err != nil || pipe.Kind != Stream || pipe.Bytes != -1 {
		t.Errorf("a pipe: kind %v, %d bytes, error %v", pipe.Kind, pipe.Bytes, err)
	}
	defer pipe.Close()
}

// TestHolesCoverNoData writes random extents and checks that every written byte lies in a range of
// data.
func TestHolesCoverNoData(t *testing.T) {
	const bytesAll = 64 << 20
	name := filepath.Join(t.TempDir(), "sparse")
	w, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Truncate(bytesAll); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var written []int64
	for range 20 {
		off := r.Int64N(bytesAll)
		if _, err := w.WriteAt([]byte{1}, off); err != nil {
			t.Fatal(err)
		}
		written = append(written, off)
	}
	f := open(t, name)
	var data []Range
	for off := int64(0); off < bytesAll; {
		d, err := f.NextData(off, bytesAll)
		if err != nil {
			t.Fatal(err)
		}
		if d.Off < off || d.End > bytesAll {
			t.Fatalf("data %v from %d lies outside", d, off)
		}
		if d.Len() == 0 {
			break
		}
		data = append(data, d)
		off = d.End
	}
	for _, off := range written {
		if !slices.ContainsFunc(data, func(d Range) bool { return d.Off <= off && off < d.End }) {
			t.Errorf("byte %d was written and lies in no range of data: %v", off, data)
		}
	}
}

func TestResidency(t *testing.T) {
	f := open(t, write(t, bytes.Repeat([]byte("x"), 9<<20)))
	regions, err := f.Residency(Range{1000, 9 << 20})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this system does not tell what is in its page cache")
	}
	if err != nil {
		t.Fatal(err)
	}
	at := int64(1000)
	for _, r := range regions {
		if r.Off != at || r.Len() <= 0 {
			t.Errorf("regions %v do not cover the range", regions)
		}
		at = r.End
	}
	if at != 9<<20 {
		t.Errorf("regions %v end at %d", regions, at)
	}
	cached, err := f.CachedBytes(Range{0, 9 << 20})
	if err != nil || cached != 9<<20 {
		t.Errorf("%d bytes of a file just written are cached, error %v", cached, err)
	}
	if missing, err := f.Uncached(Range{0, 9 << 20}); err != nil || len(missing) > 0 {
		t.Errorf("uncached %v, error %v, of a file just written", missing, err)
	}
}

func TestWalk(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{"b", "a/z", "a/y", ".hidden", "c/d/e"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(top, filepath.Join(top, "a/loop")); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name, err := range Expand([]string{top}, true) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.TrimPrefix(name, top+"/"))
	}
	if want := []string{".hidden", "a/y", "a/z", "b", "c/d/e"}; !slices.Equal(names, want) {
		t.Errorf("walked %q, want %q", names, want)
	}
	names = nil
	for name := range Expand([]string{filepath.Join(top, "[bx]"), "-", filepath.Join(top, "no*")}, false) {
		names = append(names, strings.TrimPrefix(name, top+"/"))
	}
	if want := []string{"b", "-", "no*"}; !slices.Equal(names, want) {
		t.Errorf("expanded to %q, want %q", names, want)
	}
}

// TestPart reads parts of a file at any offset, by a mapping or not.
func TestPart(t *testing.T) {
	text := append(bytes.Repeat([]byte("first\n"), 1000), bytes.Repeat([]byte("x"), 300_000)...)
	f := open(t, write(t, text))
	for _, r := range []Range{{0, int64(len(text))}, {6007, 6008}, {4095, 4097}, {4096, 306_000}} {
		part, err := f.Part(r)
		if err != nil {
			t.Fatal(err)
		}
		if part.Bytes() != r.Len() {
			t.Errorf("the part %v has %d bytes", r, part.Bytes())
		}
		if _, err := part.Use(func(got []byte) {
			if !bytes.Equal(got, text[r.Off:r.End]) {
				t.Errorf("the part %v has other bytes", r)
			}
		}); err != nil {
			t.Error(err)
		}
	}
	// Bytes behind the end of the file cannot be read, and Cut and Use report it.
	end := int64(len(text))
	part, err := f.Part(Range{0, end + 1<<20})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	fault, err := part.Use(func(got []byte) {
		for _, c := range got {
			sum += int(c)
		}
	})
	if part.Bytes() != end && (err == nil || fault < end) {
		t.Errorf("of %d bytes and more %d could be read: %v", end, fault, err)
	}
}

// TestResidencyOfHugeRange: the steps of a range that is as long as can be do not overflow.
func TestResidencyOfHugeRange(t *testing.T) {
	f := FromReaderAt("r", strings.NewReader(""), math.MaxInt64)
	for _, r := range []Range{{0, math.MaxInt64}, {math.MaxInt64 - 5, math.MaxInt64}} {
		if _, err := f.Residency(r); err == nil {
			t.Errorf("the page cache knows a range from %d of a reader", r.Off)
		}
	}
}
