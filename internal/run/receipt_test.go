package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/receipt"
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

// TestRefine: the longest stage of a table names the wall if our own code was it, or if nothing else explains the time.
func TestRefine(t *testing.T) {
	for _, test := range []struct {
		wall            receipt.Wall
		took, answering time.Duration // of two workers for a second
		want, says      string
	}{
		{"kernel-function", 2 * time.Second, 0, "hashing", "hashing (of the time: hashing 70 %, keys 30 %, answering 0 %); of reading, as it was"},
		{"kernel-function", time.Second, time.Second, "answering", "answering (of the time: answering 50 %, hashing 35 %, keys 15 %)"},
		{"unclear", 1900 * time.Millisecond, 0, "hashing", "of reading, stages took 95 %"},
		{"unclear", time.Second, 0, "hashing", "of reading, stages took 50 %"},
		{"unclear", 900 * time.Millisecond, 0, "unclear", "as it was"}, // most of the time went elsewhere
		{"unclear", 900 * time.Millisecond, 4 * time.Second, "answering", "of reading, as it was"},
		{"storage", 2 * time.Second, 0, "storage", "as it was"},
		{"cpu-contention", 2 * time.Second, 0, "cpu-contention", "as it was"},
		{"too-small", 2 * time.Second, 4 * time.Second, "too-small", "as it was"},
		{"", 2 * time.Second, 0, "", "as it was"},
	} {
		r := receipt.Receipt{Bytes: 1e9, Seconds: 1, Wall: test.wall, Verdict: "as it was",
			Engines: []receipt.EngineUse{{Engine: "pread", Workers: 1, Bytes: 1e8}, {Engine: "mmap", Workers: 2, Bytes: 9e8}}}
		refine(&r, []receipt.Stage{{Name: "hashing", Share: 0.7}, {Name: "keys", Share: 0.3}}, test.took, test.answering)
		if string(r.Wall) != test.want || !strings.Contains(r.Verdict, test.says) {
			t.Errorf("%s, stages of %s, answering for %s: %s: %s", test.wall, test.took, test.answering, r.Wall, r.Verdict)
		}
	}
}
