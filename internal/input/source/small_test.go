package source

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// Files of all sizes around the buffer's: those that fit are read whole, the others are not.
func TestReadSmall(t *testing.T) {
	const bytesMax = 1000
	r := NewSmallReader(bytesMax)
	defer r.Close()
	for _, n := range []int{0, 1, 2, bytesMax - 1, bytesMax, bytesMax + 1, 10 * bytesMax} {
		want := bytes.Repeat([]byte("text"), n/4+1)[:n]
		got, err := r.Read(write(t, want))
		switch {
		case n > bytesMax && err != ErrNotSmall:
			t.Errorf("%d bytes into %d: %d read, error %v, want ErrNotSmall", n, bytesMax, len(got), err)
		case n <= bytesMax && (err != nil || !bytes.Equal(got, want)):
			t.Errorf("%d bytes into %d: %d read, error %v", n, bytesMax, len(got), err)
		}
	}
	if _, err := r.Read(t.TempDir()); err != ErrNotSmall {
		t.Errorf("a folder: error %v, want ErrNotSmall", err)
	}
}

// Files of one folder, of alternating folders, and without a folder are found: the folder kept open
// is always that of the file.
func TestReadSmallInFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	names := []string{"f", "a/f", "b/f", "a/g", "a/b/f", "b/a/f", "g"}
	for _, name := range names {
		name = filepath.FromSlash(name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := NewSmallReader(100)
	defer r.Close()
	for i := range 3 * len(names) {
		name := filepath.FromSlash(names[i*i%len(names)])
		for _, name := range []string{name, "." + string(filepath.Separator) + name} {
			if got, err := r.Read(name); err != nil || string(got) != filepath.Clean(name) {
				t.Errorf("%s: read %q, error %v", name, got, err)
			}
		}
	}
}

// A folder that is replaced while it is kept open must not hide the new one.
func TestReadSmallInAReplacedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open folder cannot be renamed here")
	}
	t.Chdir(plant(t, "a/old"))
	r := NewSmallReader(100)
	defer r.Close()
	if _, err := r.Read("a/old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("a", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("a/new", []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Read("a/new"); err != nil || string(got) != "text" {
		t.Errorf("read %q, error %v", got, err)
	}
}

func TestReadSmallErrors(t *testing.T) {
	top := plant(t, "f")
	r := NewSmallReader(100)
	defer r.Close()
	for _, name := range []string{"missing", "no/folder", "f/below"} {
		name = filepath.Join(top, name)
		_, err := r.Read(name)
		var path *fs.PathError
		if !errors.As(err, &path) || path.Op != "open" || path.Path != name || !isGone(err) {
			t.Errorf("%s: error %#v, want one of opening it", name, err)
		}
	}
	if _, err := r.Read(filepath.Join(top, "f")); err != nil {
		t.Errorf("after errors: %v", err)
	}
}

// BenchmarkReadSmall reads 2,000 files of 4 KB, by several goroutines at once.
func BenchmarkReadSmall(b *testing.B) {
	const files, fileBytes, folderFiles = 2000, 4 << 10, 100
	var names []string
	for i := range files {
		names = append(names, fmt.Sprintf("some/folder%03d/file%03d", i/folderFiles, i%folderFiles))
	}
	top := plant(b, names...)
	for i := range names {
		names[i] = filepath.Join(top, names[i])
		if err := os.WriteFile(names[i], make([]byte, fileBytes), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	small := func() func(string) ([]byte, error) { return NewSmallReader(256 << 10).Read }
	whole := func() func(string) ([]byte, error) { return os.ReadFile }
	for _, goroutines := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprintf("with=SmallReader/goroutines=%d", goroutines), func(b *testing.B) {
			readAll(b, names, fileBytes, goroutines, small)
		})
		b.Run(fmt.Sprintf("with=ReadFile/goroutines=%d", goroutines), func(b *testing.B) {
			readAll(b, names, fileBytes, goroutines, whole)
		})
	}
}

// readAll reads the files with as many readers as there are goroutines.
func readAll(b *testing.B, names []string, fileBytes, goroutines int, reader func() func(string) ([]byte, error)) {
	b.SetBytes(int64(len(names) * fileBytes))
	b.ReportAllocs()
	for b.Loop() {
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				read := reader()
				for _, name := range names[len(names)*g/goroutines : len(names)*(g+1)/goroutines] {
					if data, err := read(name); err != nil || len(data) != fileBytes {
						b.Errorf("%s: %d bytes, error %v", name, len(data), err)
					}
				}
			})
		}
		wg.Wait()
	}
}
