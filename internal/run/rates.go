package run

import (
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/plan"
)

// limitsBytesMin is the work below which the machine's figures are not looked up: that
// takes a quarter of a millisecond, in which a fast kernel scans several MiB.
const limitsBytesMin = 64 << 20

// rates adds to the facts what is known of the machine, and measures what nobody kept: how
// fast one worker is, and how long another takes to wake up. Measuring is a small part of
// the work, and is left out where it could not change the plan.
func rates(f *source.File, ask inquiry, facts *plan.Facts) {
	bytes := sum(facts.Left)
	if facts.Kind == source.Stream || bytes <= plan.ShareBytesLeast() {
		return
	}
	r := &facts.Rates
	r.Kernel = kernelRate(ask, int(min(max(bytes/probeShare, probeBytesMin), probeBytesMax)))
	if bytes >= limitsBytesMin {
		kept(f, facts)
	}
	if r.WakeSeconds == 0 && facts.Want.Workers == 0 && facts.Threads > 1 && r.Shares(bytes) {
		took, over := wake(r.WakeWorth(bytes))
		r.WakeSeconds, r.WakeOver = took.Seconds(), over
	}
}

// kept adds the figures that thresh limits has kept. Without them the trials will tell.
func kept(f *source.File, facts *plan.Facts) {
	c, err := limits.Load(f.OS().Name())
	if err != nil {
		return
	}
	of := func(f limits.Figure, unit float64) float64 {
		if !f.Usable() {
			return 0
		}
		return f.Median * unit
	}
	r := &facts.Rates
	r.Map, r.Copy, r.CopyOne = of(c.MappedAll, 1e9), of(c.CopyAll, 1e9), of(c.CopyOne, 1e9)
	r.Direct, r.Buffered = of(c.DirectRead, 1e9), of(c.ColdRead, 1e9)
	r.WakeSeconds = of(c.Wake, 1e-9)
	facts.Direct = plan.Ring{Workers: 1, BlockBytes: c.DirectBlockBytes, Depth: c.DirectDepth}
}

// The kernel is measured over a small part of the work, but not over so little that its
// start is all that is seen, and over no more than a cache holds.
const (
	probeShare    = 256
	probeBytesMin = 4 << 10
	probeBytesMax = 128 << 10
)

// kernelRate measures how fast the kernel of an inquiry goes over n bytes in the cache.
func kernelRate(ask inquiry, n int) float64 {
	b := ask.Sample(n)
	ask.speed(b)
	began := time.Now()
	ask.speed(b)
	return float64(len(b)) / max(time.Since(began).Seconds(), 1e-9)
}

// wake measures how long another thread takes to run a goroutine, as a scan wakes its
// workers, and gives up when that is longer than would pay.
//
// The goroutine that was made last is kept for this thread, and stolen from it only after
// a pause. So there are two, and the first is looked at.
func wake(worth time.Duration) (took time.Duration, over bool) {
	var ran atomic.Int64 // nanoseconds until it did
	began := time.Now()
	go func() { ran.Store(int64(max(time.Since(began), 1))) }()
	go func() {}()
	for {
		waited := time.Since(began)
		if took := ran.Load(); took > 0 {
			return time.Duration(took), false
		}
		if waited > worth {
			return waited, true
		}
	}
}
