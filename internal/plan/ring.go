package plan

import (
	"fmt"
	"math"
	"strings"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// The uring engine has three parameters: the number of workers, the reads that each keeps in
// flight, and their size. The best values depend on the storage. The plan finds them by hill
// climbing: it starts at a setting that is usually good, or that `thresh limits` found best here,
// and tries the neighbouring settings one by one on pieces of the real work. It goes on from the
// first one that is clearly faster.

// Ring is a setting of the uring engine.
type Ring struct{ Workers, BlockBytes, Depth int }

// flightBytes returns the bytes in flight, all workers together.
func (r Ring) flightBytes() int64 { return int64(r.Workers) * int64(r.Depth) * int64(r.BlockBytes) }

func (r Ring) String() string {
	workers := "1 worker"
	if r.Workers > 1 {
		workers = fmt.Sprintf("%d workers", r.Workers)
	}
	return fmt.Sprintf("%s, %d reads of %s in flight", workers, r.Depth, bytesize.Short(int64(r.BlockBytes)))
}

var (
	// With direct reads of this size most devices reach their full rate at a moderate depth,
	// and there are few completions to handle.
	ringBlockBytes = threshold.NewMultiple("plan: direct read", 512*kib, 4*kib, 4*kib)
	ringDepth      = threshold.New("plan: direct reads in flight", 16, 2)
)

const (
	ringWorkersMax = 4 // at the start; more are tried if the kernel is slow

	// Bounds of the climb. Smaller reads cost more processor time than they gain, and a read
	// is never larger than a piece.
	ringBlockBytesMin, ringBlockBytesMax = 16 * kib, 2 * mib
	ringDepthMin, ringDepthMax           = 2, 1024

	// ringFaster is how many times as fast another setting must be to replace the best so far.
	ringFaster = 1.1
	// A trial reads several times the bytes in flight. A shorter one would mostly measure the
	// start and the end.
	ringTrialFlights = 4
	// If the rates of storage and kernel differ by this factor, only the slower one is the wall.
	ringSlack = 1.25
)

// Ring returns the lane's setting. It is only meaningful for the uring engine.
func (l Lane) Ring() Ring { return Ring{l.Workers, l.Config.BlockBytes, l.Config.Depth} }

// set gives a lane of the uring engine its setting.
func (l *Lane) set(r Ring) {
	l.Workers, l.Config.BlockBytes, l.Config.Depth = r.Workers, r.BlockBytes, r.Depth
}

// ringWorkers returns how many workers to start with, and whether that number is fixed. A kernel
// that is slower than the storage needs more of them.
func (f Facts) ringWorkers() (n int, settled bool) {
	switch {
	case f.twoLanes():
		return 1, true // the cached lane has the other workers
	case f.Want.Workers > 0:
		return f.Want.Workers, true
	}
	n = ringWorkersMax
	if f.Rates.Kernel > 0 {
		n = max(n, int(math.Ceil(ringSlack*f.Rates.Direct/f.Rates.Kernel)))
	}
	return min(n, workers(f)), false
}

// ringStart returns the setting to start with. It respects the memory bound.
func (f Facts) ringStart() Ring {
	r := Ring{BlockBytes: ringBlockBytes.Get(), Depth: ringDepth.Get()}
	r.Workers, _ = f.ringWorkers()
	if d := f.Direct; d.Depth > 0 && d.BlockBytes > 0 {
		// Blocks are visited in order, so completed reads wait for earlier ones. Twice the
		// depth that keeps the storage busy makes up for them.
		r.BlockBytes = min(max(d.BlockBytes, ringBlockBytesMin), ringBlockBytesMax)
		r.Depth = min(max(2*d.Depth, ringDepthMin), ringDepthMax)
	}
	l := Lane{Engine: Uring}
	l.set(r)
	if fit(&l, f, r.Workers) != nil {
		return r // Decide returns the error
	}
	return l.Ring()
}

// neighbours returns the settings next to r, those that help most often first: more reads,
// smaller or larger reads with the same number of bytes in flight, more or fewer workers.
func (f Facts) neighbours(r Ring) (out []Ring) {
	_, settled := f.ringWorkers()
	near := []Ring{
		{r.Workers, r.BlockBytes, 4 * r.Depth},
		{r.Workers, r.BlockBytes / 4, 4 * r.Depth},
		{r.Workers, 4 * r.BlockBytes, r.Depth / 4},
	}
	byKernel := f.Rates.Kernel > 0 && ringSlack*f.ringRate(r) > f.Rates.Kernel*float64(r.Workers)
	if byKernel {
		near = nil // storage is not the bottleneck
	}
	if !settled {
		near = append(near, Ring{2 * r.Workers, r.BlockBytes, r.Depth})
	}
	if !settled && !byKernel {
		near = append(near, Ring{r.Workers / 2, r.BlockBytes, r.Depth})
	}
	for _, n := range near {
		l := Lane{Engine: Uring}
		l.set(n)
		if n.BlockBytes < ringBlockBytesMin || n.BlockBytes > ringBlockBytesMax || n.Depth < ringDepthMin ||
			n.Depth > ringDepthMax || n.Workers < 1 || n.Workers > max(f.Threads, 1) && !settled ||
			fit(&l, f, n.Workers) != nil || l.Ring() != n {
			continue
		}
		out = append(out, n)
	}
	return out
}

// climb returns the best setting so far, and the next one to try if there is one.
func (f Facts) climb(ranges []source.Range) (best, next Ring, try bool) {
	start := f.ringStart()
	if f.ringTrials(start) == 0 {
		return start, start, f.affords(start, ranges)
	}
	best = start
	for _, t := range f.Tried {
		if t.Engine == Uring && t.Rate() > ringFaster*f.ringRate(best) {
			best = t.Ring
		}
	}
	if r := f.Rates.Direct; r > 0 && f.ringRate(best) >= r {
		return best, next, false
	}
	for _, n := range f.neighbours(best) {
		if f.ringTrials(n) == 0 && f.affords(n, ranges) {
			return best, n, true
		}
	}
	// The first trial may have waited for threads to start, so it gets a second chance.
	return best, start, best != start && f.ringTrials(start) == 1 && f.affords(start, ranges)
}

// affords reports whether, with one more trial of direct reads, all trials still are a small part of
// the work.
func (f Facts) affords(r Ring, ranges []source.Range) bool {
	spent := f.ringTrialBytes(r)
	for _, t := range f.Tried {
		spent += t.Bytes
	}
	return spent*trialShare <= spent-f.ringTrialBytes(r)+source.TotalBytes(ranges)
}

func (f Facts) ringTrialBytes(r Ring) int64 {
	return max(int64(trialRingBytes.Get()), ringTrialFlights*r.flightBytes())
}

func (f Facts) ringTrials(r Ring) (n int) {
	for _, t := range f.Tried {
		if t.Engine == Uring && t.Ring == r {
			n++
		}
	}
	return n
}

// ringRate returns the best rate of a setting, 0 if it was not tried.
func (f Facts) ringRate(r Ring) (best float64) {
	for _, t := range f.Tried {
		if t.Engine == Uring && t.Ring == r {
			best = max(best, t.Rate())
		}
	}
	return best
}

// ring completes a lane of the uring engine: the result is a trial of the next setting, or the
// lane with the best setting.
func (f Facts) ring(l Lane) (d Decision) {
	best, next, try := f.climb(l.Ranges)
	if try {
		n := f.ringTrialBytes(next)
		l.Ranges = head(l.Ranges, n)
		l.set(next)
		return Decision{Trial: true, Lanes: []Lane{l},
			Reasons: []string{fmt.Sprintf("try uring on %s: %v", bytesize.Short(n), next)}}
	}
	l.set(best)
	return Decision{Lanes: []Lane{l}, Reasons: []string{fmt.Sprintf("uring: %v: %s", best, f.ringReason(best))}}
}

// ringReason returns why a setting was chosen.
func (f Facts) ringReason(best Ring) string {
	var tried []string
	for _, t := range f.Tried {
		if t.Engine == Uring && t.Ring.Depth > 0 {
			tried = append(tried, fmt.Sprintf("%d of %s by %d: %s", t.Ring.Depth,
				bytesize.Short(int64(t.Ring.BlockBytes)), t.Ring.Workers, rate(t.Rate())))
		}
	}
	switch {
	case len(tried) > 1:
		return "tried " + strings.Join(tried, ", ")
	case f.Rates.Direct > 0 && f.ringRate(best) >= f.Rates.Direct:
		return fmt.Sprintf("%s, the full measured rate of the storage", rate(f.ringRate(best)))
	case f.Direct.Depth > 0:
		return "the best when this machine was measured; too little work to try others"
	}
	return "usually the best; too little work to try others"
}
