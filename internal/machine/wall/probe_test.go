package wall

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// open returns an open file of this size, and its name.
func open(t *testing.T, bytes int) (*source.File, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
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

func TestProbe(t *testing.T) {
	f, _ := open(t, 1<<20)
	for _, region := range []source.Range{
		{End: 1 << 20}, {Off: 5, End: 1 << 20}, {Off: 4096, End: 304_097}, {Off: 777, End: 778}, {Off: 1<<20 - 1, End: 1 << 20},
	} {
		var longest atomic.Int64
		p, err := Probe(t.Context(), time.Second, func(b []byte) {
			longest.Store(max(longest.Load(), int64(len(b))))
		}, f, region, 2)
		if err != nil {
			t.Fatal(err)
		}
		if want := min(region.Len(), probePieceBytes); longest.Load() != want {
			t.Errorf("%+v: a piece of %d bytes, want %d", region, longest.Load(), want)
		}
		if p.Cached <= 0 || p.Read <= 0 {
			t.Errorf("%+v: %+v", region, p)
		}
		if mapped := p.Touch > 0 && p.Populate > 0; mapped != (runtime.GOOS == "linux") {
			t.Errorf("%+v: %+v; mappings are probed on Linux, and there only", region, p)
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
	for _, in := range []*source.File{f, stream} {
		p, err := Probe(t.Context(), time.Second, never, in, source.Range{}, 1)
		if err != nil || p != (Probes{}) {
			t.Errorf("%s: %+v, %v", in.Kind, p, err)
		}
	}
	if p, err := Probe(t.Context(), time.Second, never, stream, source.Range{Off: 0, End: 5}, 1); err != nil || p != (Probes{}) {
		t.Errorf("a stream: %+v, %v", p, err)
	}
}

func TestProbeEnds(t *testing.T) {
	f, _ := open(t, 1<<20)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Probe(ctx, time.Second, func([]byte) { cancel() }, f, source.Range{Off: 0, End: 1 << 20}, 2)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context was cancelled", err)
	}
}

// TestProbeShrunk removes the file's content at the two critical moments: before it is read, and
// under the mapping.
func TestProbeShrunk(t *testing.T) {
	f, name := open(t, 1<<20)
	if err := os.Truncate(name, 1000); err != nil {
		t.Fatal(err)
	}
	if _, err := Probe(t.Context(), time.Second, func([]byte) {}, f, source.Range{Off: 0, End: 1 << 20}, 2); err == nil {
		t.Error("reading what is gone must be an error")
	}
	var p Probes
	err := probeMapped(t.Context(), time.Second, &p, f, source.Range{Off: 0, End: 1 << 20}, 2)
	if (err == nil) != (runtime.GOOS != "linux") {
		t.Errorf("mapping what is gone: %v", err)
	}
}
