//go:build unix

package cluster

import (
	"context"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// jobBatch is how many questions a job answers.
const jobBatch = 50

// jobServer returns the runner that flink/run.sh or spark/run.sh has started.
func jobServer(t *testing.T) *Runner {
	t.Helper()
	endpoint := os.Getenv("THRESH_CLUSTER_ENDPOINT")
	if endpoint == "" {
		t.Skip("flink/run.sh and spark/run.sh start a cluster for this test")
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

// TestRunnerSameAsLibrary asks all questions, many in a job, with failing reads.
func TestRunnerSameAsLibrary(t *testing.T) {
	runner := jobServer(t)
	t.Setenv(trialVariable, "fail=0.05")
	all := questions(t, t.TempDir(), questionsAll)
	j := newJob(t, runner, Options{CellBytes: 16 << 10, RangeBytes: 32 << 10})
	for batch := range slices.Chunk(all, jobBatch) {
		began := time.Now()
		receipts := askAll(t, j, batch)
		cells, workers := 0, 0
		for _, r := range receipts {
			cells, workers = cells+r.Cells, max(workers, r.Workers)
		}
		t.Logf("%d questions, %d cells, %d workers: %.1f s", len(batch), cells, workers, time.Since(began).Seconds())
	}
}

// TestFlinkKill kills a task manager while a job scans: the answers are the same.
func TestFlinkKill(t *testing.T) {
	runner := jobServer(t)
	pid, err := strconv.Atoi(os.Getenv("THRESH_CLUSTER_KILL"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(trialVariable, "claim=100ms,fail=0.05")
	var killed time.Time
	j := newJob(t, runner, Options{CellBytes: 16 << 10, RangeBytes: 32 << 10,
		Progress: func(done, all int64) {
			if killed.IsZero() && done > all/5 {
				killed = time.Now()
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			}
		}})
	began := time.Now()
	batch := questions(t, t.TempDir(), jobBatch)
	receipts := askAll(t, j, batch)
	if killed.IsZero() {
		t.Fatal("no task manager was killed")
	}
	t.Logf("%d questions; task manager killed after %.1f s, answers after %.1f s; %s", len(receipts),
		killed.Sub(began).Seconds(), time.Since(began).Seconds(), receipts[0].text())
}
