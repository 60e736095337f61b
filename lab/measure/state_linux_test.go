package measure

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/machine"
	"github.com/thresh-dev/thresh/lab/pagecache"
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
			if err := f.check(); !errors.Is(err, pagecache.ErrLost) {
				t.Errorf("%s: error %v of a file that was dropped", state, err)
			}
			readPage(t, f.path)
			if err := f.check(); !errors.Is(err, pagecache.ErrLost) {
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

// TestPiecesAreSinglePages: a call writes one page, which is what keeps the pages apart in the page cache.
func TestPiecesAreSinglePages(t *testing.T) {
	const pages = 300
	original := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(original, make([]byte, pages*page), 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := used()
	if err := errors.Join(err, writePieces(original+".pieces", original)); err != nil {
		t.Fatal(err)
	}
	after, err := used()
	if err != nil {
		t.Fatal(err)
	}
	if before.calls == 0 {
		t.Skip("calls are not counted here")
	}
	if calls := after.minus(before).calls; calls < 2*pages {
		t.Errorf("%d calls read and wrote %d pages, want a call for each", calls, pages)
	}
}

// TestOthersOfRun: what others use of the processors while a run lasts is theirs alone, and all of it. A
// program that is no run keeps a processor busy.
func TestOthersOfRun(t *testing.T) {
	other := exec.Command("sh", "-c", "while :; do :; done")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	o := options(t, "made/busy")
	o.Budget = 100 * time.Millisecond
	begin, beginErr := machine.TakeLoad()
	began := time.Now()
	measured(t, o)
	seconds := time.Since(began).Seconds()
	end, endErr := machine.TakeLoad()
	_, err := other.Process.Kill(), other.Wait()
	if err := errors.Join(beginErr, endErr); err != nil {
		t.Fatal(err)
	}
	if err == nil {
		t.Error("the other program ended by itself")
	}
	j, err := openJournal(o.Journal, false)
	if err := errors.Join(err, j.file.Close()); err != nil || len(j.entries) != 1 {
		t.Fatalf("%d runs, error %v", len(j.entries), err)
	}
	e := j.entries[0]
	// In seconds of all processors; each time is counted in ticks of 10 ms.
	const rounding = 0.05
	all := begin.Others(end, runtime.NumCPU()).Others * seconds
	if got := e.Others * e.Seconds; got <= 0 || got > all+rounding {
		t.Errorf("others used %.2f s in a run, and %.2f s in a longer time around it", got, all)
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

// TestLostRunIsRepeated: a run in which the page cache lost its input does not count, and three leave the variant
// out, by name. The session goes on, and the next one tries again.
func TestLostRunIsRepeated(t *testing.T) {
	onDisk(t)
	o := options(t, "made/loses-once")
	if m := only(t, measured(t, o), "made/loses-once"); m.Wrong != "" || len(m.Outcomes) != 4 || m.Skipped != "" {
		t.Errorf("%+v", m)
	}
	o = options(t, "made/loses", "made/procs")
	for range 2 {
		tries := 0
		o.Report = func(p Progress) {
			if strings.HasPrefix(p.Doing, "made/loses") {
				tries++
			}
		}
		r := measured(t, o)
		m := only(t, r, "made/loses")
		if tries != 1 || !strings.HasPrefix(m.Skipped, "left out: ") || !strings.Contains(m.Skipped, pagecache.ErrLost.Error()) || len(m.Outcomes) > 0 {
			t.Errorf("%d times begun, %+v", tries, m)
		}
		if m := only(t, r, "made/procs"); len(m.Outcomes) != 4 || r.Unfinished != nil {
			t.Errorf("after it: %+v, unfinished %v", m, r.Unfinished)
		}
	}
}
