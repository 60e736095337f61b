package limits

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tiny sizes run in well under a second. Their figures mean nothing; their structure does.
func tiny() sizes {
	return sizes{
		memoryBytes: 4 << 20, fileBytes: 4 << 20, coldBytes: 1 << 20, openFiles: 8, rounds: 10, idleTime: time.Millisecond,
		samplesMin: 3, samplesMax: 4, figureTime: time.Millisecond, writeTime: time.Second,
	}
}

// check checks what every result must satisfy: a figure was measured, or a reason says why not, and
// never both.
func check(t *testing.T, c *Ceilings) {
	t.Helper()
	for _, r := range c.rows() {
		reason, absent := c.Absent[r.key]
		switch f := r.figure; {
		case absent != (f.Samples == 0):
			t.Errorf("%s: %d samples, absent: %v (%s)", r.key, f.Samples, absent, reason)
		case absent && reason == "":
			t.Errorf("%s is absent without a reason", r.key)
		case !absent && (f.Samples < 3 || f.Samples > 4 || f.Median < 0 || f.Spread < 0 ||
			f.Unit != r.unit):
			t.Errorf("%s is not plausible: %+v", r.key, *f)
		}
	}
	if measured := c.DirectRead.Samples > 0; measured != (c.DirectDepth > 0) || measured != (c.DirectBlockBytes > 0) {
		t.Errorf("%d samples of direct reads, %d of %d bytes in flight", c.DirectRead.Samples, c.DirectDepth,
			c.DirectBlockBytes)
	}
	if c.Taken.IsZero() || c.Format != Format || c.Identity.CPUs < 1 {
		t.Errorf("time, format or machine missing: %+v", c)
	}
}

// folderIsEmpty checks that no temporary file is left.
func folderIsEmpty(t *testing.T, dir string, but ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(but) {
		t.Errorf("left behind: %v, want only %v", entries, but)
	}
}

func TestMeasureFolder(t *testing.T) {
	dir := t.TempDir()
	var steps []string
	c, err := measure(t.Context(), Options{
		Path:     dir,
		Progress: func(step string) { steps = append(steps, step) },
	}, tiny())
	if err != nil {
		t.Fatal(err)
	}
	check(t, c)
	for _, key := range []string{"memory_one", "memory_all", "copy_one", "copy_all", "hop"} {
		if reason, absent := c.Absent[key]; absent {
			t.Errorf("%s is portable and must be measured everywhere: %s", key, reason)
		}
	}
	if len(steps) != 4 || c.BestOpeners() == 0 {
		t.Errorf("steps %q, best openers %d", steps, c.BestOpeners())
	}
	folderIsEmpty(t, dir)
}

func TestMeasureFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "data")
	content := strings.Repeat("0123456789abcdef", (17<<20)/16)
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	s := tiny()
	s.fileBytes = 16 << 20 // enough for the file itself to be read
	c, err := measure(t.Context(), Options{Path: name}, s)
	if err != nil {
		t.Fatal(err)
	}
	check(t, c)
	// The file was just written, so it is in the page cache and must stay there.
	if _, absent := c.Absent["cold_read"]; !absent {
		t.Error("a user's file in the page cache was read cold")
	}
	if after, err := os.ReadFile(name); err != nil || string(after) != content {
		t.Errorf("the file changed: %v", err)
	}
	folderIsEmpty(t, dir, "data")
}

func TestMeasureNothingThere(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := measure(t.Context(), Options{Path: missing}, tiny())
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the path does not exist", err)
	}
	if _, err := Load(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the path does not exist", err)
	}
}

// TestInterrupted ends the context within each step, and while the temporary file is being written.
func TestInterrupted(t *testing.T) {
	for at := range 4 {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		step := 0
		s := tiny()
		s.samplesMin, s.samplesMax = 1000, 1000
		c, err := measure(ctx, Options{Path: dir, Progress: func(string) {
			if step++; step > at {
				time.AfterFunc(2*time.Millisecond, cancel)
			}
		}}, shortBefore(s, at))
		cancel()
		if !errors.Is(err, context.Canceled) || c != nil {
			t.Errorf("step %d: got %v, %v; want that the context was cancelled", at, c, err)
		}
		folderIsEmpty(t, dir)
	}
}

// shortBefore keeps the steps short that precede the one to interrupt.
func shortBefore(s sizes, at int) sizes {
	if at > 0 {
		s.samplesMin, s.samplesMax = 3, 3
		s.fileBytes = 64 << 20
	}
	return s
}

// TestCrowded simulates other programs that use the processors: its workers sleep.
func TestCrowded(t *testing.T) {
	if processorTime() == 0 {
		t.Skip("this system does not report processor time")
	}
	c := &Ceilings{Opens: []Opens{{Workers: 1, Rate: Figure{Samples: 5}}, {Workers: 2}}}
	c.Opens[1].Rate.Samples, c.Wake.Samples = 5, 5
	r := &run{ctx: t.Context(), sizes: tiny(), workers: 2, c: c}
	r.doubt()
	if c.Wake.Noisy {
		t.Error("noisy before anything was seen")
	}
	err := r.busy(&c.MemoryAll, 2, func(workers int) (float64, error) {
		return r.sweep(workers, 4, 1, func(_, _, _ int) error {
			time.Sleep(time.Millisecond)
			return nil
		})
	})
	r.doubt()
	if err != nil || c.MemoryAll.Samples == 0 || !c.MemoryAll.Noisy {
		t.Errorf("%+v, %v; want a noisy figure", c.MemoryAll, err)
	}
	if !c.Wake.Noisy || c.Opens[0].Rate.Noisy || !c.Opens[1].Rate.Noisy || c.Mutex.Noisy {
		t.Errorf("wake %+v, opens %+v, mutex %+v", c.Wake, c.Opens, c.Mutex)
	}
}
