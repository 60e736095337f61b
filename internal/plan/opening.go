package plan

import (
	"fmt"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// A search that ends at its first hits, or prints them, begins with an opening: one worker searches the beginning
// of the range at once, while nothing is known about the input. What the plan needs to know (holes, page
// cache, the kernel's rate, the wake-up of a thread, a ring) takes some milliseconds to find out, in
// which one worker searches some ten MiB. So a hit that lies early costs little more than the bytes
// before it, and the rest of the input is planned as if it were all.
//
// The first part is read. It is too short for the page cache to matter: a mapping of it would save
// a few microseconds if it is cached, and a read is best if it is not. The second part is mapped, by all
// workers, if all of it is cached, which costs one query and takes half the time of reading. Waking the
// workers takes as long as one of them searches half a MiB, and the plan would wake them anyway.
var (
	openingFirstBytes  = threshold.New("plan: first part of the opening", 1*mib, 1)
	openingSecondBytes = threshold.New("plan: second part of the opening", 15*mib, 1)
	// Pieces begin small, as the hit may be in the first line, and double: a worker looks at the
	// bound, and at the clock, once a piece.
	openingPieceBytes    = threshold.New("plan: first piece of the opening", 64*kib, 1)
	openingPieceBytesMax = threshold.New("plan: longest piece of the opening", 256*kib, 1)
)

// openingTimeMax bounds the time of an opening, for slow kernels and slow storage, which several
// workers would share. It is about as long as gathering the facts takes, so that it at most doubles
// the time before the workers start.
const openingTimeMax = 4 * time.Millisecond

// Opening is how the beginning of an input is searched before it is examined.
type Opening struct {
	First, Second source.Range // one behind the other; Second may be empty
	// Pieces are PieceBytes long at first, and each is twice as long as the one before, up to the
	// piece size of the lane's Config.
	PieceBytes int
	TimeMax    time.Duration // no piece is begun later
	facts      Facts
}

// OpeningOf returns the opening of a search of one range. It returns false where the user said how
// the input is to be read, and where the memory bound may turn out to be too small for the rest: that
// is an error, which must not depend on where the hits are. Of the facts only those are used that are
// known before the input is examined.
func OpeningOf(f Facts, r source.Range) (o Opening, ok bool) {
	auto := f.Want.Engine == Auto || f.Want.Engine == ""
	once := f.Kind == source.Stream || f.Kind == source.Remote
	if !auto || f.Want.ChunkBytes > 0 || once || r.Len() <= 0 || !f.fitsAny() {
		return Opening{}, false
	}
	o = Opening{PieceBytes: openingPieceBytes.Get(), TimeMax: openingTimeMax, facts: f}
	o.First = source.Range{Off: r.Off, End: r.Off + min(int64(openingFirstBytes.Get()), r.Len())}
	o.Second = source.Range{Off: o.First.End, End: o.First.End + min(int64(openingSecondBytes.Get()), r.End-o.First.End)}
	return o, true
}

// fitsAny reports whether the memory bound suffices whatever will be decided: reading with pread
// needs the most memory for each worker, and two lanes have a worker each.
func (f Facts) fitsAny() bool { return f.fits(max(f.Want.Workers, 2)) }

// fits reports whether the memory bound suffices for so many workers.
func (f Facts) fits(workers int) bool {
	l := Lane{Engine: Pread, Workers: workers}
	return f.Want.MemBytes == 0 || memoryBytes(&l, engine.Config{AheadBytes: f.Ahead}, f, l.Workers) <= f.Want.MemBytes
}

// Lanes returns the lanes for a part of the opening, the best first: if an engine refuses the input,
// the next one is used. A lane of several workers has no bound of time.
func (o Opening) Lanes(part source.Range, cached bool) (lanes []Lane) {
	most := max(openingPieceBytesMax.Get(), o.PieceBytes, 4*o.facts.Ahead) // the context is read with each piece
	l := Lane{Ranges: []source.Range{part}, Cached: cached, Workers: 1,
		Config: engine.Config{AheadBytes: o.facts.Ahead, PieceBytes: most, BlockBytes: most}}
	if cached && part == o.Second {
		l.Workers = o.workers(part.Len() / int64(most))
	}
	for _, l.Engine = range candidates(o.facts, cached) {
		if l.Engine != Uring && l.Engine != Direct {
			lanes = append(lanes, l)
		}
	}
	return lanes
}

// workers returns how many workers search so many pieces: all, if each gets two and memory allows it.
func (o Opening) workers(pieces int64) int {
	n := o.facts.Threads
	if o.facts.Want.Workers > 0 {
		n = o.facts.Want.Workers
	}
	for n > 1 && (pieces < 2*int64(n) || !o.facts.fits(n)) {
		n--
	}
	return max(n, 1)
}

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
	lane := Lane{Engine: name, Ranges: ranges, Workers: f.workersOf(name)}
	if name != Uring {
		return Decision{Lanes: []Lane{lane}, Reasons: reasons}
	}
	d := f.ring(lane)
	if !d.Trial {
		d.Reasons = append(reasons, d.Reasons...)
	}
	return d
}
