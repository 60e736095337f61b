package mmap

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/thresh-dev/thresh/internal/engine/enginetest"
	"golang.org/x/sys/unix"
)

// TestReleaseByAll releases mappings of lengths around the shares. Touching the pages must then take faults,
// because they have left the mapping, and must find the content of the file.
func TestReleaseByAll(t *testing.T) {
	const share = 64 << 10
	for _, size := range []int{1, share, 2*share - 1, 2 * share, 3*share + 5, 40*share + 4097} {
		content := enginetest.Content(size)
		name := filepath.Join(t.TempDir(), "input")
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		touch(t, data, content)
		if again := touch(t, data, content); again > 0 {
			t.Fatalf("%d bytes: %d faults of pages that are mapped", size, again)
		}
		releaseByAll(data, share)
		if faults := touch(t, data, content); faults == 0 {
			t.Errorf("%d bytes: their pages are still mapped", size)
		}
		if err := unix.Munmap(data); err != nil {
			t.Error(err)
		}
		f.Close()
	}
}

// touch compares a mapping with what it should hold, and returns how many faults that took.
func touch(t *testing.T, data, content []byte) int64 {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &before); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += 512 {
		if data[i] != content[i] {
			t.Fatalf("another byte at %d", i)
		}
	}
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &after); err != nil {
		t.Fatal(err)
	}
	return after.Minflt - before.Minflt
}
