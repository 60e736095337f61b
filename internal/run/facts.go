package run

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/scan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// facts gathers everything that the plan needs to know about a range of an input.
func facts(in *Input, ask request, o Options, span source.Range) (plan.Facts, error) {
	if in.file.Kind == source.Remote {
		f := knownFacts(in, ask, o)
		f.Left = []source.Region{{Range: span}}
		return f, nil
	}
	ahead := ask.Context(in.file.Kind)
	left, unknown, err := scan.Regions(in.file, o.reach(in.file, span, ahead), ask.SkipHoles, ahead)
	if err != nil {
		return plan.Facts{}, fmt.Errorf("holes of %s: %w", in.Name(), err)
	}
	left = cutRegions(left, span.End)
	f := knownFacts(in, ask, o)
	f.Left, f.Unknown = left, unknown
	rates(in.file, ask, &f)
	refuse(in.file, &f)
	f.Keep, f.KeepReason = keep(in.file, left, o.Cache)
	return f, nil
}

// knownFacts returns the facts that are known without a look at the input.
func knownFacts(in *Input, ask request, o Options) plan.Facts {
	base := ask.Base
	if in.compressed != nil {
		base = cmp.Or(base, plan.BaseBytes) // for windows
	}
	return plan.Facts{
		Name: in.Name(), Kind: in.file.Kind, Threads: runtime.GOMAXPROCS(0),
		Pair: ask.pair, Ahead: ask.Context(in.file.Kind), Lines: ask.Lines, InOrder: ask.InOrder,
		Worker: ask.Worker, Base: base,
		Want: plan.Want{Engine: string(o.Engine), Workers: o.Workers, ChunkBytes: o.ChunkBytes, MemBytes: o.MemoryBytes,
			MemWhy: o.memoryWhy, FewerWhy: o.fewerWhy},
	}
}

// uncached returns how many bytes are not in the page cache.
func uncached(left []source.Region) (n int64) {
	for _, r := range left {
		if !r.Cached {
			n += r.Len()
		}
	}
	return n
}

// ringBytesMin is the uncached work below which the kernel is not asked for a ring: creating
// one takes longer than reading that much.
var ringBytesMin = threshold.New("run: uncached work that a ring is asked for", 1<<20, 1)

const noFile = "it is not a file of the system"

// refuse adds to the facts which engines cannot read an input, as far as the plan may consider them.
func refuse(f *source.File, facts *plan.Facts) {
	for _, e := range catalog.All {
		if why := refusal(e, f, facts); why != "" {
			facts.Refuse(e.Name, why)
		}
	}
}

// refusal returns why an engine cannot read an input; "" if it can, or if the plan will not consider it.
func refusal(e *catalog.Descriptor, f *source.File, facts *plan.Facts) string {
	switch {
	case f.Kind == source.Stream || !e.File:
		return ""
	case f.OS() == nil:
		return noFile
	case f.Kind == source.Regular && f.Bytes == 0:
		return "an empty file has nothing to read"
	case e.Probe == nil || e.Past && facts.Want.Engine != e.Name && uncached(facts.Left) < int64(ringBytesMin.Get()):
		return ""
	}
	if err := e.Probe(f); err != nil {
		return reason(err)
	}
	return ""
}

// reason returns why an engine refused, without its name and that of the input.
func reason(err error) string {
	var refused *failure.EngineError
	if !errors.As(err, &refused) {
		return err.Error()
	}
	if refused.Err == nil {
		return refused.Reason
	}
	return fmt.Sprintf("%s: %v", refused.Reason, refused.Err)
}

// limitsBytesMin is the work below which the machine's measured limits are not looked up: that
// takes a quarter of a millisecond, in which a fast kernel scans several MiB.
const limitsBytesMin = 64 << 20

// rates adds the machine's known speeds to the facts, and measures two that are not known: how
// fast one worker is, and how long it takes to wake another. The measurement is a small part of
// the work, and is skipped if it cannot change the plan.
func rates(f *source.File, ask request, facts *plan.Facts) {
	bytes := source.TotalBytes(facts.Left)
	if facts.Kind == source.Stream || facts.Kind == source.Remote || bytes <= plan.ShareBytesLeast() {
		return
	}
	r := &facts.Rates
	r.Kernel = kernelRate(ask, int(min(max(bytes/probeShare, probeBytesMin), probeBytesMax)))
	if bytes >= limitsBytesMin {
		addLimits(f, facts)
	}
	if r.WakeSeconds == 0 && facts.Want.Workers == 0 && facts.Threads > 1 && r.Shares(bytes) {
		took, over := wake(r.WakeWorth(bytes))
		r.WakeSeconds, r.WakeOver = took.Seconds(), over
	}
}

// addLimits adds the figures that thresh limits has saved. Without them the trials will tell.
func addLimits(f *source.File, facts *plan.Facts) {
	c, err := ceilings(f)
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

// ceilings returns the saved limits of the machine and of the storage that an input is on.
func ceilings(f *source.File) (*limits.Ceilings, error) {
	path := f.Path()
	if path == "" {
		return nil, limits.ErrNone
	}
	return limits.Load(path)
}

// The kernel is measured on a small part of the work, but not on so little that only its start
// is seen, and on no more than fits into a cache.
const (
	probeShare    = 256
	probeBytesMin = 4 << 10
	probeBytesMax = 128 << 10
)

// kernelRate measures how fast a request's kernel scans n bytes in the cache.
func kernelRate(ask request, n int) float64 {
	b := ask.Sample(n)
	ask.speed(b)
	began := time.Now()
	ask.speed(b)
	return float64(len(b)) / max(time.Since(began).Seconds(), 1e-9)
}

// wake measures how long another thread takes to run a goroutine, as a scan wakes its
// workers, and gives up when that is longer than would pay.
//
// The scheduler keeps the newest goroutine for this thread, and others steal it only after a
// pause. So there are two goroutines, and the first one is timed.
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
