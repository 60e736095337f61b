package run

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/internal/scan"
)

// TestMeasuringIsBounded has runs that were faster than the kept limits: those of a short run
// are not measured again, which takes seconds, and the receipt says what to do.
func TestMeasuringIsBounded(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache) // of systems that keep caches there
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := Open(text, false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	id, err := limits.Identify(text)
	if err != nil {
		t.Fatal(err)
	}
	slow := limits.Figure{Median: 1e-6, Samples: 5, Unit: "GB/s"}
	kept := limits.Ceilings{Format: limits.Format, Taken: time.Now(), Identity: id, CopyOne: slow, CopyAll: slow}
	if err := kept.Save(); err != nil {
		t.Fatal(err)
	}
	before, err := limits.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	ask := request{Traits: &scan.Traits{}, speed: func([]byte) {}}
	for _, took := range []time.Duration{30 * time.Millisecond, time.Second, time.Hour} {
		c := wall.Counters{Wall: took, Workers: 1, Scanned: 1 << 40, System: took * 9 / 10, ReadChars: 1 << 40}
		v, err := nameWall(context.Background(), c, in, ask, source.Range{End: 1 << 20}, true)
		if err != nil || !v.Exceeded {
			t.Fatalf("after %s: %+v, %v; want a verdict beyond the limits", took, v, err)
		}
		after, err := limits.Load(text)
		if err != nil || !after.Taken.Equal(before.Taken) {
			t.Errorf("after %s: the limits were measured again: %v", took, err)
		}
	}
	for took, want := range map[time.Duration]time.Duration{
		0: 20 * time.Millisecond, time.Second: 50 * time.Millisecond, time.Minute: 3 * time.Second} {
		if got := measuringBudget(took); got != want {
			t.Errorf("%s of measuring behind %s, want %s", got, took, want)
		}
	}
}
