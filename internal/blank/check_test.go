package blank

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/journal"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// plain is the twin: it looks at every byte, one after the other.
func plain(content []byte, p Pattern, off, end, sector int64, limit int) journal.Summary {
	s := journal.Summary{Off: off, End: end, Read: end - off}
	for at := off; at < end; at++ {
		if content[at] == p.unit[at%int64(len(p.unit))] {
			continue
		}
		if first := at; s.First == nil {
			s.First = &first
		}
		from, to := max(at/sector*sector, off), min((at/sector+1)*sector, end)
		s.Other.Add(journal.Span{Off: from, Len: to - from}, limit)
		at = to - 1
	}
	return s
}

// content returns bytes as the pattern says, except for some.
func content(r *rand.Rand, n int, p Pattern) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = p.unit[i%len(p.unit)]
	}
	for range r.IntN(12) {
		at := r.IntN(n)
		for i := at; i < min(n, at+1+r.IntN(3000)); i++ {
			b[i] = byte(r.IntN(256))
		}
	}
	return b
}

func write(t *testing.T, b []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func checked(t *testing.T, name string, o Options) journal.Summary {
	t.Helper()
	in, err := Open(name, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s, err := in.Check(context.Background(), NewProgress(in.Start(), o.Limit), false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCheck reads files directly and through the page cache, with several workers and small pieces,
// whole and in ranges that begin and end anywhere.
func TestCheck(t *testing.T) {
	for _, shrink := range []int{0, 1} {
		if shrink > 0 {
			threshold.Shrink(t, shrink)
		}
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 3))
			p := []Pattern{Zero, {[]byte{0xFF}}, {[]byte{1, 2, 3}}}[r.IntN(3)]
			b := content(r, 1+r.IntN(100_000), p)
			o := Options{Pattern: p, Raw: true, Limit: 1 + r.IntN(20), Workers: 1 + r.IntN(4), Cached: r.IntN(2) == 0}
			n := int64(len(b))
			end := n
			if r.IntN(2) == 0 {
				o.Offset = r.Int64N(n)
				length := r.Int64N(n - o.Offset + 1)
				o.Length, end = &length, o.Offset+length
			}
			got, want := checked(t, write(t, b), o), plain(b, p, o.Offset, end, sectorBytes, o.Limit)
			if text(t, got) != text(t, want) {
				t.Fatalf("shrink %d, seed %d, %+v:\n%+v, want\n%+v", shrink, seed, o, text(t, got), text(t, want))
			}
		}
	}
}

// TestStream reads the same through a pipe.
func TestStream(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		b := content(r, 1+r.IntN(3_000_000), Zero)
		o := Options{Pattern: Zero, Limit: 9, Offset: r.Int64N(int64(len(b)))}
		in, err := Open("-", pipe(t, b), o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := in.Check(context.Background(), NewProgress(in.Start(), o.Limit), false)
		if want := plain(b, Zero, o.Offset, int64(len(b)), sectorBytes, o.Limit); err != nil || !sameSectors(got, want) {
			t.Fatalf("seed %d: %v %+v, want %+v", seed, err, text(t, got), text(t, want))
		}
	}
	for want, o := range map[string]Options{"--offset 11 is behind its end, at 10": {Offset: 11}, "--length 20 reaches over its end": {Length: new(int64(20))}} {
		o.Pattern, o.Limit = Zero, 1
		in, err := Open("-", pipe(t, make([]byte, 10)), o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Check(context.Background(), NewProgress(in.Start(), 1), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// sameSectors is same, except that the pieces of a stream may begin within a sector.
func sameSectors(got, want journal.Summary) bool {
	return got.Read == want.Read && got.End == want.End && (got.First == nil) == (want.First == nil) &&
		(got.First == nil || *got.First == *want.First) && (got.Other.Count == 0) == (want.Other.Count == 0)
}

func pipe(t *testing.T, b []byte) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	go func() {
		defer w.Close()
		_, _ = w.Write(b) // fails if the reader ends early, as it may
	}()
	return r
}

// TestSilentPipe: a pipe that says nothing does not hold up the end of a run.
func TestSilentPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	in, err := Open("-", r, Options{Pattern: Zero, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := in.Check(ctx, NewProgress(in.Start(), 1), false); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestHoles: holes are counted apart, not read, and not blank if the pattern is not zeros.
func TestHoles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("holes are found on Linux")
	}
	name := write(t, make([]byte, 1<<20))
	if err := os.Truncate(name, 64<<20); err != nil {
		t.Fatal(err)
	}
	s := checked(t, name, Options{Pattern: Zero, Limit: 5})
	if s.First != nil || s.Read+s.Holes != 64<<20 || s.Read > 2<<20 || s.Read < 1<<20 {
		t.Errorf("%+v", s)
	}
	s = checked(t, name, Options{Pattern: Pattern{[]byte{0xFF}}, Limit: 5})
	if s.First == nil || *s.First != 0 || s.Other.Count != 1 || s.Other.Bytes != 64<<20 {
		t.Errorf("%+v", s)
	}
	name = write(t, nil)
	if err := os.Truncate(name, 5<<20); err != nil { // nothing but a hole
		t.Fatal(err)
	}
	s = checked(t, name, Options{Pattern: Pattern{[]byte{0xFF}}, Limit: 5})
	if s.First == nil || *s.First != 0 || s.Other.Count != 1 || s.Other.Bytes != 5<<20 || s.Read != 0 {
		t.Errorf("%+v", s)
	}
}

// TestFirst: with first the run ends at some other byte.
func TestFirst(t *testing.T) {
	b := make([]byte, 8<<20)
	b[7<<20], b[100] = 1, 1
	in, err := Open(write(t, b), nil, Options{Pattern: Zero, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	s, err := in.Check(context.Background(), NewProgress(in.Start(), 1), true)
	if err != nil || s.First == nil || b[*s.First] != 1 {
		t.Errorf("%v %+v", err, s)
	}
}

// TestResumed interrupts checks at random moments, and continues from the composed records until the
// end is reached: the result is that of a run without interruption.
func TestResumed(t *testing.T) {
	threshold.Shrink(t, 1)
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 5))
		b := content(r, 200_000+r.IntN(200_000), Zero)
		o := Options{Pattern: Zero, Raw: true, Limit: 1 + r.IntN(5), Workers: 1 + r.IntN(3)}
		in, err := Open(write(t, b), nil, o)
		if err != nil {
			t.Fatal(err)
		}
		past, sessions := in.Start(), 0
		for past.End < in.Range.End {
			sessions++
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(3000))*time.Microsecond)
			progress := NewProgress(past, o.Limit)
			s, err := in.Check(ctx, progress, false)
			cancel()
			for range 2 { // as the journal does: once meanwhile, once at the end
				past.Join(progress.Take(), o.Limit)
			}
			if text(t, s) != text(t, past) || (err == nil) != (past.End == in.Range.End) {
				t.Fatalf("seed %d: %v %+v, and in records %+v", seed, err, text(t, s), text(t, past))
			}
		}
		if want := plain(b, Zero, 0, int64(len(b)), sectorBytes, o.Limit); text(t, past) != text(t, want) {
			t.Fatalf("seed %d, %d sessions: %+v, want %+v", seed, sessions, text(t, past), text(t, want))
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestChanged: a file that is written to, shrinks, grows, or is replaced is noticed.
func TestChanged(t *testing.T) {
	for what, change := range map[string]func(name string) error{
		"":            func(string) error { return nil },
		"size":        func(name string) error { return os.Truncate(name, 1000) },
		"it was":      func(name string) error { return os.Chtimes(name, time.Time{}, time.Unix(1e9, 0)) },
		"it can no":   os.Remove,
		"5000 to 600": func(name string) error { return os.Truncate(name, 6000) },
	} {
		name := write(t, make([]byte, 5000))
		in, err := Open(name, nil, Options{Pattern: Zero, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := change(name); err != nil {
			t.Fatal(err)
		}
		got, err := in.Changed()
		if err != nil || !strings.Contains(got, what) || (got == "") != (what == "") {
			t.Errorf("%q: %q %v", what, got, err)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestShrunk: what a file has lost since it was opened is unread, in one range.
func TestShrunk(t *testing.T) {
	for _, cached := range []bool{false, true} {
		name := write(t, make([]byte, 3<<20))
		in, err := Open(name, nil, Options{Pattern: Zero, Limit: 5, Cached: cached})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, 1<<20); err != nil {
			t.Fatal(err)
		}
		s, err := in.Check(context.Background(), NewProgress(in.Start(), 5), false)
		if err != nil || s.Unread.Count != 1 || s.Unread.Bytes != 2<<20 || s.Read != 1<<20 || s.End != 3<<20 {
			t.Errorf("%v %+v", err, s)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpenRefuses: what would certify something else than was asked for is an error.
func TestOpenRefuses(t *testing.T) {
	name := write(t, make([]byte, 100))
	gz := write(t, []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	for want, open := range map[string]struct {
		name string
		o    Options
	}{
		"--offset 101 is behind its end":        {name, Options{Offset: 101}},
		"--length 51 reaches over its end":      {name, Options{Offset: 50, Length: new(int64(51))}},
		"is compressed":                         {gz, Options{}},
		"is a folder, not a device or an image": {filepath.Dir(name), Options{}},
		"no such file":                          {name + "x", Options{}},
	} {
		open.o.Pattern, open.o.Limit = Zero, 1
		if _, err := Open(open.name, nil, open.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// text returns a summary as text: two that say the same have the same.
func text(t *testing.T, s journal.Summary) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
