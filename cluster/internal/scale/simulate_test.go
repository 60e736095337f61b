package scale

import (
	"container/heap"
	"math"
	"math/rand/v2"
)

// Simulate returns how long a job takes if every event happens: the same seed gives the same time.
//
// A worker waits for the constant time of its range, then reads. All readers of a class read at one rate, so the
// bytes that any of them has read since the beginning of the job (its class's distance) order their ends. Rates
// change only when a reader begins or ends.
func Simulate(j Job, seed uint64) float64 {
	s := &simulation{job: j, rand: rand.New(rand.NewPCG(seed, 1)), left: j.ranges()}
	s.rest = j.Bytes - float64(s.left-1)*j.RangeBytes
	for class, n := range j.classes() {
		for range n {
			s.next(class)
		}
	}
	for s.step() {
	}
	return j.JobTime + s.now
}

type simulation struct {
	job      Job
	rand     *rand.Rand
	now      float64
	left     int       // ranges that no worker has fetched
	rest     float64   // bytes of the last of them
	failed   []float64 // bytes of ranges that failed
	idle     [2]int
	waiting  queue    // by time
	reading  [2]queue // by distance of the class
	distance [2]float64
}

// attempt is an attempt to scan a range.
type attempt struct {
	at    float64 // when it ends to wait, or at which distance to read
	class int
	bytes float64
	fails bool
}

// next lets a worker fetch a range.
func (s *simulation) next(class int) {
	a := attempt{at: s.now + s.job.RangeTime, class: class, bytes: s.job.RangeBytes}
	switch n := len(s.failed); {
	case n > 0:
		a.bytes, s.failed = s.failed[n-1], s.failed[:n-1]
	case s.left == 0:
		s.idle[class]++
		return
	default:
		if s.left--; s.left == 0 {
			a.bytes = s.rest
		}
	}
	a.fails = s.rand.Float64() < s.job.Failing
	heap.Push(&s.waiting, a)
}

// step goes on to the next event. It returns false at the end.
func (s *simulation) step() bool {
	rates := s.rates()
	next, class := math.Inf(1), -1 // -1: an attempt ends to wait
	if len(s.waiting) > 0 {
		next = s.waiting[0].at
	}
	for i, q := range s.reading {
		if len(q) > 0 {
			if at := s.now + (q[0].at-s.distance[i])/rates[i]; at < next {
				next, class = at, i
			}
		}
	}
	if math.IsInf(next, 1) {
		return false
	}
	for i := range s.distance {
		s.distance[i] += rates[i] * (next - s.now)
	}
	s.now = next
	if class < 0 {
		a := heap.Pop(&s.waiting).(attempt)
		a.at = s.distance[a.class] + a.bytes
		if a.fails {
			a.at = s.distance[a.class] + a.bytes*s.rand.Float64()
		}
		heap.Push(&s.reading[a.class], a)
		return true
	}
	a := heap.Pop(&s.reading[class]).(attempt)
	s.distance[class] = a.at // free of rounding
	if a.fails {
		s.failed = append(s.failed, a.bytes)
		for i := range s.idle { // a worker that is not slow first
			if s.idle[i] > 0 {
				s.idle[i]--
				s.next(i)
				break
			}
		}
	}
	s.next(a.class)
	return true
}

// rates returns the rate of a reader of each class.
func (s *simulation) rates() [2]float64 {
	n := [2]float64{float64(len(s.reading[0])), float64(len(s.reading[1]))}
	most := s.job.rates(math.Inf(1))
	level := s.job.Storage / max(n[0]+n[1], 1)
	if level > most[1] && n[0] > 0 { // slow readers leave the others some of their share
		level = (s.job.Storage - n[1]*most[1]) / n[0]
	}
	return s.job.rates(level)
}

// queue is a heap of attempts.
type queue []attempt

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, k int) bool { return q[i].at < q[k].at }
func (q queue) Swap(i, k int)      { q[i], q[k] = q[k], q[i] }
func (q *queue) Push(a any)        { *q = append(*q, a.(attempt)) }
func (q *queue) Pop() any {
	old := *q
	a := old[len(old)-1]
	*q = old[:len(old)-1]
	return a
}
