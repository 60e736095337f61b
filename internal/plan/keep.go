package plan

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// Keep says what should be in the page cache when the run has ended, because people ask the same file
// several questions: a second question finds cached bytes about ten times as fast.
type Keep uint8

const (
	// KeepNone leaves uncached bytes where they are: they are read directly.
	KeepNone Keep = iota
	// KeepCheap reads uncached bytes through the page cache, unless direct reads are more than
	// directFaster times as fast as the best way through it.
	KeepCheap
	// KeepAll reads uncached bytes through the page cache.
	KeepAll
)

// directFaster is how many times as long the first question may take for the sake of the next one.
const directFaster = 1.3

// aheadPieces is how many pieces of a mapping are on their way from storage at once, all workers
// together. With pieces of 2 MiB, that is more than any storage needs to reach its rate.
const aheadPieces = 8

// aheadDepth returns how many pieces each worker of a mapping faults in before their visit.
func aheadDepth(workers int) int { return max(aheadPieces/max(workers, 1), 2) }

// uncached decides how uncached bytes are read. The result is a trial, or a lane with reasons.
func (f Facts) uncached(ranges []source.Range) Decision {
	names := candidates(f, false)
	if next, ok := nextTrial(f, names); ok && worthTrial(f, ranges, names) {
		return trialOf(f, next, ranges)
	}
	name, why := best(f, names, false)
	reasons := []string{fmt.Sprintf("%s of %s: %s, %s", size(bytesOf(ranges)), residency(f, false), name, why)}
	if f.Keep != KeepNone && name != Uring {
		directly, try, why := f.directly(name, ranges)
		if try {
			return trialOf(f, Uring, ranges)
		}
		if directly {
			name, reasons = Uring, []string{fmt.Sprintf("%s of %s: %s", size(bytesOf(ranges)), residency(f, false), why)}
		} else if why != "" {
			reasons = append(reasons, why)
		}
	}
	lane := Lane{Engine: name, Ranges: ranges, Workers: workers(f)}
	if name != Uring {
		return Decision{Lanes: []Lane{lane}, Reasons: reasons}
	}
	d := f.ring(lane)
	if !d.Trial {
		d.Reasons = append(reasons, d.Reasons...)
	}
	return d
}

// directly reports whether direct reads are worth more than what the next question gains if the named
// engine brings the bytes into the page cache, and whether only a trial can tell.
func (f Facts) directly(name string, ranges []source.Range) (yes, try bool, why string) {
	switch {
	case f.Keep == KeepAll:
		return false, false, "the page cache keeps them: --cache keep"
	case f.NoRing != "":
		return false, false, "the page cache keeps them for the next question"
	}
	through, tried := f.trialOf(name).Rate(), f.trialOf(Uring)
	direct := tried.Rate()
	if tried.Bytes == 0 {
		// The machine's figures were taken together, perhaps at a quieter time than the trials.
		direct, through = f.Rates.Direct, max(through, f.Rates.Buffered)
		near := direct > 0 && direct <= directFaster*through
		if !near && through > 0 && f.affords(f.ringStart(), ranges) {
			return false, true, ""
		}
	}
	if direct == 0 || through == 0 {
		return false, false, "the page cache keeps them for the next question"
	}
	if direct > directFaster*through {
		return true, false, fmt.Sprintf("direct reads at %s are more than %.1f times as fast as %s at %s, "+
			"which would keep them in the page cache", rate(direct), directFaster, name, rate(through))
	}
	return false, false, fmt.Sprintf("the page cache keeps them for the next question: "+
		"direct reads at %s are at most %.1f times as fast as %s at %s", rate(direct), directFaster, name, rate(through))
}
