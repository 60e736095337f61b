// Package scale says how long a job takes on a cluster: by a model of a few lines, and by a simulation that the
// model is compared with.
//
// Workers fetch ranges. A range takes a constant time and the time of its bytes, which a worker scans at its own
// rate, unless the storage that all share is slower: its bandwidth is divided evenly among those that read, except
// that none gets more than it can scan. Some workers are slower than others. An attempt fails with some
// probability, at any point of its bytes; the range is then fetched again, before all others.
package scale

import (
	"fmt"
	"math"
	"strings"
)

// Job is a job on a cluster. Times are in seconds, rates in bytes a second.
type Job struct {
	Bytes      float64
	RangeBytes float64
	Workers    int
	Rate       float64 // of a worker with all its cores
	Storage    float64 // of all workers together
	RangeTime  float64 // of a range, besides its bytes
	JobTime    float64 // to start and to end the job
	Slow       int     // how many of the workers are slow
	SlowTimes  float64 // how many times as long a slow worker takes
	Failing    float64 // probability that an attempt fails
}

// ranges returns how many ranges there are; the last one may be shorter.
func (j *Job) ranges() int { return int(math.Ceil(j.Bytes / j.RangeBytes)) }

// rates returns the rates at which the other workers and the slow ones scan, if level is the most that the storage
// gives each reader.
func (j *Job) rates(level float64) [2]float64 {
	return [2]float64{min(j.Rate, level), min(j.Rate/max(j.SlowTimes, 1), level)}
}

// classes returns how many workers are not slow, and how many are.
func (j *Job) classes() [2]int { return [2]int{j.Workers - j.Slow, j.Slow} }

// The cluster of the table: machines that scan 3 GB a second each, as they can from a network of 25 Gbit/s. The times
// are those of Flink; "make cluster-rate" measures the range's.
const (
	tableRate       = 3e9
	tableRangeBytes = 1 << 30
	tableRangeTime  = 0.01
	tableJobTime    = 30
)

// Table returns what the model says about jobs of several sizes, as a table in Markdown.
func Table() string {
	var b strings.Builder
	storages := []float64{10e9, 100e9, 1000e9}
	b.WriteString("| bytes | workers |")
	for _, s := range storages {
		fmt.Fprintf(&b, " storage of %.0f GB/s |", s/1e9)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(storages)) + "\n")
	for _, bytes := range []float64{1e12, 10e12, 100e12, 1e15} {
		for _, workers := range []int{10, 100, 1000} {
			fmt.Fprintf(&b, "| %.0f TB | %d |", bytes/1e12, workers)
			for _, s := range storages {
				e := Model(Job{Bytes: bytes, RangeBytes: tableRangeBytes, Workers: workers, Rate: tableRate, Storage: s,
					RangeTime: tableRangeTime, JobTime: tableJobTime, SlowTimes: 1})
				fmt.Fprintf(&b, " %s, %s |", duration(e.Time), e.Wall)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// duration writes seconds for people.
func duration(s float64) string {
	switch {
	case s < 300:
		return fmt.Sprintf("%.0f s", s)
	case s < 2*3600:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}
