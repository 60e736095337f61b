package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// A name may contain any byte except the separator and zero.
func TestNamesOfAnyBytes(t *testing.T) {
	want := []string{"\n", "\x1b[31m", " ", "-", "*", "?", "[", "\\", "a\nb", "\x80", "\xff\xfe", "\xc3\x28", strings.Repeat("\xf0", 255)}
	slices.Sort(want)
	top := plant(t, want...)
	got, errs := listed(t, NewListing([]string{top}, true), top)
	if !slices.Equal(got, want) || errs != nil {
		t.Errorf("got %q, %v, want %q", got, errs, want)
	}
}

// An ordinary open of a FIFO without a writer would wait forever.
func TestFIFOsAreCounted(t *testing.T) {
	top := plant(t, "f")
	if err := unix.Mkfifo(filepath.Join(top, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := NewListing([]string{top}, true)
	if got, errs := listed(t, l, top); !slices.Equal(got, []string{"f"}) || errs != nil || l.Specials != 1 {
		t.Errorf("got %q, %v, %d specials skipped, want f and 1", got, errs, l.Specials)
	}
	l = NewListing([]string{"/dev/null"}, true)
	if got, _ := listed(t, l, "/dev"); !slices.Equal(got, []string{"null"}) || l.Specials != 0 {
		t.Errorf("a device that is an argument: got %q, %d skipped", got, l.Specials)
	}
}

// If a folder does not report types, the files are queried, with the same result.
func TestTypesThatAreNotTold(t *testing.T) {
	top := plant(t, "file", "folder/f")
	if err := os.Symlink("file", filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(top, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder, err := os.Open(top)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for name, test := range map[string]struct {
		reported byte
		want     fs.FileMode
	}{
		"file":    {unix.DT_REG, 0},
		"folder":  {unix.DT_DIR, fs.ModeDir},
		"link":    {unix.DT_LNK, fs.ModeSymlink},
		"fifo":    {unix.DT_FIFO, fs.ModeIrregular},
		"missing": {unix.DT_REG, 0},
	} {
		if got := kindOf(test.reported, int(folder.Fd()), name); got != test.want {
			t.Errorf("%s, reported: %v, want %v", name, got, test.want)
		}
		if got := kindOf(unix.DT_UNKNOWN, int(folder.Fd()), name); got != test.want {
			t.Errorf("%s, queried: %v, want %v", name, got, test.want)
		}
	}
}

// A link that replaces a folder before the folder is listed is not followed.
func TestFolderReplacedByALink(t *testing.T) {
	elsewhere := plant(t, "secret")
	top := plant(t, "a", "b/f")
	var got []string
	for name, err := range NewListing([]string{top}, true).Files() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.Base(name))
		if err := os.RemoveAll(filepath.Join(top, "b")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, filepath.Join(top, "b")); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q, want a alone", got)
	}
}

// A path that is too long for the system is an error that names it, not a crash.
func TestDeepFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	top, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	part := strings.Repeat("d", 250)
	for range 20 {
		if err := os.Mkdir(part, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chdir(part); err != nil {
			t.Fatal(err)
		}
	}
	got, errs := listed(t, NewListing([]string{top}, true), top)
	if len(got) > 0 || len(errs) != 1 || !errors.Is(errs[0], unix.ENAMETOOLONG) {
		t.Errorf("got %q, %v, want one error that the name is too long", got, errs)
	}
}

// Descriptors are closed whether a walk ends, fails, or is abandoned.
func TestWalkLeavesNothingOpen(t *testing.T) {
	top := plant(t, "a/b/c/f", "a/f", "g")
	before := openDescriptors(t)
	for range 3 {
		for range NewListing([]string{top, top + "/missing"}, true).Files() {
		}
		for range NewListing([]string{top}, true).Files() {
			break
		}
	}
	if after := openDescriptors(t); after != before {
		t.Errorf("%d descriptors are open, %d were before", after, before)
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// Folders with more entries than a block holds, with blocks of various sizes, and page cache
// queries in the smallest steps.
func TestShrunk(t *testing.T) {
	var want []string
	for i := range 700 {
		want = append(want, fmt.Sprintf("%03d%s", i, strings.Repeat("x", i%200)))
	}
	top := plant(t, want...)
	for _, n := range []int{1, 512, 600, 1000, 4096} {
		threshold.Shrink(t, n)
		if got, errs := listed(t, NewListing([]string{top}, true), top); !slices.Equal(got, want) || errs != nil {
			t.Errorf("blocks of %d bytes: %d names, %v, want %d", n, len(got), errs, len(want))
		}
		t.Run("names", TestNamesOfAnyBytes)
		t.Run("residency", TestResidency)
	}
}
