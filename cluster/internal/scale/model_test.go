package scale

import "math"

// Estimate is what the model says about a job, in seconds.
type Estimate struct {
	Time        float64
	Least, Most float64 // bounds of Time
	Wall        string  // storage, workers, last ranges or job
}

// Model estimates the time of a job in three steps.
//
// While all workers are busy, an attempt takes a worker t = r + R/x (1 - p/2), where x is the rate at which it gets
// bytes: storage gives all workers together no more than it has. The n ranges need n/(1 - p) attempts, and each
// worker begins one every t: so the last one begins when as many have begun.
//
// Then the ranges that have begun are ended, by fewer and fewer workers. That takes as long as the longest of them
// at the full rate of its worker, or as long as the storage needs for all of them.
//
// Ranges that fail at the end are repeated by workers that have nothing else to do.
func Model(j Job) Estimate {
	all, alone := j.attempts(j.level()), j.attempts(j.Rate)
	throughput, longest := 0.0, 0.0 // attempts a second; seconds
	for i, w := range j.classes() {
		if w > 0 {
			throughput += float64(w) / all[i]
			longest = max(longest, all[i])
		}
	}
	attempts := float64(j.ranges()) / (1 - j.Failing)
	full := attempts / throughput // with all workers busy to the end
	last := lastBegins(attempts, j.classes(), all)
	end, repeats := j.ending(last, attempts, all), j.repeats()
	repeated := alone[0]
	if j.Slow == j.Workers {
		repeated = alone[1]
	}
	e := Estimate{Time: j.JobTime + last + end + repeatShare*repeats*repeated,
		Least: j.JobTime + full, Most: j.JobTime + full + longest*(1+repeats)}
	e.Wall = "workers"
	switch {
	case j.JobTime > e.Time/2:
		e.Wall = "job"
	case full < e.Time/2:
		e.Wall = "last ranges"
	case j.level() < j.Rate:
		e.Wall = "storage"
	}
	return e
}

// repeatShare is how much of the time of a repeated range is not hidden by others: a range fails in the midst of its
// bytes, so that some of the repetition happens while other ranges end.
const repeatShare = 0.65

// attempts returns how long an attempt takes a worker of each class, if storage gives a reader level at most.
func (j *Job) attempts(level float64) (t [2]float64) {
	for i, x := range j.rates(level) {
		t[i] = j.RangeTime + min(j.RangeBytes, j.Bytes)/x*(1-j.Failing/2)
	}
	return t
}

// ending returns how long it takes to end the attempts that have begun when the last one begins.
func (j *Job) ending(last, attempts float64, t [2]float64) (end float64) {
	begin, bytes := attempts, 0.0
	rates := j.rates(j.Rate)
	for i, w := range j.classes() { // those that began earlier
		begin -= float64(w) * math.Ceil(last/t[i]-rounding)
	}
	for i, w := range j.classes() {
		if w == 0 {
			continue
		}
		began := math.Ceil(last/t[i] - rounding)
		n, left := float64(w), (began*t[i]-last)/t[i] // how many are busy, and which share of a range is left
		if left < 2*rounding {                        // they fetch now, as far as there is something
			n, left = min(float64(w), begin), 1
			begin -= n
		}
		if n > 0 {
			end = max(end, left*(j.RangeTime+j.RangeBytes/rates[i]))
			bytes += n * left * j.RangeBytes
		}
	}
	return max(end, bytes/j.Storage)
}

// rounding is how far a number may be from an integer that it should be.
const rounding = 1e-6

// level returns how much of the storage a reader gets at most while all workers are busy.
func (j *Job) level() float64 {
	used := func(level float64) (sum float64) {
		x := j.rates(level)
		for i, w := range j.classes() {
			sum += float64(w) * j.RangeBytes / (j.RangeTime + j.RangeBytes/x[i])
		}
		return sum
	}
	low, high := 0.0, j.Rate
	if used(high) <= j.Storage {
		return high
	}
	for range 60 {
		middle := (low + high) / 2
		if used(middle) > j.Storage {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// lastBegins returns when the last attempt begins, if each worker of a class begins one after the other.
func lastBegins(attempts float64, classes [2]int, attempt [2]float64) float64 {
	begun := func(at float64) (n float64) {
		for i, w := range classes {
			n += float64(w) * (math.Floor(at/attempt[i]+rounding) + 1)
		}
		return n
	}
	low, high := 0.0, attempts*(attempt[0]+attempt[1])
	if begun(0) >= attempts-rounding {
		return 0
	}
	for range 100 {
		middle := (low + high) / 2
		if begun(middle) >= attempts-rounding {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// repeats returns how often the last ranges are repeated: the expected number of failures in a row of that range,
// of those that are scanned last, which has most.
func (j *Job) repeats() (n float64) {
	last := float64(min(j.ranges(), j.Workers))
	for k := 1; ; k++ {
		some := 1 - math.Pow(1-math.Pow(j.Failing, float64(k)), last)
		if n += some; some < 1e-6 {
			return n
		}
	}
}
