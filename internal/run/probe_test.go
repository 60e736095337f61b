package run

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/wall"
)

func probed(t *testing.T, bytes int) (*source.File, string) {
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

// TestProbe: the function gets pieces of at most 64 KiB, of a file that is mapped and of one that is only read.
func TestProbe(t *testing.T) {
	f, _ := probed(t, 1<<20)
	for _, span := range []source.Range{
		{End: 1 << 20}, {Off: 5, End: 1 << 20}, {Off: 4096, End: 104_097}, {Off: 777, End: 778}, {Off: 1<<20 - 1, End: 1 << 20},
	} {
		for _, mapped := range []bool{true, false} {
			longest := 0
			p := probe(t.Context(), time.Millisecond, func(b []byte) { longest = max(longest, len(b)) }, f, span, mapped)
			if want := min(span.Len(), probePieceBytes); longest != int(want) || p.Cached <= 0 || p.Copied <= 0 {
				t.Errorf("%+v: %+v; pieces of %d bytes, want %d", span, p, longest, want)
			}
			if !mapped && (p.Mapped != 0 || p.FaultNanos != 0) || mapped && p.Mapped <= 0 {
				t.Errorf("%+v, mapped %v: %+v", span, mapped, p)
			}
		}
	}
}

// TestProbeCountsFaults: the first touch of a mapping costs more than the second.
func TestProbeCountsFaults(t *testing.T) {
	f, _ := probed(t, 64<<20)
	for range 5 { // a thread may be interrupted
		if p := probe(t.Context(), 20*time.Millisecond, func([]byte) {}, f, source.Range{End: 64 << 20}, true); p.FaultNanos > 0 {
			return
		}
	}
	t.Error("no page fault cost anything")
}

func TestProbeNothing(t *testing.T) {
	f, name := probed(t, 1<<20)
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
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	never := func([]byte) { t.Error("there is nothing to call the function with") }
	all := source.Range{End: 1 << 20}
	for _, mapped := range []bool{true, false} {
		for _, test := range []struct {
			ctx  context.Context
			f    *source.File
			span source.Range
		}{{t.Context(), f, source.Range{}}, {t.Context(), stream, source.Range{End: 5}}, {ended, f, all}} {
			if p := probe(test.ctx, time.Second, never, test.f, test.span, mapped); p != (wall.Probes{}) {
				t.Errorf("%s: %+v", test.f.Kind, p)
			}
		}
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	if p := probe(t.Context(), time.Second, never, f, all, false); p != (wall.Probes{}) {
		t.Errorf("after the file shrank: %+v", p)
	}
}
