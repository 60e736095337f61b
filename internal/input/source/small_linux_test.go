package source

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Inputs that are not regular files return ErrNotSmall, without waiting.
func TestReadSmallOfOtherThings(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	r := NewSmallReader(4096)
	defer r.Close()
	// The last one claims to be empty and is not.
	for _, name := range []string{fifo, "/dev/null", "/dev/zero", "/proc/self/status"} {
		if got, err := r.Read(name); err != ErrNotSmall {
			t.Errorf("%s: %d bytes, error %v, want ErrNotSmall", name, len(got), err)
		}
	}
	// Files of /sys claim a page and hold less.
	const short = "/sys/kernel/mm/transparent_hugepage/enabled"
	if want, err := os.ReadFile(short); err == nil {
		if got, err := r.Read(short); err != nil || string(got) != string(want) {
			t.Errorf("%s: %q, error %v, want %q", short, got, err, want)
		}
	}
}

func TestReadSmallOfAnyName(t *testing.T) {
	names := []string{"\n", " ", "-", "\\", "\x80", "\xff\xfe", "folder\xff\n/\xc3\x28"}
	top := plant(t, names...)
	r := NewSmallReader(100)
	defer r.Close()
	for _, name := range names {
		if _, err := r.Read(top + "/" + name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := r.Read("a\x00b"); err == nil {
		t.Error("a name with a zero in it was opened")
	}
}

// Links are followed.
func TestReadSmallThroughLinks(t *testing.T) {
	top := plant(t, "folder/f")
	for link, to := range map[string]string{"file": "folder/f", "elsewhere": "folder", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	r := NewSmallReader(100)
	defer r.Close()
	for name, want := range map[string]error{"file": nil, "elsewhere/f": nil, "elsewhere": ErrNotSmall} {
		if _, err := r.Read(filepath.Join(top, name)); err != want {
			t.Errorf("%s: error %v, want %v", name, err, want)
		}
	}
	if _, err := r.Read(filepath.Join(top, "loop")); err == nil {
		t.Error("a link to itself was opened")
	}
}

// Reading a file allocates only the copies of its name that system calls take, and entering a
// folder one more.
func TestReadSmallAllocates(t *testing.T) {
	name := write(t, make([]byte, 4096))
	r := NewSmallReader(4096)
	defer r.Close()
	n := testing.AllocsPerRun(100, func() {
		if _, err := r.Read(name); err != nil {
			t.Fatal(err)
		}
	})
	if n > 1 {
		t.Errorf("%v allocations a file, want that of the name at most", n)
	}
}

func TestReadSmallLeavesNothingOpen(t *testing.T) {
	top := plant(t, "a/f", "b/f", "c")
	before := openDescriptors(t)
	r := NewSmallReader(100)
	for _, name := range []string{"a/f", "b/f", "a/missing", "missing/f", "c", "b/f", "a", "c/f"} {
		r.Read(filepath.Join(top, name)) // the error does not matter here
	}
	r.Close()
	if after := openDescriptors(t); after != before {
		t.Errorf("%d descriptors are open, %d were before", after, before)
	}
}
