// Package wall says what held a run back, and how close the run came to what this machine
// can do at best.
//
// Name decides by rules, of which the first that fits wins. Shares are of the time of all
// workers, that is workers × wall-clock time. Waiting for a processor counts only as far as
// processor time is missing: the threads of the Go runtime wait too, when no worker does.
// "Blocked" is the share that is neither processor time nor waiting for a processor.
//
//	observation                                                    wall
//	less than 20 ms in all                                         too-small
//	the stream's reader waited >= 40 % of the wall-clock time      slow-input, decompression
//	the output's writer waited >= 40 % (and longer)                output
//	throttled >= 10 %, or the quota used up to >= 95 %             cpu-quota
//	>= 10 % of the bytes fetched from storage, and either
//	  not running >= 40 %, most of it blocked, or
//	  the storage's best rate reached to >= 85 %                   storage
//	waiting for a processor >= 20 %                                cpu-contention
//	blocked >= 50 %, and the system as long under I/O pressure     storage
//	blocked >= 50 % otherwise                                      unclear
//	no processor time is counted                                   unclear
//	kernel >= 50 % of processor time, and of the two the one with
//	the higher estimate, which explains >= 30 % of it:
//	  bytes read / best rate of copies                             kernel-copy
//	  faults × cost of a fault                                     page-faults
//	  neither                                                      unclear
//	user time otherwise:
//	  memory's best rate reached to >= 85 %                        memory
//	  bytes came through read calls, so from a cached buffer       kernel-function
//	  with probes: the slower of function and touching, where
//	  the run reached >= 60 % of it                                kernel-function, memory
//	  less than half of memory's best rate                         kernel-function
//	  between                                                      unclear
//
// An unclear verdict that probes could settle is marked Undecided: the caller runs Probe
// and asks again. Processor time is split into user and kernel by sampling every few
// milliseconds, so that a run of less than a fifth of a second has a coarse split, and
// says so in its evidence.
package wall

import (
	"fmt"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/limits"
)

// Wall is what held a run back.
type Wall string

// The walls.
const (
	Storage        Wall = "storage"         // the device delivers no faster
	KernelCopy     Wall = "kernel-copy"     // copying out of the page cache
	PageFaults     Wall = "page-faults"     // mapping pages of the page cache
	Memory         Wall = "memory"          // reading main memory
	KernelFunction Wall = "kernel-function" // the function that looks at the bytes
	SlowInput      Wall = "slow-input"      // the writer of the pipe
	Decompression  Wall = "decompression"   // of a compressed file
	Output         Wall = "output"          // the reader of the results
	Quota          Wall = "cpu-quota"       // of the control group
	Contention     Wall = "cpu-contention"  // others use the processors
	TooSmall       Wall = "too-small"       // over before anything could be measured
	Unclear        Wall = "unclear"         // the counters do not tell
)

// Verdict is the answer for a receipt.
type Verdict struct {
	Wall     Wall     `json:"wall"`
	Sentence string   `json:"sentence"`
	Fraction float64  `json:"fraction,omitzero"` // of the ceiling, at most 1; 0 when none can be told
	Evidence []string `json:"evidence"`          // the numbers that the verdict rests on
	// Exceeded tells that the run was faster than the ceiling: measure the limits again.
	Exceeded bool `json:"exceeded,omitzero"`
	// Undecided tells that probes may settle what counters cannot.
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
	blockedShare   = 0.40 // together with waiting for a processor
	contendedShare = 0.20
	idleShare      = 0.50
	kernelShare    = 0.50
	explainedShare = 0.30
	nearShare      = 0.85
	probedShare    = 0.60
	farShare       = 0.50
	copiedShare    = 0.50
	// A run above its ceiling by more than this shows that the ceiling is wrong.
	exceededRatio = 1.10
)

// Name returns what held the run back. Probes may be empty and ceilings nil; a percentage
// then needs what is there. It is a pure function.
func Name(c Counters, p Probes, ceilings *limits.Ceilings) Verdict {
	r := newRun(c, p, ceilings)
	for _, rule := range []func(*run) (Verdict, bool){
		tooSmall, slowInput, slowOutput, quota, storage, contention, idle, uncounted,
		kernelTime, userTime,
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

	total                             time.Duration // workers × wall-clock time
	user, system, runQueue, throttled float64       // shares of the total
	blocked                           float64
	rate                              float64 // scanned, GB/s
}

func newRun(c Counters, p Probes, ceilings *limits.Ceilings) *run {
	r := &run{Counters: c, p: p, ceilings: ceilings}
	r.Workers = max(1, r.Workers)
	r.total = r.Wall * time.Duration(r.Workers)
	r.user = share(c.User, r.total)
	r.system = share(c.System, r.total)
	r.runQueue = max(0, min(share(c.RunQueue, r.total), 1-r.user-r.system))
	r.throttled = share(c.Throttled, r.total)
	r.blocked = max(0, 1-r.user-r.system-r.runQueue)
	r.rate = perSecond(c.Scanned, c.Wall)
	return r
}

func tooSmall(r *run) (Verdict, bool) {
	return Verdict{
		Wall: TooSmall,
		Sentence: fmt.Sprintf("too small: the run took %s, of which starting up is most",
			short(r.Wall)),
	}, r.Wall < smallWall
}

func slowInput(r *run) (Verdict, bool) {
	waited := share(r.InputWait, r.Wall)
	if r.Packed {
		return Verdict{
			Wall: Decompression,
			Sentence: fmt.Sprintf("decompression: it gave out %s GB/s and was waited for %s of the time",
				limits.Number(r.rate), percent(waited)),
		}, waited >= waitShare && r.InputWait >= r.OutputWait
	}
	return Verdict{
		Wall: SlowInput,
		Sentence: fmt.Sprintf("slow input: it delivered %s GB/s and was waited for %s of the time",
			limits.Number(r.rate), percent(waited)),
	}, waited >= waitShare && r.InputWait >= r.OutputWait
}

func slowOutput(r *run) (Verdict, bool) {
	waited := share(r.OutputWait, r.Wall)
	return Verdict{
		Wall: Output,
		Sentence: fmt.Sprintf("output: whoever reads the results was waited for %s of the time",
			percent(waited)),
	}, waited >= waitShare
}

// quota also sees a group that is stopped so briefly that little throttling is counted: it
// then uses what it may. The time that a quota leaves must be less than the workers want.
func quota(r *run) (Verdict, bool) {
	used := (r.User + r.System).Seconds() / r.Wall.Seconds()
	usedUp := r.QuotaCPUs > 0 && r.QuotaCPUs < float64(r.Workers) && r.ThrottledPeriods > 0 &&
		used >= quotaShare*r.QuotaCPUs
	if r.throttled < throttleShare && !usedUp {
		return Verdict{}, false
	}
	v := Verdict{Wall: Quota, Evidence: []string{fmt.Sprintf(
		"the control group was stopped in %d periods, for %s summed over processors",
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
	// A reader that comes back from the device waits for a processor now and then.
	waits := r.blocked+r.runQueue >= blockedShare && r.blocked >= r.runQueue
	if !waits && !atBest {
		return Verdict{}, false
	}
	if r.p.Storage > 0 {
		// Devices differ from place to place and throttle: the input's own bytes say more
		// than a figure taken elsewhere.
		return r.compareProbe(Verdict{Wall: Storage}, "storage", rate, r.p.Storage,
			"that direct reads all over the input reached just now"), true
	}
	return r.against(Verdict{Wall: Storage}, "storage", rate, best,
		"that the device reads at best"), true
}

func contention(r *run) (Verdict, bool) {
	return Verdict{
		Wall: Contention,
		Sentence: fmt.Sprintf("CPU contention: waiting for a processor that others used took %s"+
			" of the workers' time", percent(r.runQueue)),
	}, r.runQueue >= contendedShare
}

// idle sees runs that wait without being counted as reading storage. On some network file
// systems that is still the storage, and the system's I/O pressure tells.
func idle(r *run) (Verdict, bool) {
	if r.blocked < idleShare || !r.counted() {
		return Verdict{}, false
	}
	if pressure := share(r.PressureIO, r.Wall); pressure >= waitShare {
		return Verdict{
			Wall: Storage,
			Sentence: fmt.Sprintf("storage: %s GB/s, with %s of the time under I/O pressure",
				limits.Number(r.rate), percent(pressure)),
		}, true
	}
	return Verdict{
		Wall: Unclear,
		Sentence: fmt.Sprintf("unclear: the workers were idle for %s of their time, and no counter"+
			" tells what for", percent(r.blocked)),
	}, true
}

// counted reports whether the system tells the processor time.
func (r *run) counted() bool { return r.User+r.System > 0 }

func uncounted(r *run) (Verdict, bool) {
	return Verdict{
		Wall:     Unclear,
		Sentence: fmt.Sprintf("unclear: %s GB/s; processor time is not known", limits.Number(r.rate)),
	}, !r.counted()
}
