// Package scale says how long a job takes on a cluster: by a model of a few lines, and by a simulation that the
// model is compared with.
//
// Workers fetch ranges. A range takes a constant time and the time of its bytes, which a worker scans at its own
// rate, unless the storage that all share is slower: its bandwidth is divided evenly among those that read, except
// that none gets more than it can scan. Some workers are slower than others. An attempt fails with some
// probability, at any point of its bytes; the range is then fetched again, before all others.
package scale

import "math"

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
