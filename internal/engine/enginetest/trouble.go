package enginetest

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"go.uber.org/goleak"
)

// earlyStop ends scans in the first, a middle and the last visit.
func (s suite) earlyStop(t *testing.T) {
	content := Content(4<<20 + 9)
	pieces := Pieces(0, int64(len(content)), 64<<10)
	for _, stopAt := range []int{1, 5, len(pieces)} {
		f := s.file(t, content)
		e, err := s.open(f, s.config(64<<10, 16))
		if err != nil {
			t.Fatal(err)
		}
		visits := 0
		err = Scan(e, pieces, 1, func() engine.Visit {
			return func(_ engine.Piece, b engine.Block, last bool) bool {
				if end := b.Off + int64(len(b.Data)); !bytes.Equal(b.Data, content[b.Off:end]) {
					t.Errorf("block at %d has other bytes than the input", b.Off)
				}
				if last {
					visits++
				}
				return visits < stopAt
			}
		})
		if err != nil || visits != stopAt {
			t.Errorf("stopping at visit %d: %d visits, error %v", stopAt, visits, err)
		}
	}
}

func (s suite) closeWithoutRun(t *testing.T) {
	f := s.file(t, Content(100_000))
	e, err := s.open(f, s.config(64<<10, 16))
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Reader()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), e.Close()); err != nil {
		t.Error(err)
	}
}

// sparse scans a file that is a hole except for a few bytes.
func (s suite) sparse(t *testing.T) {
	const size = 16<<20 + 1234
	f := s.file(t, nil)
	content := make([]byte, size)
	w, err := os.OpenFile(f.Name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Truncate(size)
	for _, off := range []int64{5000, 7<<20 + 1, size - 3} {
		copy(content[off:], "abc")
		_, writeErr := w.WriteAt([]byte("abc"), off)
		err = errors.Join(err, writeErr)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	f = openFile(t, f.Name)
	check := &checker{want: content}
	s.scan(t, f, s.config(1<<20, 7), Pieces(0, size, 1<<20), 2, check)
	s.mustReadAll(t, check)
}

// leaks checks that complete and stopped scans leave no descriptors and goroutines behind.
func (s suite) leaks(t *testing.T) {
	content := Content(1 << 20)
	f := s.file(t, content)
	running := goleak.IgnoreCurrent()
	open := descriptors(t)
	for i := range 4 {
		e, err := s.open(f, s.config(32<<10, 8))
		if err != nil {
			t.Fatal(err)
		}
		err = Scan(e, Pieces(0, int64(len(content)), 32<<10), 3, func() engine.Visit {
			visits := 0
			return func(engine.Piece, engine.Block, bool) bool { visits++; return i%2 == 0 || visits < 3 }
		})
		if err != nil {
			t.Error(err)
		}
	}
	goleak.VerifyNone(t, running)
	if now := descriptors(t); now > open {
		t.Errorf("%d descriptors open, %d before the scans", now, open)
	}
}

// descriptors returns the number of open descriptors, 0 if the system does not tell.
func descriptors(t testing.TB) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// behindTheEnd scans pieces that reach over the end of the file or lie behind it.
func (s suite) behindTheEnd(t *testing.T) {
	content := Content(100_000)
	f := s.file(t, content)
	check := &checker{want: content}
	s.scan(t, f, s.config(64<<10, 16), Pieces(0, 300_000, 64<<10), 1, check)
	s.mustMiss(t, check, 100_000, 300_000)
}

// mustMiss checks that exactly the bytes in [from, end) were reported as unread.
func (s suite) mustMiss(t testing.TB, check *checker, from, end int64) {
	t.Helper()
	var missing []source.Range
	for _, u := range check.unread {
		if !errors.Is(u.Err, failure.ErrEnded) {
			t.Errorf("unread for another reason: %v", &u)
		}
		missing = append(missing, source.Range{Off: u.Off, End: u.Off + u.Len})
	}
	want := []engine.Piece{{Off: from, Len: int(end - from)}}
	if err := covers(missing, want); err != nil {
		t.Errorf("unread ranges: %v", err)
	}
}

func (s suite) shrunkBefore(t *testing.T) {
	for _, size := range []int64{0, 1, 4096, 300_000, 500_001} {
		content := Content(700_000)
		f := s.file(t, content)
		if err := os.Truncate(f.Name, size); err != nil {
			t.Fatal(err)
		}
		check := &checker{want: content, shrunk: size}
		s.scan(t, f, s.config(128<<10, 16), Pieces(0, 700_000, 128<<10), 2, check)
		s.mustMiss(t, check, size, 700_000)
	}
}

// shrunkDuring truncates the file during a visit.
func (s suite) shrunkDuring(t *testing.T) {
	const size = 6 << 20
	content := Content(size)
	for _, keep := range []int64{0, 100, 8192, 3<<20 + 1} {
		f := s.file(t, content)
		e, err := s.open(f, s.config(1<<20, 16))
		if err != nil {
			t.Fatal(err)
		}
		check := &checker{want: content, ahead: 16, shrunk: 1} // context may be missing anywhere
		visit := check.visitor()
		truncated := false
		err = Scan(e, Pieces(0, size, 1<<20), 1, func() engine.Visit {
			return func(p engine.Piece, b engine.Block, last bool) bool {
				if !truncated && b.Off > 0 {
					truncated = true
					if err := os.Truncate(f.Name, keep); err != nil {
						t.Error(err)
					}
				}
				return visit(p, b, last)
			}
		})
		if err != nil {
			t.Error(err)
		}
		s.sawShrinking(t, check, keep, size)
	}
}

// sawShrinking checks that each byte was visited or reported, and that no byte before the new end
// was reported. The end must be reported. In the last page that remains, a mapping shows zeros
// behind the new end, which cannot be detected.
func (s suite) sawShrinking(t testing.TB, check *checker, keep, size int64) {
	t.Helper()
	if err := check.once(Pieces(0, size, 1<<20)); err != nil {
		t.Error(err)
	}
	reported := int64(0)
	for _, u := range check.unread {
		if u.Off < keep || !errors.Is(u.Err, failure.ErrEnded) {
			t.Errorf("shrunk to %d: %v", keep, &u)
		}
		reported += u.Len
	}
	if reported == 0 {
		t.Errorf("shrunk to %d: nothing was reported as unread", keep)
	}
	for _, fault := range check.faults {
		t.Errorf("shrunk to %d: %s", keep, fault)
	}
}

// grown appends to an open file. The file is read up to the size it had when it was opened.
func (s suite) grown(t *testing.T) {
	content := Content(200_000)
	f := s.file(t, content)
	w, err := os.OpenFile(f.Name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(make([]byte, 100_000))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	check := &checker{want: content}
	s.scan(t, f, s.config(64<<10, 4096), Pieces(0, f.Bytes, 64<<10), 2, check)
	s.mustReadAll(t, check)
}
