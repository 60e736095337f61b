// Package wall names what held a run back, and tells how close the run came to the best this
// machine can do.
//
// Name decides by rules; the first that applies wins. Shares are of the time of the processors that the workers
// could use, which is min(workers, processors) × wall-clock time. Waiting for a processor counts only as far as
// processor time is missing, and as other programs used the processors: threads of the Go runtime also wait when no
// worker does, and workers wait for each other where they are more than the processors. What the host of a
// virtual machine gave to others counts, too. "Blocked" is the share that is neither processor time nor waiting for
// a processor; it is longer than waiting also where an average worker sleeps longer than it waits.
//
//	observation                                                    wall
//	less than 20 ms in all                                         too-small
//	throttled >= 10 %, or the quota used up to >= 95 %             cpu-quota
//	waiting for a processor >= 20 %, and longer than blocked (*)   cpu-contention
//	the input's reader waited >= 40 % of the wall-clock time, not
//	counting the kernel's time for copies                          slow-input
//	or for a decompressor, counting all                            decompression
//	the output's writer waited >= 40 % (and longer)                output
//	a remote object, and its server asked for fewer requests       throttling
//	a remote object, and a processor idle >= 15 %, or as much
//	kernel as user time                                            network
//	>= 10 % of the bytes fetched from storage, and either
//	  not running >= 40 %, most of it blocked, or
//	  the storage's best rate reached to >= 85 %                   storage
//	>= 50 % of the bytes fetched from storage, and no other wall,
//	  while probes of the same bytes, now cached, are faster       storage
//	waiting for a processor >= 20 % (*)                            cpu-contention
//	blocked >= 50 %, and the system as long under I/O pressure     storage
//	blocked >= 50 % otherwise                                      unclear
//	no processor time is counted                                   unclear
//	kernel >= 50 % of processor time; of these three the one with
//	the highest estimate, if it explains >= 30 % of it:
//	  bytes read / best rate of copies                             kernel-copy
//	  bytes written / best rate of copies                          output
//	  faults × cost of a fault                                     page-faults
//	  none                                                         unclear
//	user time otherwise:
//	  memory's best rate reached to >= 85 %                        memory
//	  bytes came through read calls, so from a cached buffer       kernel-function
//	  with probes: the slowest of function, touching and mapping,
//	  if all three together explain >= 60 % of the time            kernel-function, memory, page-faults
//	  the function keeps more than a probe does, as a table does   kernel-function
//	  less than half of memory's best rate                         kernel-function
//	  between                                                      unclear
//
// (*) But if >= 50 % of the bytes were fetched from storage, and probes of the same bytes, now cached, show that this
// cost more time than waiting for a processor, storage.
//
// A verdict that probes could settle is marked Undecided: the caller runs Probe and calls
// Name again. The system splits processor time into user and kernel time by sampling every few
// milliseconds. So the split of a run shorter than a fifth of a second is coarse, and its evidence
// says so.
package wall

import (
	"fmt"
	"math"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/receipt"
)

// Verdict is the answer for a receipt.
type Verdict struct {
	Wall     receipt.Wall `json:"wall"`
	Sentence string       `json:"sentence"`
	Fraction float64      `json:"fraction,omitzero"` // of the ceiling, at most 1; 0 if unknown
	Evidence []string     `json:"evidence"`          // the numbers on which the verdict is based
	// Exceeded says that the run was faster than the ceiling: measure the limits again.
	Exceeded bool `json:"exceeded,omitzero"`
	// Undecided says that probes may settle what counters cannot.
	Undecided bool `json:"undecided,omitzero"`
}

// The thresholds of the table above.
const (
	smallWall      = 20 * time.Millisecond
	coarseWall     = 200 * time.Millisecond
	waitShare      = 0.40
	throttleShare  = 0.10
	quotaShare     = 0.95
	storedShare    = 0.10
	fetchedShare   = 0.50
	blockedShare   = 0.40 // including waiting for a processor
	contendedShare = 0.20
	idleShare      = 0.50
	kernelShare    = 0.50
	explainedShare = 0.30
	nearShare      = 0.85
	probedShare    = 0.60
	farShare       = 0.50
	copiedShare    = 0.50
	// A run that exceeds its ceiling by more than this factor shows that the ceiling is wrong.
	exceededRatio = 1.10
)

// Name returns what held the run back. Probes may be empty and ceilings nil; a percentage requires
// the relevant ones. It is a pure function.
func Name(c Counters, p Probes, ceilings *limits.Ceilings) Verdict {
	r := newRun(c, p, ceilings)
	for _, rule := range []func(*run) (Verdict, bool){
		tooSmall, quota, crowded, slowInput, slowOutput, throttling, network, storage, contention, idle,
		uncounted, kernelTime, userTime,
	} {
		if v, ok := rule(r); ok {
			v.Evidence = r.evidence(v.Evidence)
			return v
		}
	}
	panic("thresh: bug: no rule for a run")
}

// run is a run in the terms of the rules.
type run struct {
	Counters
	p        Probes
	ceilings *limits.Ceilings

	lanes                             int           // workers that could run at once
	total                             time.Duration // lanes × wall-clock time
	user, system, runQueue, throttled float64       // shares of the total
	blocked                           float64
	queued, asleep                    float64 // shares of the time of all workers, also those beyond the processors
	rate                              float64 // scanned, GB/s
}

func newRun(c Counters, p Probes, ceilings *limits.Ceilings) *run {
	r := &run{Counters: c, p: p, ceilings: ceilings}
	r.Workers = max(1, r.Workers)
	r.lanes = r.Workers
	if r.Processors > 0 {
		r.lanes = min(r.lanes, r.Processors)
	}
	r.total = r.Wall * time.Duration(r.lanes)
	r.user = share(c.User, r.total)
	r.system = share(c.System, r.total)
	r.runQueue = max(0, min(share(min(c.RunQueue, r.others())+c.Stolen, r.total), 1-r.user-r.system))
	r.throttled = share(c.Throttled, r.total)
	r.blocked = max(0, 1-r.user-r.system-r.runQueue)
	all := r.Wall * time.Duration(r.Workers)
	r.queued = min(1, share(c.RunQueue, all))
	r.asleep = max(0, 1-share(c.User+c.System+c.RunQueue, all))
	r.rate = perSecond(c.Scanned, c.Wall)
	return r
}

// busyTick is the unit in which the machine's busy time is counted, for each processor.
const busyTick = 10 * time.Millisecond

// others returns how much processor time other programs used at most. Without a count it may be any.
func (r *run) others() time.Duration {
	if r.MachineBusy == 0 {
		return math.MaxInt64 / 2
	}
	return max(0, r.MachineBusy-r.User-r.System) + busyTick*time.Duration(max(1, r.Processors))
}

func tooSmall(r *run) (Verdict, bool) {
	v := Verdict{
		Wall: receipt.WallTooSmall,
		Sentence: fmt.Sprintf("too small: the run took %s, too short to measure",
			short(r.Wall)),
	}
	if r.Skipped > r.Scanned {
		v.Sentence = fmt.Sprintf("nothing to wait for: the run took %s, because %s of %s GB were holes, which hold no bytes",
			short(r.Wall), limits.Number(float64(r.Skipped)/1e9), limits.Number(float64(r.Scanned+r.Skipped)/1e9))
	}
	return v, r.Wall < smallWall
}

// slowInput handles readers that wait for a writer or a decompressor. A copy out of the page cache or a pipe is time
// in a read call, too, but not waiting.
func slowInput(r *run) (Verdict, bool) {
	if r.InputWait < r.OutputWait {
		return Verdict{}, false
	}
	waited := share(r.InputWait, r.Wall)
	if r.Decompressed {
		return Verdict{
			Wall: receipt.WallDecompression,
			Sentence: fmt.Sprintf("decompression: it produced %s GB/s, and the run waited for it %s of the time",
				limits.Number(r.rate), percent(waited)),
		}, waited >= waitShare
	}
	return Verdict{
		Wall: receipt.WallSlowInput,
		Sentence: fmt.Sprintf("slow input: it delivered %s GB/s, and the run waited for it %s of the time",
			limits.Number(r.rate), percent(waited)),
	}, share(r.InputWait-r.System, r.Wall) >= waitShare
}

func slowOutput(r *run) (Verdict, bool) {
	waited := share(r.OutputWait, r.Wall)
	return Verdict{
		Wall: receipt.WallOutput,
		Sentence: fmt.Sprintf("output: the run waited for the reader of the results %s of the time",
			percent(waited)),
	}, waited >= waitShare
}

// quota also detects a group that is stopped so briefly that little throttling is counted: such a
// group uses as much as it may. This applies only if the quota is less than the workers could use.
func quota(r *run) (Verdict, bool) {
	used := (r.User + r.System).Seconds() / r.Wall.Seconds()
	usedUp := r.QuotaCPUs > 0 && r.QuotaCPUs < float64(r.Workers) && r.ThrottledPeriods > 0 &&
		used >= quotaShare*r.QuotaCPUs
	if r.throttled < throttleShare && !usedUp {
		return Verdict{}, false
	}
	v := Verdict{Wall: receipt.WallQuota, Evidence: []string{fmt.Sprintf(
		"the control group was throttled in %d periods, for %s summed over processors",
		r.ThrottledPeriods, short(r.Throttled))}}
	if r.QuotaCPUs == 0 {
		v.Sentence = "CPU quota: a control group stopped the program for " + percent(r.throttled) +
			" of its time"
		return v, true
	}
	v.Fraction = min(1, used/r.QuotaCPUs)
	v.Sentence = fmt.Sprintf("CPU quota: %s of %s processors that the control group allows (%s)",
		limits.Number(used), limits.Number(r.QuotaCPUs), percent(v.Fraction))
	return v, true
}

func storage(r *run) (Verdict, bool) {
	if float64(r.ReadStorage) < storedShare*float64(r.Scanned) || r.ReadStorage <= 0 {
		return Verdict{}, false
	}
	rate, best := perSecond(r.ReadStorage, r.Wall), r.bestStorage()
	atBest := r.trusts(best) && rate >= nearShare*best.Median
	// A reader that returns from the device sometimes waits for a processor.
	waits := r.blocked+r.runQueue >= blockedShare && r.sleeps()
	if !waits && !atBest {
		return Verdict{}, false
	}
	return r.storageVerdict(), true
}

// storageVerdict compares with the device's best rate.
func (r *run) storageVerdict() Verdict {
	rate, best := perSecond(r.ReadStorage, r.Wall), r.bestStorage()
	if r.p.Storage > 0 {
		// Devices differ from place to place and throttle: a probe of the input's own bytes says
		// more than a figure measured elsewhere.
		return r.compareProbe(Verdict{Wall: receipt.WallStorage}, "storage", rate, r.p.Storage,
			"the rate of direct reads across the input")
	}
	return r.against(Verdict{Wall: receipt.WallStorage}, "storage", rate, best,
		"the device's best rate")
}

// fetched turns the verdict about a run that was slower than probes of the same bytes into storage, if most of the
// bytes had to be fetched: the probes had them in the page cache. Fetching takes processor time, too, most of all
// in a virtual machine: the kernel gets pages and makes requests, and the host provides memory at the first touch.
func (r *run) fetched(otherwise Verdict) Verdict {
	part, cached := r.fetchedPart(), r.cachedRate()
	if part < fetchedShare || r.rate >= probedShare*cached {
		return otherwise
	}
	v := r.storageVerdict()
	v.Evidence = append(v.Evidence, otherwise.Evidence...)
	v.Evidence = append(v.Evidence, fmt.Sprintf("%s of the bytes were fetched; the probes found them cached, at %s GB/s",
		percent(part), limits.Number(cached)))
	return v
}

// fetchedPart returns which part of the bytes was fetched from storage.
func (r *run) fetchedPart() float64 {
	return min(1, float64(r.ReadStorage)/float64(max(r.Scanned, 1)))
}

// cachedRate returns how fast the run could be by the probes, 0 if they do not tell.
func (r *run) cachedRate() float64 {
	if r.Keeps {
		return 0
	}
	way := r.p.Touch
	if r.copied() {
		way = r.p.Read
	}
	return min(way, r.p.cached(r.lanes))
}

// copied reports whether the bytes came through read calls.
func (r *run) copied() bool { return float64(r.ReadChars) >= copiedShare*float64(r.Scanned) }

// crowded handles runs that wait for processors more than for anything else.
func crowded(r *run) (Verdict, bool) {
	v, ok := contention(r)
	return v, ok && !r.sleeps()
}

// sleeps reports whether the run waits more for other things than for a processor. Workers that are more than the
// processors wait for one in turn, so a missing processor is not what most of them wait for if they sleep longer.
func (r *run) sleeps() bool { return r.blocked >= r.runQueue || r.asleep > r.queued }

// contention gives way to storage where that costs more: probes of bytes that had to be fetched, and are cached
// now, are made beside the same programs.
func contention(r *run) (Verdict, bool) {
	if r.runQueue < contendedShare {
		return Verdict{}, false
	}
	whose := "other programs used"
	if r.Stolen.Seconds() > r.runQueue*r.total.Seconds()/2 {
		whose = "the host of this virtual machine gave to others"
	}
	v := Verdict{
		Wall: receipt.WallContention,
		Sentence: fmt.Sprintf("CPU contention: waiting for a processor that %s took %s of the workers' time", whose,
			percent(r.runQueue)),
	}
	if r.fetchedPart() < fetchedShare {
		return v, true
	}
	v.Undecided = !r.probed()
	if cached := r.cachedRate(); cached > 0 && 1-r.rate/cached > r.runQueue {
		return r.fetched(v), true
	}
	return v, true
}

// idle handles runs that wait although no reading from storage is counted. On some network file
// systems the cause is still the storage, which shows in the system's I/O pressure.
func idle(r *run) (Verdict, bool) {
	if r.blocked < idleShare || !r.counted() {
		return Verdict{}, false
	}
	if pressure := share(r.PressureIO, r.Wall); pressure >= waitShare {
		return Verdict{
			Wall: receipt.WallStorage,
			Sentence: fmt.Sprintf("storage: %s GB/s, with %s of the time under I/O pressure",
				limits.Number(r.rate), percent(pressure)),
		}, true
	}
	return Verdict{
		Wall: receipt.WallUnclear,
		Sentence: fmt.Sprintf("unclear: the workers were idle for %s of their time, and no counter"+
			" shows why", percent(r.blocked)),
	}, true
}

// counted reports whether the system reports processor time.
func (r *run) counted() bool { return r.User+r.System > 0 }

func uncounted(r *run) (Verdict, bool) {
	return Verdict{
		Wall:     receipt.WallUnclear,
		Sentence: fmt.Sprintf("unclear: %s GB/s; processor time is unknown", limits.Number(r.rate)),
	}, !r.counted()
}
