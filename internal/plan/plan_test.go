package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

const gib = 1 << 30

func cached(off, end int64) source.Region {
	return source.Region{Range: source.Range{Off: off, End: end}, Cached: true}
}

func cold(off, end int64) source.Region {
	return source.Region{Range: source.Range{Off: off, End: end}}
}

// no returns refusals, from names and reasons.
func no(pairs ...string) (out []Rejection) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, Rejection{pairs[i], pairs[i+1]})
	}
	return out
}

func trial(name string, gbPerSecond float64) Trial {
	t := Trial{Engine: name, Bytes: 1e8, Time: time.Duration(1e8 / gbPerSecond)}
	if name == Uring {
		t.Ring = Ring{Workers: 2, BlockBytes: 512 << 10, Depth: 16}
		t.Bytes, t.Time = 10*t.Bytes, 10*t.Time // so much that no other setting is tried
	}
	return t
}

// text formats a decision as "trial uring×2 of 64 MiB" or "mmap|pread×2 + uring×1". Two engines
// with a stroke between them are timed, with a slash the faults of the first are counted.
func text(d Decision) string {
	var parts []string
	for _, l := range d.Lanes {
		part := fmt.Sprintf("%s×%d", l.Engine, l.Workers)
		if l.Other != "" {
			part = fmt.Sprintf("%s/%s×%d", l.Engine, l.Other, l.Workers)
		}
		if l.Timed {
			part = strings.ReplaceAll(part, "/", "|")
		}
		if d.Trial {
			part = fmt.Sprintf("trial %s×%d of %s", l.Engine, l.Workers, bytesize.Short(l.Bytes()))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " + ")
}

// TestSituations compares the plan with the expected decision for each situation.
func TestSituations(t *testing.T) {
	warm, frozen := []source.Region{cached(0, 4*gib)}, []source.Region{cold(0, 4*gib)}
	half := []source.Region{cached(0, 2*gib), cold(2*gib, 4*gib)}
	coldTrials := []Trial{trial(Uring, 1.3), trial(Pread, 1.1)}
	keptTrials := []Trial{trial(Mmap, 2), trial(Pread, 1.5)}
	tests := []struct {
		name   string
		facts  Facts
		want   string
		reason string // is part of one of the reasons
	}{
		{"a pipe", Facts{Kind: source.Stream, Left: []source.Region{cached(0, 1<<62)}}, "stream×2", "can only be streamed"},
		{"an empty file", Facts{}, "pread×1", "too little work"},
		{"no bytes in memory", Facts{Kind: source.Memory}, "memory×1", "too little work"},
		{"few bytes in memory", Facts{Kind: source.Memory, Refused: no(Mmap, "x", Uring, "x"), Left: []source.Region{cached(0, 1000)}}, "memory×1",
			"too little work"},
		{"many bytes in memory", Facts{Kind: source.Memory, Refused: no(Mmap, "x", Uring, "x"), Left: warm}, "memory×2", "the only engine possible"},
		{"an io.ReaderAt", Facts{Kind: source.ReaderAt, Refused: no(Mmap, "x", Uring, "x"), Left: warm}, "pread×2", "the only engine possible"},
		{"a small file", Facts{Left: []source.Region{cached(0, 1000)}}, "mmap×1", "never pays"},
		{"a small file that cannot be mapped", Facts{Left: []source.Region{cached(0, 1000)}, Refused: no(Mmap, "no")}, "pread×1", "never pays"},
		{"a small file that is not cached", Facts{Left: []source.Region{cached(0, 1000), cold(1000, 9000)}}, "pread×1", "never pays"},
		{"a small file that another worker would not help", Facts{Left: []source.Region{cached(0, 900<<10)}}, "mmap×1", "too little work"},
		{"a slow kernel makes the same file worth sharing", Facts{Left: []source.Region{cached(0, 900<<10)},
			Rates: Rates{Kernel: 50e6, WakeSeconds: 10e-6}}, "mmap×2", ""},
		{"slow wake-ups make a larger one too small", Facts{Left: []source.Region{cached(0, 4<<20)},
			Rates: Rates{Kernel: 20e9, WakeSeconds: 50e-6}}, "mmap×1", "too little work"},
		{"too little to count faults", Facts{Left: []source.Region{cached(0, 32<<20-1)}}, "mmap×2", "usually the fastest"},
		{"enough to count faults", Facts{Left: []source.Region{cached(0, 32<<20)}}, "mmap/pread×2", "and pread where it takes many faults"},
		{"not enough to time engines", Facts{Left: []source.Region{cached(0, 512<<20-1)}}, "mmap/pread×2", "and pread where it takes many faults"},
		{"the machine's figures decide about it", Facts{Left: []source.Region{cached(0, 512<<20-1)},
			Rates: Rates{Map: 10e9, Copy: 20e9}}, "pread×2", "on this machine"},
		{"but not by a hair", Facts{Left: []source.Region{cached(0, 512<<20-1)},
			Rates: Rates{Map: 43e9, Copy: 44e9}}, "mmap/pread×2", "on this machine"},
		{"two files, not enough to time engines", Facts{Pair: &Pair{}, Left: []source.Region{cached(0, 256<<20-1)}}, "mmap/pread×2", "many faults"},
		{"two files, enough to time engines", Facts{Pair: &Pair{}, Left: []source.Region{cached(0, 256<<20)}}, "mmap|pread×2", "compared"},
		{"enough to time engines", Facts{Left: []source.Region{cached(0, 512<<20)}}, "mmap|pread×2", "compared"},
		{"warm", Facts{Left: warm, Rates: Rates{Map: 10e9, Copy: 20e9}}, "mmap|pread×2", "compared"},
		{"warm, no mapping", Facts{Left: warm, Refused: no(Mmap, "the test forbids it")}, "pread×2", "only engine"},
		{"cold, first trial", Facts{Left: frozen}, "trial uring×2 of 64 MiB", "try uring"},
		{"cold, second trial", Facts{Left: frozen, Tried: coldTrials[:1]}, "trial pread×2 of 32 MiB", "try pread"},
		{"cold, direct won", Facts{Left: frozen, Tried: coldTrials}, "uring×2", "uncached bytes: uring, tried at 1.3"},
		{"cold, no ring", Facts{Left: frozen, Refused: no(Uring, "seccomp")}, "pread×2", "only engine"},
		{"half cached", Facts{Left: half}, "trial uring×1 of 64 MiB", ""},
		{"half cached, both at once", Facts{Left: half, Tried: coldTrials}, "mmap|pread×2 + uring×1", "at once"},
		{"half cached, no ring: still two lanes", Facts{Left: half, Refused: no(Uring, "seccomp")}, "mmap|pread×2 + pread×1", "at once"},
		{"half cached, one engine for both", Facts{Left: half, Refused: no(Uring, "seccomp", Mmap, "no")}, "pread×2", "one lane"},
		{"half cached, one worker", Facts{Left: half, Tried: coldTrials, Want: Want{Workers: 1}}, "uring×1", "one lane"},
		{"half cached, four workers", Facts{Left: half, Tried: coldTrials, Want: Want{Workers: 4}}, "mmap|pread×3 + uring×1", ""},
		{"cold, to be kept", Facts{Left: frozen, Keep: true}, "trial mmap×2 of 32 MiB", "try mmap"},
		{"cold, to be kept, second trial", Facts{Left: frozen, Keep: true, Tried: keptTrials[:1]}, "trial pread×2 of 32 MiB", "try pread"},
		{"cold, to be kept, reading won", Facts{Left: frozen, Keep: true, Tried: []Trial{trial(Mmap, 1), trial(Mmap, 1), trial(Pread, 2)},
			Rates: Rates{Direct: 2e9}}, "pread×2", "tried at 2.0"},
		{"cold, to be kept, however fast direct reads are", Facts{Left: frozen, Keep: true, Tried: append(keptTrials, trial(Uring, 27)),
			Rates: Rates{Direct: 27e9, Buffered: 1e9}}, "mmap×2", "keeps them for the next question"},
		{"cold, to be kept, no ring", Facts{Left: frozen, Keep: true, Tried: keptTrials, Refused: no(Uring, "seccomp")}, "mmap×2", "the page cache keeps them"},
		{"cold, to be kept, no mapping", Facts{Left: frozen, Keep: true, Refused: no(Mmap, "no")}, "pread×2", "only engine"},
		{"cold, to be kept, too little for trials", Facts{Left: []source.Region{cold(0, 500<<20)}, Keep: true}, "mmap×2", "keeps them"},
		{"half cached, to be kept", Facts{Left: half, Keep: true, Tried: keptTrials}, "mmap|pread×2 + mmap×1", "at once"},
		{"half cached, to be kept, one worker", Facts{Left: half, Keep: true, Tried: keptTrials, Want: Want{Workers: 1}}, "mmap×1", "one lane"},
		{"half cached, to be kept, in order", Facts{Left: half, Keep: true, Tried: keptTrials, InOrder: true}, "mmap×2", "uncached bytes"},
		{"nearly all cached, to be kept, in order", Facts{Left: []source.Region{cached(0, 15*gib), cold(15*gib, 16*gib)}, Keep: true, InOrder: true},
			"mmap|pread×2", "cached bytes"},
		{"half cached, in order", Facts{Left: half, InOrder: true}, "mmap|pread×2", "cached bytes"},
		{"unknown residency counts as cached", Facts{Left: warm, Unknown: "no cachestat"}, "mmap|pread×2", "unknown residency"},
		{"forced mmap", Facts{Left: frozen, Want: Want{Engine: Mmap}}, "mmap×2", "Run.Engine mmap"},
		{"forced pread, small", Facts{Left: []source.Region{cached(0, 10)}, Want: Want{Engine: Pread}}, "pread×1", "Run.Engine"},
		{"forced pread, small, workers wanted", Facts{Left: []source.Region{cached(0, 10)}, Want: Want{Engine: Pread, Workers: 5}}, "pread×5", ""},
		{"forced uring", Facts{Left: warm, Want: Want{Engine: Uring}}, "trial uring×2 of 64 MiB", "try uring"},
		{"forced stream of a file", Facts{Left: warm, Want: Want{Engine: Stream}}, "stream×2", ""},
		{"workers wanted", Facts{Left: warm, Want: Want{Workers: 7}}, "mmap|pread×7", ""},
	}
	for _, test := range tests {
		test.facts.Threads = 2
		d, err := Decide(test.facts)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := text(d); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if !strings.Contains(strings.Join(d.Reasons, "\n"), test.reason) || len(d.Reasons) == 0 {
			t.Errorf("%s: reasons %q do not say %q", test.name, d.Reasons, test.reason)
		}
	}
}

// TestEveryByteIsPlanned follows the trials to the end and checks that each byte is in one lane.
func TestEveryByteIsPlanned(t *testing.T) {
	f := Facts{Threads: 2, Left: []source.Region{cold(100, gib), cached(gib, 3*gib), cold(3*gib, 5*gib+1)}}
	var planned int64
	for range 10 {
		d, err := Decide(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range d.Lanes {
			planned += l.Bytes()
		}
		if !d.Trial {
			if want := int64(5*gib + 1 - 100); planned != want {
				t.Errorf("planned %d bytes, want %d", planned, want)
			}
			return
		}
		l := d.Lanes[0]
		f.Tried = append(f.Tried, Trial{l.Engine, l.Bytes(), time.Second, l.Ring()})
		for i, r := range f.Left {
			if r.Off == l.Ranges[0].Off {
				f.Left[i].Off += l.Bytes()
			}
		}
	}
	t.Error("the trials never ended")
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		facts Facts
		want  string
	}{
		{Facts{Want: Want{Engine: "warp"}}, "no such engine"},
		{Facts{Want: Want{Engine: Mmap}, Kind: source.Stream}, "it is a stream"},
		{Facts{Want: Want{Engine: Pread}, Kind: source.Stream}, "it is a stream"},
		{Facts{Want: Want{Engine: Mmap}, Refused: no(Mmap, "too long")}, "too long"},
		{Facts{Want: Want{Engine: Uring}, Refused: no(Uring, "seccomp forbids it")}, "seccomp forbids it"},
	}
	for _, test := range tests {
		_, err := Decide(test.facts)
		var refused *failure.EngineError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want a refusal that says %q", test.facts.Want, err, test.want)
		}
	}
}

// TestMemoryBound shrinks depth, blocks and workers before it gives up, and never exceeds
// the bound.
func TestMemoryBound(t *testing.T) {
	for _, e := range append(catalog.Names(), Auto) {
		for _, workers := range []int{0, 1, 16} {
			for bound := int64(1 << 20); bound < 4*gib; bound *= 2 {
				f := Facts{Threads: 16, Left: []source.Region{cold(0, 8*gib)}, Worker: 8 << 20, Ahead: 16 << 10,
					Want: Want{Engine: e, Workers: workers, MemBytes: bound}}
				d, err := Decide(f)
				var tooSmall *failure.MemoryError
				if errors.As(err, &tooSmall) {
					if tooSmall.Need <= bound {
						t.Errorf("%s, %d workers, %d bytes: refused although %d suffice", e, workers, bound, tooSmall.Need)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range d.Lanes {
					if n := memoryBytes(&l, l.Config, f, d.workers()); n > bound || l.Workers < 1 {
						t.Errorf("%s, %d workers: %d bytes planned of %d", e, workers, n, bound)
					}
					if workers > 0 && l.Workers != workers {
						t.Errorf("%s: %d workers instead of the %d that were asked for", e, l.Workers, workers)
					}
				}
			}
		}
	}
	if _, err := Decide(Facts{Want: Want{MemBytes: 1 << 10}}); err == nil {
		t.Error("1 KiB of memory was enough")
	}
}

func TestPrediction(t *testing.T) {
	f := Facts{Threads: 2, Left: []source.Region{cached(0, 8e9)}, Rates: Rates{Map: 40e9}}
	d, err := Decide(f)
	if err != nil || d.Predicted != 200*time.Millisecond {
		t.Errorf("predicted %v, error %v, want 200ms for 8 GB at 40 GB/s", d.Predicted, err)
	}
	f.Rates.Kernel = 1e9 // a slow kernel on two threads is the wall
	if d, _ = Decide(f); d.Predicted != 4*time.Second {
		t.Errorf("predicted %v, want 4s for 8 GB at 2 × 1 GB/s", d.Predicted)
	}
}

// TestRemoteWorkers: there are workers besides those that may request ranges, if memory allows and none were asked for.
func TestRemoteWorkers(t *testing.T) {
	for _, test := range []struct {
		left           int64
		want           Want
		workers, depth int
	}{
		{4 * gib, Want{}, 80, 64},
		{4 * gib, Want{Workers: 8}, 8, 8},
		{4 * gib, Want{MemBytes: 100 * mib}, 80, 64},
		{4 * gib, Want{MemBytes: 64 * 600 * kib}, 64, 64}, // enough for those only
		{1 * mib, Want{}, 5, 4},
		{100 * kib, Want{}, 1, 1},
	} {
		d, err := Decide(Facts{Kind: source.Remote, Left: []source.Region{cold(0, test.left)}, Want: test.want})
		if err != nil {
			t.Fatal(err)
		}
		if l := d.Lanes[0]; l.Workers != test.workers || l.Config.Depth != test.depth {
			t.Errorf("%+v: %d workers, %d of them may request, want %d and %d", test.want, l.Workers, l.Config.Depth, test.workers,
				test.depth)
		}
	}
}
