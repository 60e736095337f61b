//go:build unix

package cluster

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// remote returns the runner that flink/run.sh has started.
func remote(t *testing.T) *Runner {
	t.Helper()
	endpoint := os.Getenv("THRESH_CLUSTER_ENDPOINT")
	if endpoint == "" {
		t.Skip("flink/run.sh starts a cluster for this test")
	}
	Quiet()
	r, err := Remote(context.Background(), endpoint, os.Getenv("THRESH_CLUSTER_COMMAND"), 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// TestFlinkSameAsLibrary asks as many of the questions as fit into the time, two at once, with failing reads.
func TestFlinkSameAsLibrary(t *testing.T) {
	runner := remote(t)
	minutes, err := strconv.Atoi(os.Getenv("FLINK_MINUTES"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(trialVariable, "fail=0.05")
	began := time.Now()
	end := began.Add(time.Duration(minutes) * time.Minute)
	all := questions(t, t.TempDir(), questionsAll)
	var next, jobs atomic.Int64
	t.Run("jobs", func(t *testing.T) {
		for n := range 2 {
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				for time.Now().Before(end) {
					i := int(next.Add(1)) - 1
					if i >= len(all) {
						return
					}
					q := all[i]
					j := &Job{Runner: runner, Sources: new(Sources),
						Options: Options{CellBytes: 16 << 10, RangeBytes: 32 << 10}}
					want := q.library(t)
					got, receipt := q.cluster(t, j)
					if got != want {
						t.Errorf("question %d: %+v\ngot  %.2000s\nwant %.2000s", i, q, got, want)
					}
					jobs.Add(int64(receipt.Passes))
				}
			})
		}
	})
	asked := min(next.Load(), questionsAll)
	if asked == 0 {
		t.Error("no question was asked")
	}
	t.Logf("%d questions, %d jobs in %.0f s", asked, jobs.Load(), time.Since(began).Seconds())
}

// TestFlinkKill kills a task manager while a job runs: the answer is the same.
func TestFlinkKill(t *testing.T) {
	runner := remote(t)
	pid, err := strconv.Atoi(os.Getenv("THRESH_CLUSTER_KILL"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(trialVariable, "claim=400ms,fail=0.05")
	q := asked{Question{Verb: Count, Lines: true}, []string{filepath.Join(t.TempDir(), "app.log")}}
	if err := os.WriteFile(q.files[0], logText(rand.New(rand.NewPCG(3, 4)), 40_000), 0o666); err != nil {
		t.Fatal(err)
	}
	killed := false
	j := &Job{Runner: runner, Sources: new(Sources), Options: Options{CellBytes: 64 << 10, RangeBytes: 64 << 10,
		Progress: func(done, all int64) {
			if !killed && done > all/5 {
				killed = true
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			}
		}}}
	began := time.Now()
	want := q.library(t)
	got, receipt := q.cluster(t, j)
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !killed {
		t.Error("no task manager was killed")
	}
	t.Logf("task manager killed in the middle: an answer after %.1f s; %s", time.Since(began).Seconds(),
		receipt.Line())
}
