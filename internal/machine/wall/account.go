package wall

import (
	"math"
	"time"

	"github.com/thresh-dev/thresh/receipt"
)

// account collects the parts of the time.
type account struct{ parts []receipt.Part }

// give moves a share from a pool of time to a part, at most what the pool has. Slack is how far the share may be wrong.
func (a *account) give(w receipt.Wall, pool *float64, share, slack float64) {
	share = max(0, min(share, *pool))
	low, high := max(0, share-slack), min(share+slack, *pool)
	*pool -= share
	if share <= 0 {
		return
	}
	for i := range a.parts {
		if p := &a.parts[i]; p.Wall == w {
			p.Share, p.Low, p.High = p.Share+share, p.Low+low, min(1, p.High+high)
			return
		}
	}
	a.parts = append(a.parts, receipt.Part{Wall: w, Share: share, Low: low, High: high})
}

// divide divides the time of the workers into parts that add up to 1. There are three pools: the time without a
// processor, that in the system, and that in our own code.
func (r *run) divide() []receipt.Part {
	var a account
	idle, system := max(0, 1-r.user-r.system), r.system
	user := 1 - idle - system
	r.divideIdle(&a, &idle)
	r.divideSystem(&a, &system)
	r.divideUser(&a, &user)
	return a.parts
}

// divideIdle divides the time in which workers did not run. What is counted comes first, and whatever is left is
// charged to what the bytes came from.
func (r *run) divideIdle(a *account, idle *float64) {
	quota := share(r.Throttled, r.total)
	if used := share(r.User+r.System, r.Wall); r.ThrottledPeriods > 0 && r.QuotaCPUs > 0 &&
		r.QuotaCPUs < float64(r.lanes) && used >= quotaShare*r.QuotaCPUs {
		quota = 1 // a group that is stopped briefly and often has little throttling counted
	}
	a.give(receipt.Quota, idle, quota, 0)
	a.give(receipt.Host, idle, share(r.Stolen, r.total), r.tick)
	// The reader of a stream, or the writer, holds up those that have nothing to do meanwhile. It waits for a processor
	// after that, and other threads may do so meanwhile: of the time that both claim, each gets half.
	input, waited, blocked := r.source(), share(r.InputWait, r.Wall), share(r.OutputWait, r.Wall)
	queued := share(min(r.RunQueue, r.others()), r.total)
	both := min(queued, max(0, queued+max(waited, blocked)-max(0, *idle)))
	a.give(receipt.OtherPrograms, idle, queued-both/2, r.tick+both/2)
	switch {
	case r.Decompressed:
		input = receipt.Decompression
	case r.Piped:
		input = receipt.Input
	}
	if blocked > waited { // each may have caused the other; the longer one did
		a.give(receipt.Output, idle, blocked, r.tick)
	}
	a.give(input, idle, waited, r.tick)
	a.give(receipt.Output, idle, blocked, r.tick)
	if r.Worked > 0 {
		ends := receipt.Ends
		if r.Piped {
			ends = receipt.Input // workers begin with the first bytes
		}
		a.give(ends, idle, 1-share(r.Worked, r.Wall*time.Duration(r.Workers)), 0)
	}
	a.give(r.source(), idle, 1, *idle)
}

// source returns what workers waited for that no counter explains otherwise.
func (r *run) source() receipt.Wall {
	switch {
	case r.Refused > 0:
		return receipt.Throttling
	case r.Remote:
		return receipt.Network
	case r.ReadStorage > 0, r.MajorFaults > 0, share(r.PressureIO, r.Wall) >= pressureShare:
		return receipt.Storage
	case (r.Cached || r.Piped) && !r.lacks(runQueue):
		return receipt.Order // there was nothing else to wait for
	}
	return receipt.Unknown
}

// divideSystem divides the time in the system by how much of it copies, faults and writing explain.
func (r *run) divideSystem(a *account, system *float64) {
	copying, faulting, writing := r.copies(r.ReadChars), r.faults(), r.copies(r.WriteChars)
	explained := copying + faulting + writing
	by := 1.0
	if explained > *system || explained >= explainedShare**system && !r.Remote && !r.fetched() {
		// The estimates are rough: what a copy costs depends on the size of its pages.
		by = *system / max(explained, 1e-9)
	}
	for _, p := range []struct {
		wall  receipt.Wall
		share float64
	}{{receipt.Copying, copying}, {receipt.PageFaults, faulting}, {receipt.Output, writing}} {
		a.give(p.wall, system, p.share*by, max(p.share*by-p.share, p.share-p.share*by)+min(r.tick, p.share*by))
	}
	rest := receipt.Unknown
	switch {
	case r.Remote:
		rest = receipt.Network
	case r.fetched():
		rest = receipt.Storage // getting pages for it, and making requests
	}
	a.give(rest, system, 1, r.tick)
}

// divideUser divides the time in our own code: the work itself at the rate that it has on cached bytes, and
// memory or the decompressor beyond that.
func (r *run) divideUser(a *account, user *float64) {
	known := r.p.Cached > 0 && !r.Keeps
	work := r.rate / max(r.p.Cached*float64(r.lanes), 1e-9)
	if own := r.ownTime(); own > max(*user, 0) { // the probes ran at a slower moment than the run
		work *= *user / own
	}
	switch {
	case r.Decompressed && known:
		a.give(receipt.Work, user, work, probeSlack*work)
		a.give(receipt.Decompression, user, 1, probeSlack*work)
	case r.Decompressed:
		a.give(receipt.Decompression, user, 1, *user)
	case !known || r.copied(): // bytes that were copied are in the processor's cache
		a.give(receipt.Work, user, 1, r.tick)
	default:
		a.give(receipt.Work, user, work, probeSlack*work)
		a.give(receipt.Memory, user, memoryMost*r.memory(work), probeSlack*work)
		if r.fetched() { // the host of a virtual machine provides memory at the first touch
			a.give(receipt.Storage, user, 1, *user)
		}
		a.give(receipt.Unknown, user, 1, *user)
	}
}

// memory estimates the share of the time that memory adds to the work, at its best: what the probe of mapped pages
// took longer than that of cached bytes, or the time that memory takes for the bytes alone.
func (r *run) memory(work float64) float64 {
	if r.p.Mapped > 0 {
		return max(0, r.rate/(r.p.Mapped*float64(r.lanes))-work)
	}
	if figure := r.bestMemory(); r.trusts(figure) {
		return r.rate / figure.Median
	}
	return r.rate / (assumedMemoryRate * float64(r.lanes))
}

// splitSystem returns the share of the time in the system: the counters have it by sampling, and so it may be moved
// toward what copies, faults and writing explain, as far as samples may be wrong.
func (r *run) splitSystem(busy float64) float64 {
	explained, slack := r.copies(r.ReadChars)+r.faults()+r.copies(r.WriteChars), r.tick
	if own := r.ownTime(); own > 0 { // both sides are measured, so what others add to them cancels out
		explained *= busy / max(explained+own, 1e-9)
		part := share(r.System, r.User+r.System)
		samples := max(1, float64(r.User+r.System)/float64(sampleTick))
		slack = max(slack, 2*busy*math.Sqrt(max(part*(1-part), 1/samples)/samples))
	}
	system := share(r.System, r.total)
	return max(0, min(busy, max(system-slack, min(explained, system+slack))))
}

// ownTime estimates the share of the time that our own code takes by what the probes measured: on bytes of a mapping in
// memory, and on those that were copied. It returns 0 if they do not explain all of it.
func (r *run) ownTime() float64 {
	mapped := max(0, r.Scanned-r.ReadChars)
	if !r.Cached || r.Keeps || r.Decompressed || r.p.Copied == 0 || r.WriteChars > r.Scanned/64 ||
		mapped > r.Scanned/64 && (r.p.Mapped == 0 || r.p.FaultNanos == 0) {
		return 0
	}
	nanos := float64(r.Scanned-mapped) / r.p.Cached
	if r.p.Mapped > 0 {
		nanos += float64(mapped) / r.p.Mapped
	}
	return share(time.Duration(nanos), r.total)
}

// copies estimates the share of the time that copying so many bytes into or out of the system takes.
func (r *run) copies(bytes int64) float64 {
	rate := assumedCopyRate
	switch {
	case r.p.Copied > 0:
		rate = r.p.Copied
	case r.ceilings != nil && r.ceilings.CopyOne.Median > 0:
		rate = r.ceilings.CopyOne.Median
	}
	return share(time.Duration(float64(bytes)/rate), r.total)
}

// faults estimates the share of the time that page faults take.
func (r *run) faults() float64 {
	each := float64(r.Scanned) / float64(max(r.MinorFaults, 1))
	cost := assumedFaultNs + assumedPageNs*min(each, hugeFaultBytes)/pageBytes
	if r.p.FaultNanos > 0 {
		cost = r.p.FaultNanos
	} else if r.ceilings != nil {
		figure := r.ceilings.FaultSmall
		if r.MinorFaults > 0 && each >= hugeFaultBytes {
			figure = r.ceilings.FaultHuge
		}
		if figure.Median > 0 {
			cost = figure.Median
		}
	}
	return share(time.Duration(float64(r.MinorFaults+r.MajorFaults)*cost), r.total)
}

// copied reports whether the bytes came through read calls.
func (r *run) copied() bool { return float64(r.ReadChars) >= copiedShare*float64(r.Scanned) }

// fetched reports whether much of the bytes came from storage.
func (r *run) fetched() bool {
	return r.ReadStorage > 0 && float64(r.ReadStorage) >= fetchedShare*float64(r.Scanned)
}
