package wall

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

func open(t *testing.T, bytes int) (*source.File, string) {
	t.Helper()
	name := t.TempDir() + "/file"
	if err := os.WriteFile(name, make([]byte, bytes), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, name
}

// TestProbeCached: the function gets the region's first bytes, at most 128 KiB of them.
func TestProbeCached(t *testing.T) {
	f, _ := open(t, 1<<20)
	for _, region := range []source.Range{
		{End: 1 << 20}, {Off: 5, End: 1 << 20}, {Off: 4096, End: 104_097}, {Off: 777, End: 778}, {Off: 1<<20 - 1, End: 1 << 20},
	} {
		longest := 0
		rate, err := ProbeCached(t.Context(), time.Millisecond, func(b []byte) { longest = max(longest, len(b)) }, f, region)
		if want := min(region.Len(), probePieceBytes); err != nil || longest != int(want) || rate <= 0 {
			t.Errorf("%+v: %v, %v; pieces of %d bytes, want %d", region, rate, err, longest, want)
		}
	}
}

func TestProbeNothing(t *testing.T) {
	f, _ := open(t, 10)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	stream, err := source.FromOS("-", r)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	never := func([]byte) { t.Error("there is nothing to call the function with") }
	for _, test := range []struct {
		*source.File
		source.Range
	}{{f, source.Range{}}, {stream, source.Range{End: 5}}} {
		if rate, err := ProbeCached(t.Context(), time.Second, never, test.File, test.Range); err != nil || rate != 0 {
			t.Errorf("%s: %v, %v", test.Kind, rate, err)
		}
	}
}

func TestProbeEnds(t *testing.T) {
	f, name := open(t, 1<<20)
	all := source.Range{End: 1 << 20}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := ProbeCached(ctx, time.Hour, func([]byte) { cancel() }, f, all); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context was cancelled", err)
	}
	if err := os.Truncate(name, 1000); err != nil {
		t.Fatal(err)
	}
	if _, err := ProbeCached(t.Context(), time.Second, func([]byte) {}, f, all); err == nil {
		t.Error("reading what is gone must be an error")
	}
}
