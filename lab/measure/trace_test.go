package measure

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/lab"
)

// TestReadTrace records goroutines that wait for each other, and garbage collections.
func TestReadTrace(t *testing.T) {
	const goroutines, collections = 100, 3
	var recorded bytes.Buffer
	if err := trace.Start(&recorded); err != nil {
		t.Fatal(err)
	}
	var done gosync.WaitGroup
	release := make(chan bool)
	for range goroutines {
		done.Go(func() { <-release })
	}
	for range collections {
		runtime.GC()
	}
	close(release)
	done.Wait()
	trace.Stop()
	x, err := readTrace(&recorded)
	if err != nil {
		t.Fatal(err)
	}
	if x.Goroutines < goroutines || x.GoroutinesMost < goroutines || x.GCs < collections {
		t.Errorf("%+v", x)
	}
	if x.Seconds <= 0 || x.Running <= 0 || x.Running > float64(runtime.GOMAXPROCS(0)) || x.GCShare <= 0 || x.GCShare >= 1 ||
		x.Pauses <= 0 || x.Pauses >= x.Seconds {
		t.Errorf("%+v", x)
	}
	if x.WaitMedian <= 0 || x.WaitMedian > x.Wait99 || x.Wait99 > x.WaitMax || x.WaitMax > x.Seconds {
		t.Errorf("%+v", x)
	}
	if _, err := readTrace(strings.NewReader("go 1.26 trace\x00\x00\x00nonsense")); err == nil {
		t.Error("no error for a file that is not a trace")
	}
}

func TestWaits(t *testing.T) {
	var w waits
	if got := w.quantile(0.5); got != 0 {
		t.Errorf("median of nothing: %g", got)
	}
	for i := range 1000 {
		w.add(time.Duration(i+1) * time.Microsecond)
	}
	for q, want := range map[float64]float64{0.5: 500e-6, 0.99: 990e-6, 1: 1000e-6} {
		if got := w.quantile(q); got < want || got > want*1.0906 {
			t.Errorf("quantile %g: %g, want %g or a little more", q, got, want)
		}
	}
	w.add(0)
	if got := w.quantile(1); got != 1000e-6 {
		t.Errorf("longest %g", got)
	}
}

// TestExecutionTrace: variants whose article shows a trace get one, in the first of their profiled runs.
func TestExecutionTrace(t *testing.T) {
	s := &session{Options: options(t), noPerf: "not here"}
	s.process = process{[]string{os.Args[0], "child"}, s.Longest, s.Folder}
	r := request{Task: lab.Task{Variant: hasTrace + "0"}}
	_, first, err := s.profiledRun(context.Background(), r, true)
	if err != nil {
		t.Fatal(err)
	}
	x := first.Execution
	if x == nil || x.Seconds <= 0 || x.File != filepath.Join(s.Folder, "donations-rev0.trace") || first.Note != "not here" {
		t.Fatalf("%+v, execution %+v", first, x)
	}
	if info, err := os.Stat(x.File); err != nil || info.Size() == 0 {
		t.Errorf("%v, error %v", info, err)
	}
	_, second, err := s.profiledRun(context.Background(), r, false)
	if err != nil || second.Execution != nil {
		t.Errorf("%+v, error %v", second, err)
	}
	if all := merge(merge(nil, first), second); all.Execution != x || all.Source != "pprof" || all.Note != "not here" {
		t.Errorf("%+v", all)
	}
	r.Task.Variant = "made/folder"
	if _, p, err := s.profiledRun(context.Background(), r, true); err != nil || p.Execution != nil {
		t.Errorf("%+v, error %v", p, err)
	}
}

// TestEnoughSamples: profiled runs are repeated until there are enough samples, and these add up.
func TestEnoughSamples(t *testing.T) {
	run := func(n int64) entry {
		return entry{Outcome: &lab.Outcome{Seconds: 1}, Profile: &lab.Profile{Source: "perf", Folded: map[string]int64{"a;b": n, "a": 1}}}
	}
	w := &work{job: job{variant: &lab.Variant{ID: "e/a"}, setting: lab.Setting{Profiled: true}}, runs: profileRuns}
	w.add(run(enoughSamples/2 - 1))
	if !w.wants(2) {
		t.Errorf("it ends after %d samples", samples(w.entries))
	}
	w.add(run(enoughSamples/2 - 1))
	m, _ := w.measurement()
	if w.wants(3) || m.Profile.Folded["a;b"] != enoughSamples-2 || m.Profile.Folded["a"] != 2 {
		t.Errorf("it goes on after %d samples: %v", samples(w.entries), m.Profile)
	}
}

// TestProfileAfterRun: a session that is profiled afterwards keeps all that its timed runs say.
func TestProfileAfterRun(t *testing.T) {
	o := options(t, "made/busy", "made/missing")
	o.Budget = 100 * time.Millisecond
	before := measured(t, o)
	o.Profile = true
	after := measured(t, o)
	if len(after.Measurements) != len(before.Measurements)+1 {
		t.Errorf("%d measurements, %d before", len(after.Measurements), len(before.Measurements))
	}
	for _, want := range before.Measurements {
		found := false
		for _, m := range after.Measurements {
			found = found || m.Variant == want.Variant && m.Setting == want.Setting && m.Fewer == want.Fewer && m.Skipped == want.Skipped
		}
		if !found {
			t.Errorf("%+v is missing in %+v", want, after.Measurements)
		}
	}
}
