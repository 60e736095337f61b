package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

// storage is a device with a rate for every setting.
type storage func(Ring) float64

// scanCold follows the plan to its last lane and returns its setting, with all settings
// tried, how many bytes the trials took, and the last decision.
func scanCold(t *testing.T, f Facts, rate storage) (r Ring, tried []Ring, spent int64, d Decision) {
	t.Helper()
	for range 40 {
		d, err := Decide(f)
		if err != nil {
			t.Fatal(err)
		}
		l := d.Lanes[0]
		if !d.Trial {
			return l.Ring(), tried, spent, d
		}
		gbs := 1e8 // pread, slower than any ring here
		if l.Engine == Uring {
			gbs = rate(l.Ring())
			tried = append(tried, l.Ring())
		}
		spent += l.Bytes()
		f.Tried = append(f.Tried, Trial{l.Engine, l.Bytes(), time.Duration(float64(l.Bytes()) / gbs * 1e9), l.Ring()})
		f.Left[0].Off += l.Bytes()
	}
	t.Fatal("the trials never ended")
	return
}

// TestClimb follows the climb on storages with different best settings.
func TestClimb(t *testing.T) {
	const k, m = kib, mib
	usual := Ring{2, 512 * k, 16}
	tests := []struct {
		name  string
		facts Facts
		rate  storage
		want  Ring
	}{
		{"all alike", Facts{}, func(Ring) float64 { return 2e9 }, usual},
		{"others a little better", Facts{}, func(r Ring) float64 {
			if r == usual {
				return 2e9
			}
			return 2.15e9
		}, usual},
		{"wants small reads", Facts{}, func(r Ring) float64 { return 1e15 / float64(r.BlockBytes) }, Ring{2, 32 * k, 256}},
		{"wants large reads", Facts{}, func(r Ring) float64 { return 1e3 * float64(r.BlockBytes) }, Ring{2, 2 * m, 4}},
		{"wants depth", Facts{}, func(r Ring) float64 { return 1e8 * float64(min(r.Depth, 64)) }, Ring{2, 512 * k, 64}},
		{"wants fewer workers", Facts{}, func(r Ring) float64 { return 3e9 / float64(r.Workers) }, Ring{1, 512 * k, 16}},
		{"wants more workers", Facts{Threads: 16}, func(r Ring) float64 { return 1e9 * float64(min(r.Workers, 8)) }, Ring{8, 512 * k, 16}},
		{"workers are settled", Facts{Want: Want{Workers: 1}}, func(r Ring) float64 { return 1e9 * float64(r.Workers) }, Ring{1, 512 * k, 16}},
		{"the kernel is the wall", Facts{Threads: 16, Rates: Rates{Kernel: 0.5e9}}, func(r Ring) float64 {
			return min(0.5e9*float64(r.Workers), 3e9)
		}, Ring{8, 512 * k, 16}},
		{"a slow kernel and known storage", Facts{Threads: 16, Rates: Rates{Kernel: 0.5e9, Direct: 3e9}}, func(r Ring) float64 {
			return min(0.5e9*float64(r.Workers), 3e9)
		}, Ring{8, 512 * k, 16}},
		{"begins with what was measured", Facts{Direct: Ring{1, 128 * k, 32}}, func(Ring) float64 { return 2e9 }, Ring{2, 128 * k, 64}},
		{"little memory", Facts{Want: Want{MemBytes: leastScanBaseBytes + 8*m}}, func(r Ring) float64 { return 1e8 * float64(r.Depth) }, Ring{2, 32 * k, 64}},
	}
	for _, test := range tests {
		for _, forced := range []string{Auto, Uring} {
			f := test.facts
			f.Left, f.Want.Engine = []source.Region{cold(0, 256*gib)}, forced
			f.Threads = max(f.Threads, 2)
			got, _, _, d := scanCold(t, f, test.rate)
			if got != test.want || d.Lanes[0].Engine != Uring {
				t.Errorf("%s, %s: %v, want %v; reasons %q", test.name, forced, got, test.want, d.Reasons)
			}
		}
	}
}

// TestFirstTrialIsForgiven has a first trial that is slow only because it waits for threads to
// start. Its setting is kept.
func TestFirstTrialIsForgiven(t *testing.T) {
	first := true
	got, tried, _, _ := scanCold(t, Facts{Threads: 2, Left: []source.Region{cold(0, 64*gib)}}, func(r Ring) float64 {
		if first {
			first = false
			return 1e9
		}
		return 2e9
	})
	if want := (Ring{2, 512 * kib, 16}); got != want || tried[0] != want || !slices.Contains(tried[1:], want) {
		t.Errorf("%v after trying %v", got, tried)
	}
}

// TestTrialsAreASmallPart checks that trials are a small part of the work, whatever its size, and
// that little work gets none.
func TestTrialsAreASmallPart(t *testing.T) {
	for bytes := int64(64 * mib); bytes <= 64*gib; bytes *= 2 {
		for _, forced := range []string{Auto, Uring} {
			f := Facts{Threads: 2, Left: []source.Region{cold(0, bytes)}, Want: Want{Engine: forced}}
			_, tried, spent, d := scanCold(t, f, func(r Ring) float64 { return 1e9 })
			// The bound holds for the trials of each engine.
			if most := max(bytes/trialShare, 2*int64(trialRingBytes.Real())); len(tried) > 0 && spent > most {
				t.Errorf("%s of %s tried with engine %s", bytesize.Short(spent), bytesize.Short(bytes), forced)
			}
			if bytes < trialShare*int64(trialRingBytes.Real()) && len(tried) > 0 {
				t.Errorf("%s is too little for trials of %v", bytesize.Short(bytes), tried)
			}
			why := strings.Join(d.Reasons, "\n")
			if (len(tried) > 1) != strings.Contains(why, "tried 16 of 512 KiB by 2: 1.0 GB/s, ") {
				t.Errorf("%s: %q does not tell of %v", bytesize.Short(bytes), why, tried)
			}
		}
	}
}

// TestNothingToGain checks that no other setting is tried if the storage reaches its measured
// rate.
func TestNothingToGain(t *testing.T) {
	f := Facts{Threads: 2, Left: []source.Region{cold(0, 64*gib)}, Rates: Rates{Direct: 1.9e9}, Want: Want{Engine: Uring}}
	_, tried, _, d := scanCold(t, f, func(Ring) float64 { return 2e9 })
	if len(tried) != 1 || !strings.Contains(fmt.Sprint(d.Reasons), "the full measured rate of the storage") {
		t.Errorf("%v tried, reasons %q", tried, d.Reasons)
	}
}
