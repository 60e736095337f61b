package plan

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

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
	reasons := []string{fmt.Sprintf("%s of %s: %s, %s",
		bytesize.Short(source.TotalBytes(ranges)), residency(f, false), name, why)}
	if f.Keep {
		reasons = append(reasons, "the page cache keeps them for the next question")
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
