package measure

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
)

// onDisk skips a test if files in its folder are in memory.
func onDisk(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if fs := machine.FileSystem(folder); machine.InMemory(fs) {
		t.Skip("in memory:", fs)
	}
	return folder
}

// TestStateOfFile brings a file into each state, and looks at the page cache.
func TestStateOfFile(t *testing.T) {
	const size = 1<<20 + 5
	original := filepath.Join(onDisk(t), "file")
	content := bytes.Repeat([]byte("x"), size)
	if err := os.WriteFile(original, content, 0o600); err != nil {
		t.Fatal(err)
	}
	cachedBytes := func(path string) int64 {
		t.Helper()
		n, err := residentBytes(path)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, state := range []lab.State{lab.Cold, lab.Warm, lab.Pieces, lab.Cold} {
		f, skipped := newFile(input{path: original, bytes: size}, state)
		if skipped != "" {
			t.Fatal(skipped)
		}
		for again := range 2 { // from what was before, and from what must be repaired
			if err := f.prepare(original); err != nil {
				t.Fatalf("%s: %v", state, err)
			}
			cached := cachedBytes(f.path)
			if want := int64(size); state == lab.Cold && cached != 0 || state != lab.Cold && cached != want {
				t.Errorf("%s: %d of %d bytes are in the page cache", state, cached, want)
			}
			if got, err := os.ReadFile(f.path); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%s: %d bytes, error %v", state, len(got), err)
			}
			if err := f.check(); err != nil {
				t.Errorf("%s: %v", state, err)
			}
			if state == lab.Cold || again == 1 {
				continue
			}
			if err := drop(f.path); err != nil {
				t.Fatal(err)
			}
			if err := f.check(); !errors.Is(err, errLost) {
				t.Errorf("%s: error %v of a file that was dropped", state, err)
			}
			readPage(t, f.path)
			if err := f.check(); !errors.Is(err, errLost) {
				t.Errorf("%s: error %v of a file that is partly there", state, err)
			}
		}
		if err := f.remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(original); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(original)); err != nil || len(left) != 1 {
		t.Errorf("left %v, error %v", left, err)
	}
}

// readPage brings a page of a file into the page cache, and not all of it.
func readPage(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	advised := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM) // no reading ahead
	_, err = f.ReadAt(make([]byte, 1), 0)
	err = errors.Join(advised, err, f.Close())
	cached, rerr := residentBytes(path)
	if err := errors.Join(err, rerr); err != nil || cached == 0 {
		t.Fatalf("%d bytes are in the page cache, error %v", cached, err)
	}
}

// TestLostRunIsRepeated: a run in which the page cache lost its input does not count, and five end the session.
func TestLostRunIsRepeated(t *testing.T) {
	onDisk(t)
	o := options(t, "made/loses-once")
	o.Peers = true
	if m := only(t, measured(t, o), "made/loses-once"); m.Wrong != "" || len(m.Outcomes) != 4 || m.Skipped != "" {
		t.Errorf("%+v", m)
	}
	o = options(t, "made/loses")
	o.Peers = true
	r, err := Run(context.Background(), o, []*lab.Experiment{made()})
	if !errors.Is(err, errLost) || !strings.Contains(err.Error(), "made/loses") || len(r.Measurements) > 0 {
		t.Errorf("error %v, results %+v", err, r)
	}
}
