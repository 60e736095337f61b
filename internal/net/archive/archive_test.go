package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// memory is an Output whose files are in memory.
type memory struct {
	bytes.Buffer
	bodies []string
	sums   int
}

func (m *memory) Body(i int, off, n int64) error {
	m.WriteString(m.bodies[i][off : off+n])
	return nil
}

func (m *memory) Sum(i int) (uint32, error) {
	m.sums++
	return crc32.ChecksumIEEE([]byte(m.bodies[i])), nil
}

var when = time.Date(2024, 2, 29, 12, 30, 45, 123456789, time.UTC)

// entries are files with names that archives may have trouble with.
func entries() (files []File, bodies []string) {
	add := func(name, body string) {
		files = append(files, File{Name: name, Size: int64(len(body)), Modified: when, Executable: strings.HasSuffix(name, ".sh")})
		bodies = append(bodies, body)
	}
	add("top/", "")
	add("top/a.txt", "letters")
	add("top/empty", "")
	add("top/run.sh", strings.Repeat("x", 511))
	add("top/block", strings.Repeat("y", 512))
	add("top/ümlaut 日本.txt", strings.Repeat("z", 513))
	add("top/"+strings.Repeat("long/", 30)+"deep name.txt", "deep")
	add("top/"+strings.Repeat("n", 200), "long name")
	add("top/new\nline'\"$", "odd")
	add("top/old", "old")
	files[len(files)-1].Modified = time.Unix(0, 0)
	return files, bodies
}

func lay(t *testing.T, f Format, files []File) *Archive {
	t.Helper()
	a, err := New(f, files)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func whole(t *testing.T, a *Archive, bodies []string) []byte {
	t.Helper()
	m := &memory{bodies: bodies}
	if err := a.Send(m, 0, a.Size()); err != nil {
		t.Fatal(err)
	}
	if int64(m.Len()) != a.Size() {
		t.Fatalf("%d bytes, not %d", m.Len(), a.Size())
	}
	return m.Bytes()
}

// TestReadBack reads archives with the standard library.
func TestReadBack(t *testing.T) {
	files, bodies := entries()
	r := tar.NewReader(bytes.NewReader(whole(t, lay(t, Tar, files), bodies)))
	for i, f := range files {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil || h.Name != f.Name || string(body) != bodies[i] || h.Mode != f.mode() || h.ModTime.Unix() != f.Modified.Unix() {
			t.Errorf("%q: %+v, %d bytes, %v", f.Name, h, len(body), err)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Error(err)
	}
	text := whole(t, lay(t, Zip, files), bodies)
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil || len(z.File) != len(files) {
		t.Fatal(err, len(z.File))
	}
	for i, f := range files {
		in, err := z.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(in)
		h := z.File[i]
		if err != nil || h.Name != f.Name || string(body) != bodies[i] || int64(h.Mode().Perm()) != f.mode() ||
			h.Mode().IsDir() != f.folder() || h.Modified.Unix() != f.Modified.Unix() || h.Method != zip.Store || h.NonUTF8 {
			t.Errorf("%q: %+v, %d bytes, %v", f.Name, h, len(body), err)
		}
	}
}

// TestRanges compares every range of some lengths, and random ones, with the whole.
func TestRanges(t *testing.T) {
	files, bodies := entries()
	for _, format := range []Format{Tar, Zip} {
		a := lay(t, format, files)
		all := whole(t, a, bodies)
		check := func(off, n int64) {
			m := &memory{bodies: bodies}
			if err := a.Send(m, off, n); err != nil || !bytes.Equal(m.Bytes(), all[off:off+n]) {
				t.Fatalf("%T: %d bytes at %d differ: %v", format, n, off, err)
			}
			if format == Tar && m.sums > 0 {
				t.Fatal("tar needs no sums")
			}
		}
		for off := range a.Size() {
			check(off, min(1, a.Size()-off))
			check(off, min(700, a.Size()-off))
		}
		for range 1000 {
			off := rand.Int64N(a.Size())
			check(off, 1+rand.Int64N(a.Size()-off))
		}
		empty := lay(t, format, nil)
		if text := whole(t, empty, nil); len(text) != map[Format]int{Tar: 1024, Zip: 22}[format] {
			t.Errorf("%T: an empty archive of %d bytes", format, len(text))
		}
	}
}

// TestSumsAreLazy: only the headers that are sent need sums, and an error of one ends Send.
func TestSumsAreLazy(t *testing.T) {
	files, bodies := entries()
	a := lay(t, Zip, files)
	m := &memory{bodies: bodies}
	if err := a.Send(m, 0, a.starts[2]); err != nil || m.sums != 1 {
		t.Errorf("%d sums for a folder and a file, %v", m.sums, err)
	}
	m.sums = 0
	if err := a.Send(m, a.Size()-10, 10); err != nil || m.sums != len(files)-1 {
		t.Errorf("%d sums for the directory of %d files, %v", m.sums, len(files)-1, err)
	}
	f := failing{}
	for _, format := range []Format{Tar, Zip} {
		if err := lay(t, format, files).Send(f, 0, 4000); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%T: %v", format, err)
		}
	}
	if _, err := New(Zip, []File{{Name: strings.Repeat("x", 1<<16)}}); err == nil {
		t.Error("a name of 64 KiB fits")
	}
}

type failing struct{}

func (failing) Write(p []byte) (int, error)  { return len(p), nil }
func (failing) Body(int, int64, int64) error { return io.ErrClosedPipe }
func (failing) Sum(int) (uint32, error)      { return 0, io.ErrClosedPipe }

// sparse is an Output to a file, in which the bodies of big files are holes.
type sparse struct {
	*os.File
	files []File
	sum   uint32 // of the big file
}

func (s *sparse) Body(i int, _, n int64) error {
	if s.files[i].Size < 1<<20 {
		_, err := s.WriteString(strings.Repeat("s", int(n)))
		return err
	}
	_, err := s.Seek(n, io.SeekCurrent)
	return err
}

func (s *sparse) Sum(i int) (uint32, error) {
	if s.files[i].Size < 1<<20 {
		return crc32.ChecksumIEEE(bytes.Repeat([]byte("s"), int(s.files[i].Size))), nil
	}
	return s.sum, nil
}

// TestBig shows files around and beyond 4 and 8 GiB, and more than 65,535 of them, to programs that
// others wrote.
func TestBig(t *testing.T) {
	many := []File{{Name: "big", Size: 9 << 30, Modified: when}, {Name: "behind", Size: 5, Modified: when}}
	for i := range 70_000 {
		many = append(many, File{Name: fmt.Sprintf("f/%d", i), Modified: when})
	}
	for name, files := range map[string][]File{
		"edges":  {{Name: "a", Size: 1<<32 - 2, Modified: when}, {Name: "b", Size: 1<<32 - 1, Modified: when}, {Name: "c", Size: 3, Modified: when}},
		"beyond": {{Name: "a", Size: 1 << 32, Modified: when}, {Name: "b", Size: 1<<32 + 1, Modified: when}, {Name: "c", Size: 3, Modified: when}},
		"many":   many,
	} {
		for _, format := range []Format{Tar, Zip} {
			kind := map[Format]string{Tar: "tar", Zip: "zip"}[format]
			path := filepath.Join(t.TempDir(), name+"."+kind)
			out, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			a := lay(t, format, files)
			if err := a.Send(&sparse{File: out, files: files}, 0, a.Size()); err != nil {
				t.Fatal(err)
			}
			if info, err := out.Stat(); err != nil || info.Size() != a.Size() || out.Close() != nil {
				t.Fatalf("%s: %d bytes, not %d: %v", path, info.Size(), a.Size(), err)
			}
			last := files[len(files)-1]
			small := files[slices.IndexFunc(files, func(f File) bool { return f.Size > 0 && f.Size < 10 })]
			lister := `import sys, tarfile
t = tarfile.open(sys.argv[1]); m = t.getmembers()
print(len(m), m[0].size, m[-1].name, t.extractfile(sys.argv[2]).read().decode())`
			if format == Zip {
				lister = `import sys, zipfile
t = zipfile.ZipFile(sys.argv[1]); m = t.infolist()
print(len(m), m[0].file_size, m[-1].filename, t.read(sys.argv[2]).decode())`
			}
			want := fmt.Sprintln(len(files), files[0].Size, last.Name, strings.Repeat("s", int(small.Size)))
			compare(t, want, "python3", "-c", lister, path, small.Name)
			switch {
			case format == Zip && name == "edges":
				// unzip 6.0 takes the size 4294967295 for the mark of a field in ZIP64, and stumbles.
			case format == Zip:
				compare(t, strings.Repeat("s", int(small.Size)), "unzip", "-p", path, small.Name)
			default:
				compare(t, strings.Repeat("s", int(small.Size)), "tar", "-xOf", path, small.Name)
			}
		}
	}
}

// compare runs a program, if it is there.
func compare(t *testing.T, want, program string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Logf("no %s here", program)
		return
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("%s %q: %v: %q, not %q", program, args, err, out, want)
	}
}
