package plan

import (
	"fmt"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

// Trial is the measured rate of an engine on a first piece of uncached work.
type Trial struct {
	Engine string
	Bytes  int64
	Time   time.Duration
	Ring   Ring // the setting, if Engine is Uring
}

// Rate returns bytes per second.
func (t Trial) Rate() float64 { return float64(t.Bytes) / max(t.Time.Seconds(), 1e-9) }

// trialOf returns the decision to try an engine on a first piece of uncached work.
func trialOf(f Facts, name string, ranges []source.Range) Decision {
	n := int64(trialBytes.Get())
	l := Lane{Engine: name, Workers: f.workersOf(name)}
	switch {
	case name == Uring:
		l.set(f.ringStart())
		n = f.ringTrialBytes(l.Ring())
	case f.twoLanes() && name != Direct:
		l.Workers = 1 // as in the lane that the trial is for
	}
	l.Ranges = head(ranges, n)
	return Decision{Trial: true, Lanes: []Lane{l}, Reasons: []string{fmt.Sprintf("try %s on %s", name, bytesize.Short(n))}}
}

func worthTrial(f Facts, ranges []source.Range, candidates []string) bool {
	n := int64(trialBytes.Get())
	if candidates[0] == Uring {
		n = f.ringTrialBytes(f.ringStart())
	}
	return len(candidates) > 1 && source.TotalBytes(ranges) >= trialShare*n
}

// best returns the fastest engine: by trials, else by the machine's measured rates, else the one
// that is usually fastest.
func best(f Facts, candidates []string, cached bool) (name, why string) {
	if len(candidates) == 1 {
		return candidates[0], "the only engine possible"
	}
	var top, other Trial
	if !cached {
		top, other = f.trialOf(candidates[0]), f.trialOf(candidates[1])
	}
	if top.Bytes > 0 && other.Bytes > 0 {
		if other.Rate() > clearlyFaster*top.Rate() {
			top, other = other, top
		}
		return top.Engine, fmt.Sprintf("tried at %s, %s at %s", rate(top.Rate()), other.Engine, rate(other.Rate()))
	}
	a, b := f.Rates.of(candidates[0], cached), f.Rates.of(candidates[1], cached)
	switch {
	case top.Bytes > 0 && b > 0:
		return top.Engine, fmt.Sprintf("tried at %s, faster than the best rate of %s here, %s",
			rate(top.Rate()), candidates[1], rate(b))
	case b > nearly*a && a > 0:
		return candidates[1], fmt.Sprintf("%s on this machine, %s %s", rate(b), candidates[0], rate(a))
	case a > 0 && b > 0:
		return candidates[0], fmt.Sprintf("%s on this machine, %s %s", rate(a), candidates[1], rate(b))
	}
	return candidates[0], "usually the fastest for them"
}

// nearly is how many times as fast the second candidate must be by the machine's rates: those of both vary by more
// than a few per cent from one measurement to the next.
const nearly = 1.1

// clearlyFaster is how many times as fast the second candidate must be in its trial to be
// chosen. A trial takes milliseconds, and the first trial includes starting the workers' threads.
const clearlyFaster = 1.2

// trialOf returns the best trial of an engine, or the zero Trial if there was none.
func (f Facts) trialOf(name string) (best Trial) {
	for _, t := range f.Tried {
		if t.Engine == name && t.Rate() >= best.Rate() {
			best = t
		}
	}
	return best
}

// beaten reports whether the best measured rate of an engine is below the rate that the first
// engine has just reached in its trial. Then there is no need to try it.
func (f Facts) beaten(name, first string) bool {
	best := f.Rates.of(name, false)
	return best > 0 && f.trialOf(first).Rate() > best
}

// trials returns how many trials an engine had.
func (f Facts) trials(name string) (n int) {
	for _, t := range f.Tried {
		if t.Engine == name {
			n++
		}
	}
	return n
}

// nextTrial returns the engine to try next. If the first engine lost, it gets a second trial: its
// first one may have waited for threads to start, which on a busy machine takes as long as the
// trial itself.
func nextTrial(f Facts, candidates []string) (string, bool) {
	first := candidates[0]
	for _, name := range candidates {
		if f.trials(name) == 0 {
			return name, f.trialOf(first).Rate() == 0 || !f.beaten(name, first)
		}
	}
	lost := len(candidates) > 1 &&
		f.trialOf(candidates[1]).Rate() > clearlyFaster*f.trialOf(first).Rate()
	return first, lost && f.trials(first) == 1
}
