// Package wall says where the time of a run went: in parts that add up, from counters of the system.
//
// The time of the workers that could run at once, which is min(workers, processors) × wall-clock time, has three
// pools: time without a processor, in the system, and in our own code. Each is divided by what was counted, and what is
// left is charged to what explains it:
//
//	without a processor   CPU quota               the control group was throttled
//	                      the host                stolen from the virtual machine
//	                      other programs          ready to run, as far as others used the processors
//	                      its input, its output   the reader of a stream waited, the writer of the output; for a
//	                                              compressed file, decompression
//	                      starting and ending     workers that had no work yet, or no more
//	                      storage, the network    the rest, by where the bytes came from
//	                      order between workers   the rest, if all bytes were in the page cache
//	in the system         copying                 bytes read / the best rate of copies
//	                      page faults             faults × the cost of a fault
//	                      its output              bytes written / the best rate of copies
//	                      storage, the network    the rest, by where the bytes came from
//	in our own code       the work itself         bytes / its rate on cached bytes; all, if read calls put them there
//	                      decompression, memory   the rest
//
// Threads of the Go runtime also wait for processors when no worker does, and workers wait for each other where they
// are more than the processors: so waiting for a processor counts only as far as other programs used them.
//
// The system splits processor time into its own and ours by sampling every few milliseconds. So the split of a short
// run may be moved by that much toward what copies and faults explain. The cost of copies and faults differs from one
// file to the next by more than their number, so they also share what they explain at least a quarter of.
package wall

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/receipt"
)

const (
	// Small is how long a run must take to be divided: shorter ones have too few samples.
	Small = 20 * time.Millisecond

	sampleTick     = 4 * time.Millisecond  // in which the system looks whether our own code runs, or its own
	busyTick       = 10 * time.Millisecond // in which the processors' busy time is counted, and others are sampled
	quotaShare     = 0.95
	pressureShare  = 0.40
	fetchedShare   = 0.10
	copiedShare    = 0.50
	explainedShare = 0.25
	probeSlack     = 0.15 // how far a probe's rate differs from one run to the next
	memoryMost     = 2.0  // memory may take so many times as long as at its best rate
	pageBytes      = 4 << 10
	hugeFaultBytes = 1 << 20 // how much a fault maps on average if huge pages are in use

	// Assumed without ceilings. Only shares of known time are taken by them, so the order of magnitude suffices.
	assumedFaultNs    = 1000.0
	assumedPageNs     = 100.0 // for each page that a fault maps
	assumedCopyRate   = 10.0  // GB/s, one worker
	assumedMemoryRate = 10.0
)

// Divide completes a receipt with where the time went. Probes may be empty and ceilings nil. It is a pure function.
func Divide(to *receipt.Receipt, c Counters, p Probes, ceilings *limits.Ceilings) {
	r := newRun(c, p, ceilings)
	to.StorageBytes, to.WrittenBytes = r.ReadStorage, r.WriteChars
	if !r.lacks(readBytes) && !r.Remote && !r.Piped && (r.Cached || r.ReadStorage > 0) {
		to.FromMemory()
	}
	to.Evidence = r.evidence()
	switch {
	case r.Wall < Small && r.Skipped > r.Scanned:
		to.Wall = receipt.TooSmall
		to.Verdict = fmt.Sprintf("nothing to wait for, because %s of %s GB were holes, which hold no bytes",
			limits.Number(float64(r.Skipped)/1e9), limits.Number(float64(r.Scanned+r.Skipped)/1e9))
	case r.Wall < Small:
		to.Wall, to.Verdict = receipt.TooSmall, "too small to tell where the time went"
	case r.User+r.System == 0:
		to.Divide(r.total.Seconds(), []receipt.Part{{Wall: receipt.Unknown, Share: 1, High: 1}})
	default:
		to.Divide(r.total.Seconds(), r.divide())
	}
}

// DivideAnswering adds to a receipt what came after reading, when one thread merges and writes results while the others
// have nothing to do: the time in which it had a processor is merging, the rest waiting for the output.
func DivideAnswering(to *receipt.Receipt, lanes float64, c Counters) {
	c.Workers, c.OutputWait = 1, c.Wall
	to.WrittenBytes += c.WriteChars
	r := newRun(c, Probes{}, nil)
	var a account
	busy := r.user + r.system
	idle := 1 - busy
	a.give(receipt.Merging, &busy, 1, 0)
	r.divideIdle(&a, &idle)
	to.Spend(lanes*c.Wall.Seconds(), a.parts...)
}

// run is a run in the terms of the account.
type run struct {
	Counters
	p        Probes
	ceilings *limits.Ceilings

	lanes        int           // workers that could run at once
	total        time.Duration // lanes × wall-clock time
	user, system float64       // shares of the total; together at most 1
	tick         float64       // how far shares may be wrong that are counted by sampling
	rate         float64       // scanned, GB/s
}

func newRun(c Counters, p Probes, ceilings *limits.Ceilings) *run {
	r := &run{Counters: c, p: p, ceilings: ceilings}
	r.Workers = max(1, r.Workers)
	r.lanes = r.Workers
	if r.Processors > 0 {
		r.lanes = min(r.lanes, r.Processors)
	}
	r.total = r.Wall * time.Duration(r.lanes)
	r.tick = min(1, share(busyTick, r.Wall))
	r.rate = perSecond(c.Scanned, c.Wall)
	busy := share(c.User+c.System, r.total)
	by := min(1, busy) / max(busy, 1e-9) // other threads than the workers use processors, too
	r.system = by * r.splitSystem(busy)
	r.user = min(1, busy) - r.system
	return r
}

// others returns how much processor time other programs used at most. Without a count it may be any.
func (r *run) others() time.Duration {
	if r.MachineBusy == 0 {
		return math.MaxInt64 / 2
	}
	return max(0, r.MachineBusy-r.User-r.System) + busyTick*time.Duration(max(1, r.Processors))
}

// trusts reports whether a run may be compared with a figure of the ceilings.
func (r *run) trusts(f limits.Figure) bool {
	return r.ceilings != nil && r.ceilings.StaleReason == "" && f.Usable() && !r.ceilings.Disturbed(f)
}

// bestMemory is n times what one worker reaches, but at most what all reach together.
func (r *run) bestMemory() limits.Figure {
	if r.ceilings == nil {
		return limits.Figure{}
	}
	one, all := r.ceilings.MemoryOne, r.ceilings.MemoryAll
	switch {
	case r.lanes == 1 || all.Samples == 0:
		return one
	case r.lanes >= r.ceilings.Identity.MaxProcs || one.Samples == 0 || one.Median*float64(r.lanes) >= all.Median:
		return all
	}
	one.Median *= float64(r.lanes)
	return one
}

// bestStorage returns the faster of the two ways to read the device.
func (r *run) bestStorage() limits.Figure {
	if r.ceilings == nil {
		return limits.Figure{}
	}
	direct, cold := r.ceilings.DirectRead, r.ceilings.ColdRead
	if direct.Samples == 0 || cold.Usable() && (cold.Median > direct.Median || direct.Noisy) {
		return cold
	}
	return direct
}

// evidence returns the numbers on which the parts are based.
func (r *run) evidence() []string {
	lines := []string{
		fmt.Sprintf("%s on %s for %s: processor time %s in our own code, %s in the system; waiting for a processor %s",
			count(r.Workers, "worker"), count(r.lanes, "processor"), short(r.Wall), short(r.User), short(r.System),
			short(r.RunQueue)),
		fmt.Sprintf("%s GB scanned, %s GB by read calls, %s GB from storage, %d page faults",
			limits.Number(float64(r.Scanned)/1e9), limits.Number(float64(r.ReadChars)/1e9),
			limits.Number(float64(r.ReadStorage)/1e9), r.MinorFaults+r.MajorFaults),
	}
	if r.Throttled > 0 || r.ThrottledPeriods > 0 {
		lines = append(lines, fmt.Sprintf("the control group allows %s processors; stopped in %s, for %s over all processors",
			limits.Number(r.QuotaCPUs), count(r.ThrottledPeriods, "period"), short(r.Throttled)))
	}
	if r.Remote {
		lines = append(lines, fmt.Sprintf("%s, whose answers began after %s; asked for fewer requests %d times",
			count(r.Connections, "connection"), short(r.Latency), r.Refused))
	}
	for _, best := range []struct {
		what string
		rate float64
		limits.Figure
	}{
		{"storage", perSecond(r.ReadStorage, r.Wall), r.bestStorage()},
		{"memory", r.rate, r.bestMemory()},
	} {
		if best.rate > 0 && r.trusts(best.Figure) {
			lines = append(lines, fmt.Sprintf("%s delivered %s GB/s; its best measured rate is %s", best.what,
				limits.Number(best.rate), best.Figure))
		}
	}
	if found := r.p.measured(); found != "" {
		lines = append(lines, "measured with one worker: "+found)
	}
	switch {
	case r.p.Copied > 0:
	case r.ceilings == nil:
		lines = append(lines, "costs of copies and faults are assumed (thresh limits measures them)")
	case r.ceilings.StaleReason != "":
		lines = append(lines, "this machine's limits are stale: "+r.ceilings.StaleReason)
	}
	if r.Wall < 20*busyTick {
		lines = append(lines, "the run is short: which of the processor time is the system's is coarse")
	}
	for _, m := range r.Missing {
		lines = append(lines, "not counted: "+m.Why)
	}
	return lines
}

// measured returns what the probes of the input found.
func (p Probes) measured() string {
	var found []string
	for _, probe := range []struct {
		rate float64
		text string
	}{{p.Cached, "%s GB/s in the cache"}, {p.Mapped, "%s GB/s in memory"}, {p.FaultNanos, "%s ns a page fault"},
		{p.Copied, "copies of %s GB/s"}, {p.Storage, "direct reads of %s GB/s"}} {
		if probe.rate > 0 {
			found = append(found, fmt.Sprintf(probe.text, limits.Number(probe.rate)))
		}
	}
	return strings.Join(found, ", ")
}

func count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func share(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// perSecond returns GB/s.
func perSecond(bytes int64, took time.Duration) float64 {
	if took <= 0 {
		return 0
	}
	return float64(bytes) / float64(took.Nanoseconds())
}

// short rounds a duration to the precision that a reader needs.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}
