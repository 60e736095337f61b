// Command rate measures what a cluster adds to the work: how fast a worker scans its ranges beside the library on
// the same machine, and what a range and a job cost on the embedded runner. It writes a file of text into the user's
// cache folder, which stays in the page cache, and removes it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/cluster"
	"github.com/thresh-dev/thresh/internal/quantile"
	"github.com/thresh-dev/thresh/internal/run"
)

func main() {
	mebibytes := flag.Int64("mib", 4096, "size of the file")
	cell := flag.Int64("cell-mib", 0, "size of the job's cells; 0: as thresh cluster has them")
	rounds := flag.Int("rounds", 7, "how often each way is measured, in turn")
	flag.Parse()
	if err := measure(context.Background(), os.Stdout, *mebibytes<<20, *cell<<20, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "rate:", err)
		os.Exit(1)
	}
}

const line = "2026-11-23T10:00:00 INFO user=17 status=200 a line of a log, as long as such lines usually are\n"

// measure prints the figures.
func measure(ctx context.Context, to io.Writer, size, cell int64, rounds int) (err error) {
	cluster.Quiet()
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(cache, "thresh-cluster-rate-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	runner, err := cluster.Embedded(ctx)
	if err != nil {
		return err
	}
	large, small := filepath.Join(folder, "large"), filepath.Join(folder, "small")
	if err := errors.Join(write(large, size), write(small, smallRanges*rangeBytes)); err != nil {
		return err
	}
	var library, worker, whole, one, many []float64
	for range rounds + 1 { // the first round only warms up
		took, lines, err := countAlone(ctx, large)
		if err != nil {
			return err
		}
		library = append(library, float64(size)/took)
		r, err := count(ctx, runner, cluster.Options{CellBytes: cell, RangeBytes: size}, large, lines)
		if err != nil {
			return err
		}
		worker, whole = append(worker, float64(r.Bytes)/r.Busy), append(whole, r.Seconds)
		for bytes, took := range map[int64]*[]float64{rangeBytes: &many, smallRanges * rangeBytes: &one} {
			o := cluster.Options{CellBytes: bytes, RangeBytes: bytes}
			if r, err = count(ctx, runner, o, small, -1); err != nil {
				return err
			}
			*took = append(*took, r.Seconds)
		}
	}
	ratios := make([]float64, rounds+1)
	for i := range ratios {
		ratios[i] = worker[i] / library[i]
	}
	_, err = fmt.Fprintf(to, "%d MiB of text, cached; lines counted; median of %d rounds, and the range\n"+
		"library        %s GB/s\nworker         %s GB/s, %s of the library\nthe same job   %s s\n"+
		"a job of %d ranges of %d KiB takes %s s; as one range %s s\n",
		size>>20, rounds, spread(library[1:], 1e9, 1), spread(worker[1:], 1e9, 1), spread(ratios[1:], 1, 2),
		spread(whole[1:], 1, 2), smallRanges, rangeBytes>>10, spread(many[1:], 1, 3), spread(one[1:], 1, 3))
	return err
}

// The small file has many small ranges, to see what a range costs.
const (
	smallRanges = 1000
	rangeBytes  = 4 << 10
)

// write writes a file of lines.
func write(name string, size int64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	block := []byte(strings.Repeat(line, 8<<20/len(line)))
	for left := size; left > 0 && err == nil; left -= int64(len(block)) {
		_, err = f.Write(block[:min(left, int64(len(block)))])
	}
	return errors.Join(err, f.Close())
}

// countAlone counts the lines of a file as thresh does.
func countAlone(ctx context.Context, name string) (seconds float64, lines int64, err error) {
	in, err := run.Open(name, false)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	report, err := run.Count(ctx, in, run.Lines(), run.Options{})
	return time.Since(began).Seconds(), report.Hits, errors.Join(err, in.Close())
}

// count counts the lines of a file by a job; want is how many there must be, -1 for any number.
func count(ctx context.Context, runner *cluster.Runner, o cluster.Options, name string, want int64) (
	cluster.Receipt, error) {
	job, err := cluster.NewJob(runner, o)
	if err != nil {
		return cluster.Receipt{}, err
	}
	defer job.Close()
	in, err := run.Open(name, false)
	if err != nil {
		return cluster.Receipt{}, err
	}
	executor := cluster.NewExecutor(job)
	report, err := run.Count(run.With(ctx, executor), in, run.Lines(), run.Options{})
	if want >= 0 && report.Hits != want {
		err = errors.Join(err, fmt.Errorf("the job counted %d lines, the library %d", report.Hits, want))
	}
	return executor.Last, errors.Join(err, in.Close())
}

// spread returns the median of values, and the least and the greatest.
func spread(values []float64, unit float64, digits int) string {
	text := func(v float64) string { return fmt.Sprintf("%.*f", digits, v/unit) }
	return fmt.Sprintf("%s (%s to %s)", text(quantile.Median(values)), text(slices.Min(values)), text(slices.Max(values)))
}
