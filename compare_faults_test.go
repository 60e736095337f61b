package thresh_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh"
	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/threshold"
	"github.com/thresh-dev/thresh/options"
)

var errBroken = errors.New("this range is broken")

// brokenAt fails to read a range, and every call from the n-th on if n is not 0.
type brokenAt struct {
	io.ReaderAt
	from, to int64
	calls    *atomic.Int64
	n        int64
}

func (b brokenAt) ReadAt(p []byte, off int64) (int, error) {
	if b.calls.Add(1) == b.n || off < b.to && off+int64(len(p)) > b.from {
		return 0, errBroken
	}
	return b.ReaderAt.ReadAt(p, off)
}

// TestCompareFaults has a range of either input, or of both, or the n-th read of one, fail: every byte is then compared or
// named as unread, and the answer is never "equal".
func TestCompareFaults(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 38))
	for round := range 300 {
		a := make([]byte, 40_000+random.IntN(60_000))
		b := bytes.Clone(a)
		for range random.IntN(4) {
			b[random.IntN(len(b))] = 1
		}
		open := func(name string, content []byte, broken bool) (*thresh.Input, brokenAt) {
			at := brokenAt{ReaderAt: bytes.NewReader(content), calls: new(atomic.Int64), n: -1}
			if broken && random.IntN(3) == 0 {
				at.n = int64(4 + random.IntN(3)) // the first ones look at the size and the format
			} else if broken {
				at.from = int64(random.IntN(len(content)))
				at.to = min(at.from+1+int64(random.IntN(20_000)), int64(len(content)-1))
			}
			in, err := thresh.FromReaderAt(name, at, int64(len(content)), thresh.Raw)
			if err != nil {
				t.Fatal(err)
			}
			return in, at
		}
		which := random.IntN(3)
		x, one := open("a", a, which != 1)
		y, other := open("b", b, which != 0)
		got, unread := compareUnread(t, x, y, options.Compare{Run: options.Run{Workers: 1 + random.IntN(3), ChunkBytes: 1 + random.IntN(30_000)}}, len(a))
		broke := one.from < one.to || other.from < other.to || one.n > 0 && one.calls.Load() >= one.n || other.n > 0 && other.calls.Load() >= other.n
		if broke != (len(got.Unread) > 0) && (one.from < one.to || other.from < other.to) || got.Equal && len(got.Unread) > 0 ||
			got.Complete != (len(got.Unread) == 0) {
			t.Fatalf("round %d: %+v with %+v and %+v", round, got, one, other)
		}
		for i := range a {
			if (a[i] != b[i]) != unread[i].differs && !unread[i].unread {
				t.Fatalf("round %d: byte %d differs: %v, and was found %+v", round, i, a[i] != b[i], unread[i])
			}
		}
	}
}

type seen struct{ differs, unread bool }

// compareUnread compares two inputs, and returns what was found of each byte.
func compareUnread(t *testing.T, x, y *thresh.Input, o options.Compare, n int) (answer.Comparison, []seen) {
	all := make([]seen, n)
	got, err := thresh.Compare(t.Context(), x, y, o, func(hits []answer.Hit) error {
		for _, h := range hits {
			for i := h.Off; i < h.Off+h.Len; i++ {
				all[i].differs = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range got.Unread {
		for i := u.Off; i < min(u.Off+u.Len, int64(n)); i++ {
			all[i].unread = true
		}
	}
	return got, all
}

// TestCompareShrinks truncates either file while both are read, mapped and not.
func TestCompareShrinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("truncates open files")
	}
	threshold.Shrink(t, 4096)
	const size, left = 1 << 20, 300_000
	for _, engine := range []options.Engine{"mmap", "pread", "auto"} {
		for which := range 2 {
			var inputs [2]*thresh.Input
			var names [2]string
			for i := range inputs {
				content := make([]byte, size)
				content[100], content[left+5000] = 1, byte(i)
				names[i] = filepath.Join(t.TempDir(), []string{"a", "b"}[i])
				if err := os.WriteFile(names[i], content, 0o600); err != nil {
					t.Fatal(err)
				}
				in, err := thresh.Open(names[i], thresh.Raw)
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				inputs[i] = in
			}
			if err := os.Truncate(names[which], left); err != nil {
				t.Fatal(err)
			}
			got, _ := compareUnread(t, inputs[0], inputs[1], options.Compare{Run: options.Run{Engine: engine, Workers: 2}}, size)
			if got.Equal || got.Complete || len(got.Unread) == 0 || got.Unread[0].Off < left-8192 ||
				got.Unread[0].Name != names[which] || !errors.Is(got.Unread[0].Err, failure.ErrEnded) {
				t.Errorf("%s, file %d: %+v", engine, which, got)
			}
			end := got.Unread[len(got.Unread)-1]
			if end.Off+end.Len != size {
				t.Errorf("%s, file %d: unread up to %d", engine, which, end.Off+end.Len)
			}
		}
	}
}

// TestCompareSkipsNames has an unread range of the second input where that begins later.
func TestCompareSkipsNames(t *testing.T) {
	a, b := make([]byte, 50_000), make([]byte, 60_000)
	at := brokenAt{ReaderAt: bytes.NewReader(b), calls: new(atomic.Int64), from: 30_000, to: 30_001, n: -1}
	x := thresh.FromBytes(a)
	y, err := thresh.FromReaderAt("b", at, int64(len(b)), thresh.Raw)
	if err != nil {
		t.Fatal(err)
	}
	got, err := thresh.Compare(t.Context(), x, y, options.Compare{Other: 10_000}, func([]answer.Hit) error { return nil })
	if err != nil || len(got.Unread) != 1 || got.Unread[0].Name != "b" || got.Unread[0].Off > 30_000 ||
		got.Unread[0].Off+got.Unread[0].Len <= 30_000 || !errors.Is(got.Unread[0].Err, errBroken) {
		t.Fatalf("%+v, %v", got, err)
	}
}

// endless never ends, and says when it is read.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.read.Add(int64(len(p)))
	return len(p), nil
}

// TestCompareEnds cancels comparisons, leaves loops, and has visits fail: no goroutine or descriptor stays.
func TestCompareEnds(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, bytes.Repeat([]byte("ab"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		one, other := &endless{}, &endless{}
		go func() {
			for one.read.Load() == 0 {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		x, y := must(thresh.FromReader("a", one, thresh.Raw)), must(thresh.FromReader("b", other, thresh.Raw))
		got, err := thresh.Compare(ctx, x, y, options.Compare{}, func([]answer.Hit) error { return nil })
		if !errors.Is(err, context.Canceled) || got.Equal || got.Complete {
			t.Fatalf("%+v, %v", got, err)
		}
		file, memory := must(thresh.Open(name, thresh.Raw)), thresh.FromBytes(bytes.Repeat([]byte("ac"), 1<<20))
		n := 0
		for h, err := range thresh.Differences(t.Context(), file, memory, options.Compare{}) {
			if err != nil || h != (answer.Hit{Off: int64(2*n + 1), Len: 1}) {
				t.Fatalf("%v, %v", h, err)
			}
			if n++; n == 1000 {
				break
			}
		}
		failed := errors.New("the visit failed")
		_, err = thresh.Compare(t.Context(), file, memory, options.Compare{}, func([]answer.Hit) error { return failed })
		if !errors.Is(err, failed) {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestCompareOne has the same file twice, by two names, with a skip, and the same Input.
func TestCompareOne(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("abababab"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(name, name+"2"); err != nil {
		t.Skip(err)
	}
	x, y := must(thresh.Open(name)), must(thresh.Open(name+"2"))
	defer x.Close()
	defer y.Close()
	var ranges []answer.Hit
	visit := func(hits []answer.Hit) error { ranges = append(ranges, hits...); return nil }
	for _, test := range []struct {
		o     options.Compare
		want  bool
		bytes int64
	}{{options.Compare{}, true, 0}, {options.Compare{Other: 2}, false, 6}, {options.Compare{Other: 1}, false, 7}} {
		got, err := thresh.Compare(t.Context(), x, y, test.o, visit)
		if err != nil || got.Equal != test.want || got.Bytes != test.bytes {
			t.Errorf("%+v: %+v, %v", test.o, got, err)
		}
	}
	if want := []answer.Hit{{Off: 0, Len: 7}}; !slices.Equal(ranges, want) {
		t.Errorf("ranges %v, want %v", ranges, want)
	}
	if _, err := thresh.Compare(t.Context(), x, x, options.Compare{}, visit); !errors.As(err, new(*failure.OptionError)) {
		t.Errorf("an input compared with itself: %v", err)
	}
}
