package wall

import (
	"fmt"
	"runtime"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/receipt"
)

// Assumed costs of kernel work, used without ceilings. Only the larger of two estimates matters, so
// the order of magnitude suffices.
const (
	assumedFaultNs  = 1000
	assumedCopyRate = 10.0 // GB/s, one worker
)

// hugeFaultBytes is how much a fault maps on average if huge pages are in use.
const hugeFaultBytes = 1 << 20

// kernelTime distinguishes copies from faults by how much of the kernel's time each explains.
func kernelTime(r *run) (Verdict, bool) {
	if share(r.System, r.User+r.System) < kernelShare {
		return Verdict{}, false
	}
	copying, faulting := share(r.copyTime(r.ReadChars), r.System), share(r.faultTime(), r.System)
	writing := share(r.copyTime(r.WriteChars), r.System)
	evidence := []string{fmt.Sprintf("of the kernel's time, copies explain %s, faults %s, and writing the output %s",
		percent(min(1, copying)), percent(min(1, faulting)), percent(min(1, writing)))}
	switch {
	case max(copying, faulting, writing) < explainedShare:
		return r.fetched(Verdict{
			Wall:      receipt.WallUnclear,
			Sentence:  "unclear: the kernel worked on something other than copies and page faults",
			Evidence:  evidence,
			Undecided: !r.probed(),
		}), true
	case writing > max(copying, faulting):
		return Verdict{
			Wall: receipt.WallOutput,
			Sentence: fmt.Sprintf("output: the kernel needed %s of the time to write the results, %s GB/s",
				percent(r.system), limits.Number(perSecond(r.WriteChars, r.Wall))),
			Evidence: evidence,
		}, true
	case copying >= faulting:
		v := Verdict{Wall: receipt.WallKernelCopy, Evidence: evidence}
		return r.against(v, "kernel copy", perSecond(r.ReadChars, r.Wall), r.bestCopy(),
			"this machine's best rate for copies from the page cache"), true
	}
	v := r.faultVerdict(evidence)
	if v.Fraction > 0 && v.Fraction < farShare {
		// Most of the time went elsewhere. In a short run, the system's split of the time is too
		// coarse to prove the opposite.
		if !r.probed() {
			v.Undecided = true
		} else if r.rate >= probedShare*r.p.Touch && r.p.Touch > 0 {
			return userTime(r)
		}
	}
	return v, true
}

// copyTime estimates the processor time of copying so many bytes into or out of the kernel.
func (r *run) copyTime(bytes int64) time.Duration {
	rate := assumedCopyRate
	switch {
	case r.p.Read > 0:
		rate = r.p.Read / float64(r.lanes)
	case r.ceilings != nil && r.ceilings.CopyOne.Median > 0:
		rate = r.ceilings.CopyOne.Median
	}
	return time.Duration(float64(bytes) / rate)
}

// faultTime estimates the processor time of the page faults.
func (r *run) faultTime() time.Duration {
	cost := float64(assumedFaultNs)
	if f := r.faultCost(); f.Median > 0 {
		cost = f.Median
	}
	estimate := time.Duration(float64(r.MinorFaults+r.MajorFaults) * cost)
	// Mapping everything with one call does the same work, except for entering the kernel each
	// time.
	if r.p.Populate > 0 && r.MinorFaults > 0 && r.ReadChars < r.Scanned/2 {
		estimate = max(estimate, time.Duration(float64(r.Scanned)/r.p.Populate))
	}
	return estimate
}

// faultCost is the measured cost of faults like those of this run.
func (r *run) faultCost() limits.Figure {
	if r.ceilings == nil {
		return limits.Figure{}
	}
	if r.MinorFaults > 0 && !r.smallFaults() {
		return r.ceilings.FaultHuge
	}
	return r.ceilings.FaultSmall
}

// faultVerdict says which share of the time went into mapping pages, and what memory would allow if each fault
// mapped more of them.
func (r *run) faultVerdict(evidence []string) Verdict {
	faults := r.MinorFaults + r.MajorFaults
	each := float64(r.Scanned) / float64(faults)
	v := Verdict{Wall: receipt.WallPageFaults, Evidence: evidence}
	took := "up to " + percent(r.system)
	if cost := r.faultCost(); r.trusts(cost) {
		v.Fraction = min(r.system, share(r.faultTime(), r.total))
		took = percent(v.Fraction)
		v.Evidence = append(v.Evidence, fmt.Sprintf("a fault costs %s here", cost))
	} else {
		v.Evidence = append(v.Evidence, r.distrust(cost))
	}
	v.Sentence = fmt.Sprintf("page faults: %d, one for every %s KiB, took %s of the time, at %s GB/s", faults,
		limits.Number(each/1024), took, limits.Number(r.rate))
	best := r.bestMemory()
	if !r.trusts(best) {
		best = limits.Figure{Median: r.p.Touch, Unit: "GB/s"}
	}
	if each < hugeFaultBytes && best.Median > r.rate {
		v.Sentence += fmt.Sprintf("; with large folios memory would allow %s", best)
	}
	return v
}

// userTime distinguishes the function from the memory that it reads.
func userTime(r *run) (Verdict, bool) {
	best := r.bestMemory()
	if r.trusts(best) && r.rate >= nearShare*best.Median && !r.copied() {
		return r.memoryVerdict(best), true
	}
	// Read calls leave the bytes in a small buffer, so the function finds them in the cache.
	if r.copied() || r.p.Cached > 0 && r.p.Touch == 0 {
		return r.functionVerdict(), true
	}
	if r.p.Touch > 0 {
		return r.byParts(), true
	}
	if r.trusts(best) && r.rate < farShare*best.Median {
		v := r.functionVerdict()
		v.Evidence = append(v.Evidence, fmt.Sprintf("memory would deliver %s", best))
		return v, true
	}
	return Verdict{
		Wall: receipt.WallUnclear,
		Sentence: fmt.Sprintf("unclear: %s GB/s may be the memory's or the function's limit",
			limits.Number(r.rate)),
		Undecided: !r.probed(),
	}, true
}

// byParts names the part of reading mapped bytes that takes longest at the rates of the probes: the function, moving
// the bytes from memory, or mapping them. The parts may overlap, so one after the other they take the most that
// they can; if that is far from the whole, something slowed the run down that the probes did not meet.
func (r *run) byParts() Verdict {
	memory := r.rate / r.p.Touch
	var function, mapping float64
	if r.p.Cached > 0 {
		function = r.rate / r.p.cached(r.lanes)
	}
	if r.p.Populate > 0 && r.smallFaults() {
		mapping = r.rate / (r.p.Populate * float64(r.lanes))
	}
	all := function + memory + mapping
	evidence := []string{fmt.Sprintf("at the rates of the probes, the function takes %s of the time, memory %s, and"+
		" mapping %s", percent(function), percent(memory), percent(mapping))}
	switch {
	case all < probedShare && r.Keeps:
		v := r.unprobedFunction()
		v.Evidence = evidence
		return v
	case all < probedShare:
		return r.fetched(Verdict{
			Wall: receipt.WallUnclear,
			Sentence: fmt.Sprintf("unclear: %s GB/s, and the probes of function and memory reach %s just afterwards;"+
				" the host of a virtual machine may have had to provide the memory first",
				limits.Number(r.rate), limits.Number(r.rate/all)),
			Evidence: evidence,
		})
	case mapping >= nearShare*max(function, memory):
		// Of two parts that take as long as each other, mapping is the one that can be avoided.
		return r.faultVerdict(evidence)
	case function >= memory:
		v := Verdict{Wall: receipt.WallKernelFunction, Evidence: evidence}
		return r.againstProbe(v, "kernel function", r.p.cached(r.lanes),
			"its rate on cached bytes")
	}
	// What memory delivers depends on the neighbours of a virtual machine: the probe was made just now, the
	// ceiling was not.
	if best := r.bestMemory(); r.trusts(best) {
		evidence = append(evidence, fmt.Sprintf("this machine's measured best rate is %s", best))
	}
	return r.againstProbe(Verdict{Wall: receipt.WallMemory, Evidence: evidence}, "memory bandwidth", r.p.Touch,
		"the rate of only touching the same bytes")
}

// smallFaults reports whether page faults mapped less than huge pages.
func (r *run) smallFaults() bool {
	return r.MinorFaults > 0 && r.Scanned/r.MinorFaults < hugeFaultBytes
}

func (r *run) memoryVerdict(best limits.Figure) Verdict {
	return r.against(Verdict{Wall: receipt.WallMemory}, "memory bandwidth", r.rate, best,
		"this machine's best rate")
}

// functionVerdict compares with the function on cached bytes, if that was probed. Time that the
// workers spent in the kernel is not the function's, so it compares the rate during user time.
func (r *run) functionVerdict() Verdict {
	if r.p.Cached == 0 {
		v := r.unprobedFunction()
		v.Undecided = true
		return v
	}
	if r.rate < probedShare*r.p.cached(r.lanes)*r.user {
		return r.unexplained()
	}
	return r.againstProbe(Verdict{Wall: receipt.WallKernelFunction}, "kernel function", r.p.cached(r.lanes),
		"its rate on cached bytes")
}

func (r *run) unprobedFunction() Verdict {
	return Verdict{
		Wall: receipt.WallKernelFunction,
		Sentence: fmt.Sprintf("kernel function: %s GB/s, with %s of the time in user code",
			limits.Number(r.rate), percent(r.user)),
	}
}

// unexplained is for runs that were slower than their probes would suggest. If the function keeps something, that is
// no surprise: it searches more memory than with the few bytes of a probe.
func (r *run) unexplained() Verdict {
	if r.Keeps {
		return r.unprobedFunction()
	}
	return r.fetched(Verdict{
		Wall: receipt.WallUnclear,
		Sentence: fmt.Sprintf("unclear: %s GB/s, less than the probes of function and memory",
			limits.Number(r.rate)),
	})
}

func (r *run) probed() bool { return r.p != Probes{} }

// busyShare is the share of all processors from which on they, and not the network, hold a run back.
const busyShare = 0.85

// throttling handles runs whose server asked for fewer requests. Every such answer costs a pause.
func throttling(r *run) (Verdict, bool) {
	return Verdict{
		Wall: receipt.WallThrottling,
		Sentence: fmt.Sprintf("throttling: the server asked for fewer requests %d times; %s GB/s over %s",
			r.Refused, limits.Number(r.rate), r.connections()),
	}, r.Remote && r.Refused > 0
}

// network handles runs on remote objects that leave processors idle, or keep them busy with receiving.
func network(r *run) (Verdict, bool) {
	if !r.Remote {
		return Verdict{}, false
	}
	v := Verdict{Wall: receipt.WallNetwork, Sentence: fmt.Sprintf("network: %s GB/s over %s, whose answers began after %s",
		limits.Number(r.rate), r.connections(), short(r.Latency))}
	used := (r.User + r.System).Seconds() / max(r.Counters.Wall.Seconds(), 1e-9) / float64(runtime.GOMAXPROCS(0))
	v.Evidence = append(v.Evidence, fmt.Sprintf("processors were busy %s of the time", percent(used)))
	if used < busyShare || r.User+r.System == 0 {
		return v, true
	}
	v.Sentence += "; receiving kept all processors busy"
	return v, r.System >= r.User
}

func (r *run) connections() string {
	if r.Connections == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", r.Connections)
}
