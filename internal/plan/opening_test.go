package plan

import (
	"testing"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

func TestOpeningOf(t *testing.T) {
	whole := source.Range{End: 1 << 40}
	for _, test := range []struct {
		name  string
		facts Facts
		span  source.Range
		want  bool
	}{
		{"auto", Facts{Want: Want{Engine: Auto}}, whole, true},
		{"nothing asked for", Facts{}, whole, true},
		{"one byte", Facts{}, source.Range{Off: 7, End: 8}, true},
		{"device", Facts{Kind: source.Device}, whole, true},
		{"memory", Facts{Kind: source.Memory}, whole, true},
		{"reader", Facts{Kind: source.ReaderAt}, whole, true},
		{"workers", Facts{Want: Want{Workers: 7, MemBytes: 256 << 20}}, whole, true},
		{"least memory for two workers", Facts{Want: Want{MemBytes: leastScanBaseBytes + 4*mib}}, whole, true},
		{"a byte less", Facts{Want: Want{MemBytes: leastScanBaseBytes + 4*mib - 1}}, whole, false},
		{"least memory for seven", Facts{Worker: mib, Want: Want{Workers: 7, MemBytes: leastScanBaseBytes + 21*mib}}, whole, true},
		{"a byte less for seven", Facts{Worker: mib, Want: Want{Workers: 7, MemBytes: leastScanBaseBytes + 21*mib - 1}}, whole, false},
		{"no bytes", Facts{}, source.Range{Off: 7, End: 7}, false},
		{"stream", Facts{Kind: source.Stream}, whole, false},
		{"engine", Facts{Want: Want{Engine: Pread}}, whole, false},
		{"chunk", Facts{Want: Want{Engine: Auto, ChunkBytes: 1}}, whole, false},
		{"in order", Facts{InOrder: true}, whole, true},
	} {
		o, ok := OpeningOf(test.facts, test.span)
		if ok != test.want {
			t.Errorf("%s: %v, want %v", test.name, ok, test.want)
		}
		if ok && (o.First.Off != test.span.Off || o.First.End != o.Second.Off || o.First.Len() == 0 || o.Second.End > test.span.End) {
			t.Errorf("%s: parts %v and %v of %v", test.name, o.First, o.Second, test.span)
		}
	}
}

// TestOpeningParts has ranges that end at every byte around the borders of the parts.
func TestOpeningParts(t *testing.T) {
	threshold.Shrink(t, 8)
	for n := int64(1); n < 20; n++ {
		o, ok := OpeningOf(Facts{}, source.Range{Off: 5, End: 5 + n})
		if !ok || o.First != (source.Range{Off: 5, End: 5 + min(n, 8)}) || o.Second != (source.Range{Off: o.First.End, End: 5 + min(n, 16)}) {
			t.Errorf("%d bytes: %+v, %v", n, o, ok)
		}
	}
}

func TestOpeningLanes(t *testing.T) {
	engines := func(f Facts, cached bool) (names string) {
		o, ok := OpeningOf(f, source.Range{End: 1 << 30})
		if !ok {
			t.Fatalf("no opening of %+v", f)
		}
		for _, l := range o.Lanes(o.Second, cached) {
			names += l.Engine + " "
			if l.Workers != max(f.Want.Workers, 1) || l.Bytes() != o.Second.Len() || l.Config.PieceBytes < o.PieceBytes || l.Config.AheadBytes != f.Ahead ||
				l.Config.PieceBytes < 4*f.Ahead || l.Config.BlockBytes != l.Config.PieceBytes {
				t.Errorf("%+v for %+v", l, f)
			}
		}
		return names
	}
	for _, test := range []struct {
		facts  Facts
		cached bool
		want   string
	}{
		{Facts{Ahead: 100_000}, false, "pread "},
		{Facts{Ahead: 6}, true, "mmap pread "},
		{Facts{Want: Want{Workers: 7}}, true, "mmap pread "},
		{Facts{Refused: no(Mmap, "no room")}, true, "pread "},
		{Facts{Kind: source.Memory}, true, "memory "},
		{Facts{Kind: source.Memory}, false, "memory "},
	} {
		if got := engines(test.facts, test.cached); got != test.want {
			t.Errorf("%+v, cached %v: %s, want %s", test.facts, test.cached, got, test.want)
		}
	}
}

// TestOpeningWorkers has the second part searched by as many workers as there are, as memory allows,
// and as get two pieces each; only where it is cached.
func TestOpeningWorkers(t *testing.T) {
	piece := int64(openingPieceBytesMax.Real())
	for _, test := range []struct {
		facts  Facts
		bytes  int64 // of the second part
		cached bool
		want   int
	}{
		{Facts{Threads: 4}, 15 * mib, true, 4},
		{Facts{Threads: 4}, 15 * mib, false, 1},
		{Facts{Threads: 4}, 8 * piece, true, 4},
		{Facts{Threads: 4}, 8*piece - 1, true, 3},
		{Facts{Threads: 4}, 4*piece - 1, true, 1},
		{Facts{}, 15 * mib, true, 1},
		{Facts{Threads: 4, Want: Want{Workers: 1}}, 15 * mib, true, 1},
		{Facts{Threads: 1, Want: Want{Workers: 3}}, 15 * mib, true, 3},
		{Facts{Threads: 4, Want: Want{MemBytes: leastScanBaseBytes + 6*mib}}, 15 * mib, true, 3},
	} {
		o, ok := OpeningOf(test.facts, source.Range{End: 1*mib + test.bytes})
		if !ok {
			t.Fatalf("no opening of %+v", test.facts)
		}
		for _, l := range o.Lanes(o.Second, test.cached) {
			if l.Workers != test.want {
				t.Errorf("%+v, %d bytes, cached %v: %s with %d workers, want %d",
					test.facts, test.bytes, test.cached, l.Engine, l.Workers, test.want)
			}
		}
		if first := o.Lanes(o.First, true); first[0].Workers != 1 {
			t.Errorf("%+v: %d workers for the first part", test.facts, first[0].Workers)
		}
	}
}
