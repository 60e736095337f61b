// Package plan decides how the bytes of an input reach memory. It is pure: facts go in,
// a decision and its reasons come out, and nothing is read, opened or measured here. That
// makes it a table that can be tested row by row.
//
// A scan asks Decide again and again. The first answers may be trials: each plausible
// engine gets a first piece of the real work, and the measured rates come back as facts.
// The answer that follows covers everything that is left. When the rate falls later, the
// scan looks at the page cache again and asks once more.
//
//	input                             engine
//	pipe, terminal, endless device    stream
//	too small to share                mmap where it is cached, else pread; one worker
//	in the page cache                 mmap or pread, by trial
//	not in the page cache             uring or pread, by trial
//	partly cached                     both ways at once, a lane each
package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
)

// The engines, as flags and receipts call them.
const (
	Auto   = "auto"
	Pread  = "pread"
	Mmap   = "mmap"
	Uring  = "uring"
	Stream = "stream"
	Memory = "memory" // of bytes that are in memory already; it is never asked for
)

// Want is what the user asked for; zero values leave it to the plan.
type Want struct {
	Engine     string // Auto or an engine's name
	Workers    int    // 0: as many as measure best
	ChunkBytes int    // piece size; 0: the engine's best
	MemBytes   int64  // hard bound on the program's own memory; 0: none
}

// Rates are what this machine was measured to reach, in bytes per second, 0 where nobody
// measured.
type Rates struct {
	Map, Copy        float64 // page cache, by mapping and by pread, all workers
	Direct, Buffered float64 // storage
	Kernel           float64 // the job's kernel on one core, in its cache
	CopyOne          float64 // page cache, by pread, one worker
	WakeSeconds      float64 // until a parked worker runs
	WakeOver         bool    // it takes longer: nobody waited for its end
}

// Facts is what is known about the job.
type Facts struct {
	Name    string
	Kind    source.Kind
	Left    []source.Region // what is still to be scanned, ascending; one for a stream
	Unknown string          // why residency is not known; Left then counts as cached
	NoMap   string          // why a mapping is out of the question; "" where it is not
	NoRing  string          // why uring is out of the question
	Threads int             // goroutines that run at once
	Ahead   int             // context that the kernel needs behind a piece
	Lines   bool            // the kernel searches whole lines
	InOrder bool            // blocks are begun in file order, each a piece of its own
	Worker  int64           // own memory that one worker's kernel needs
	Rates   Rates
	Direct  Ring // what Rates.Direct was reached with, Depth that of all workers together
	Want    Want
	Tried   []Trial
}

// Trial is the rate of an engine on a first piece of the real work.
type Trial struct {
	Engine string
	Cached bool
	Bytes  int64
	Time   time.Duration
	Ring   Ring // of the uring engine
}

// Rate returns bytes per second.
func (t Trial) Rate() float64 { return float64(t.Bytes) / max(t.Time.Seconds(), 1e-9) }

// Lane is ranges that one engine reads with workers of its own.
type Lane struct {
	Engine  string
	Ranges  []source.Range
	Cached  bool
	Workers int
	Config  engine.Config
}

// Bytes returns how much the lane holds.
func (l Lane) Bytes() int64 {
	var n int64
	for _, r := range l.Ranges {
		n += r.Len()
	}
	return n
}

// Decision is what to do next.
type Decision struct {
	Lanes     []Lane
	Trial     bool // the lanes are a sample; report its rate and ask again
	Reasons   []string
	Rejected  []Rejection
	Predicted time.Duration // of the lanes; 0 where nothing measured says
}

// Rejection is an engine that was not chosen, and why.
type Rejection struct{ Engine, Reason string }

// Decide returns the next step for what is left. The error is an *engine.RefusedError
// when a forced engine cannot do the job, or says that the memory bound is too small.
func Decide(f Facts) (Decision, error) {
	if f.InOrder {
		f.Left = oneTemperature(f.Left)
	}
	d, err := decide(f)
	if err != nil {
		return d, err
	}
	for i := range d.Lanes {
		if err := fit(&d.Lanes[i], f, d.workers()); err != nil {
			return d, err
		}
	}
	d.Predicted = predict(d.Lanes, f)
	return d, nil
}

// oneTemperature returns the regions as if all were cached, or none, as most bytes are: what
// is begun in file order has one lane, and one way to be read.
func oneTemperature(regions []source.Region) (out []source.Region) {
	cached := 2*bytesOf(rangesOf(regions, true)) >= leftBytes(regions)
	for _, r := range allRanges(regions) {
		out = append(out, source.Region{Range: r, Cached: cached})
	}
	return out
}

func (d Decision) workers() int {
	n := 0
	for _, l := range d.Lanes {
		n += l.Workers
	}
	return n
}

func decide(f Facts) (Decision, error) {
	if f.Want.Engine != Auto && f.Want.Engine != "" {
		return forced(f)
	}
	if f.Kind == source.Stream {
		return whole(f, Stream, workers(f), "bytes that come once, in order, can only be streamed"), nil
	}
	if n := leftBytes(f.Left); n <= shareBytesMin(f) {
		return alone(f, n), nil
	}
	return mixed(f)
}

// alone gives work that is too little to share to one worker. A mapping of what is cached
// takes its few page faults, and a read as many for its new buffer, and copies as well.
func alone(f Facts, n int64) Decision {
	name := Pread
	if f.Kind == source.Memory {
		name = Memory
	} else if n > 0 && allCached(f.Left) {
		name, _ = best(f, candidates(f, true), true)
	}
	why := "never pays up to " + size(ShareBytesLeast())
	if n > ShareBytesLeast() {
		why = "pays " + f.Sharing()
	}
	return whole(f, name, 1, fmt.Sprintf("%s is too little work to share, which %s", size(n), why))
}

// mixed gives cached and cold regions a lane each; where only one kind is left, there is
// one lane.
func mixed(f Facts) (Decision, error) {
	var d Decision
	d.Rejected = rejected(f)
	for _, cached := range []bool{true, false} {
		ranges := rangesOf(f.Left, cached)
		if len(ranges) == 0 {
			continue
		}
		candidates := candidates(f, cached)
		if next, ok := toTry(f, candidates, cached); ok && worthTrial(f, ranges, candidates, cached) {
			return trialOf(f, next, ranges, cached, d.Rejected), nil
		}
		name, why := best(f, candidates, cached)
		d.Reasons = append(d.Reasons, fmt.Sprintf("%s of %s: %s, %s",
			size(bytesOf(ranges)), temperature(f, cached), name, why))
		lane := Lane{Engine: name, Cached: cached, Ranges: ranges, Workers: workers(f)}
		if name == Uring {
			r := f.ring(lane)
			if r.Trial {
				r.Rejected = d.Rejected
				return r, nil
			}
			lane, d.Reasons = r.Lanes[0], append(d.Reasons, r.Reasons...)
		}
		d.Lanes = append(d.Lanes, lane)
	}
	return shareOut(d, f), nil
}

// trialOf returns the trial of an engine on a first piece of the work.
func trialOf(f Facts, name string, ranges []source.Range, cached bool, rejected []Rejection) Decision {
	n := trialBytes(cached)
	l := Lane{Engine: name, Cached: cached, Workers: workers(f)}
	switch {
	case name == Uring:
		l.set(f.ringStart())
		n = f.ringTrialBytes(l.Ring())
	case !cached && f.bothWays():
		l.Workers = 1 // as in the lane that it is tried for
	}
	l.Ranges = head(ranges, n)
	return Decision{Trial: true, Rejected: rejected, Lanes: []Lane{l},
		Reasons: []string{fmt.Sprintf("try %s on %s", name, size(n))}}
}

// bothWays reports whether cached and cold bytes get a lane each.
func (f Facts) bothWays() bool {
	auto := f.Want.Engine == Auto || f.Want.Engine == ""
	return auto && len(rangesOf(f.Left, true)) > 0 && len(rangesOf(f.Left, false)) > 0
}

// shareOut sets the workers of two lanes that run at once: the cached one keeps all
// cores busy, the cold one mostly waits for storage and needs one worker to do so.
func shareOut(d Decision, f Facts) Decision {
	if len(d.Lanes) < 2 {
		return d
	}
	if f.Want.Workers == 1 || d.Lanes[0].Engine == d.Lanes[1].Engine {
		merged := d.Lanes[0]
		if f.Want.Workers == 1 {
			merged = d.Lanes[1]
		}
		merged.Ranges = allRanges(f.Left)
		d.Lanes = []Lane{merged}
		d.Reasons = append(d.Reasons, "one lane: "+merged.Engine+" reads both")
		return d
	}
	if f.Want.Workers > 1 {
		d.Lanes[0].Workers = f.Want.Workers - 1
	}
	d.Lanes[1].Workers = 1
	d.Reasons = append(d.Reasons, "both lanes run at once: one waits for storage, the other for memory")
	return d
}

// forced obeys the user or says why it cannot.
func forced(f Facts) (Decision, error) {
	name := f.Want.Engine
	refuse := func(reason string) (Decision, error) {
		return Decision{}, &engine.RefusedError{Engine: name, Name: f.Name, Reason: reason}
	}
	switch {
	case name == Stream:
	case !slices.Contains([]string{Pread, Mmap, Uring}, name):
		return refuse("there is no such engine (known: auto, pread, mmap, uring, stream)")
	case f.Kind == source.Stream:
		return refuse("it is a stream, whose bytes come once and in order; use --engine stream or auto")
	case name == Mmap && f.NoMap != "":
		return refuse(f.NoMap)
	case name == Uring && f.NoRing != "":
		return refuse(f.NoRing)
	}
	d := whole(f, name, workers(f), "--engine "+name)
	if name == Uring {
		r := f.ring(d.Lanes[0])
		if !r.Trial { // which would say it again and again
			r.Reasons = append(d.Reasons, r.Reasons...)
		}
		d.Trial, d.Lanes, d.Reasons = r.Trial, r.Lanes, r.Reasons
	}
	return d, nil
}

func whole(f Facts, name string, workers int, why string) Decision {
	return Decision{
		Lanes:    []Lane{{Engine: name, Ranges: allRanges(f.Left), Cached: allCached(f.Left), Workers: workers}},
		Reasons:  []string{name + ": " + why},
		Rejected: rejected(f),
	}
}

// candidates returns the engines that could read such regions, the one expected to be
// best first.
func candidates(f Facts, cached bool) []string {
	var names []string
	switch {
	case f.Kind == source.Memory:
		return []string{Memory}
	case cached && f.NoMap == "":
		names = append(names, Mmap)
	case !cached && f.NoRing == "":
		names = append(names, Uring)
	}
	return append(names, Pread)
}

func rejected(f Facts) []Rejection {
	var out []Rejection
	if f.Kind == source.Stream {
		for _, name := range []string{Mmap, Pread, Uring} {
			out = append(out, Rejection{name, "a stream has no offsets to read at"})
		}
		return out
	}
	if f.Kind == source.Memory {
		return nil
	}
	if f.NoMap != "" {
		out = append(out, Rejection{Mmap, f.NoMap})
	}
	if f.NoRing != "" {
		out = append(out, Rejection{Uring, f.NoRing})
	} else if allCached(f.Left) {
		out = append(out, Rejection{Uring, "direct reads would fetch from storage what is in memory"})
	}
	return append(out, Rejection{Stream, "one reader in order is slower than many at any offset"})
}

// best returns the engine that did best in trials, or else in the machine's own figures,
// or else the one that is expected to.
func best(f Facts, candidates []string, cached bool) (name, why string) {
	if len(candidates) == 1 {
		return candidates[0], "the only way here"
	}
	top, other := f.trialOf(candidates[0], cached), f.trialOf(candidates[1], cached)
	if top.Bytes > 0 && other.Bytes > 0 {
		if other.Rate() > clearlyFaster*top.Rate() {
			top, other = other, top
		}
		return top.Engine, fmt.Sprintf("tried at %s, %s at %s", rate(top.Rate()), other.Engine, rate(other.Rate()))
	}
	a, b := f.Rates.of(candidates[0], cached), f.Rates.of(candidates[1], cached)
	switch {
	case top.Bytes > 0 && b > 0:
		return top.Engine, fmt.Sprintf("tried at %s, more than the best of %s here, %s",
			rate(top.Rate()), candidates[1], rate(b))
	case b > a && a > 0:
		return candidates[1], fmt.Sprintf("%s on this machine, %s %s", rate(b), candidates[0], rate(a))
	case a > 0 && b > 0:
		return candidates[0], fmt.Sprintf("%s on this machine, %s %s", rate(a), candidates[1], rate(b))
	}
	return candidates[0], "usually the fastest there"
}

// clearlyFaster is by how much the second candidate must have been faster in its trial. A
// trial takes milliseconds, and the first one starts the workers' threads as well.
const clearlyFaster = 1.2

// trialOf returns the best trial of an engine, the zero Trial where there was none.
func (f Facts) trialOf(name string, cached bool) (best Trial) {
	for _, t := range f.Tried {
		if t.Engine == name && t.Cached == cached && t.Rate() >= best.Rate() {
			best = t
		}
	}
	return best
}

// beaten reports whether an engine's best on this machine is known to be less than what
// the first one has just reached: then there is nothing to try.
func (f Facts) beaten(name string, cached bool, first string) bool {
	best := f.Rates.of(name, cached)
	return best > 0 && f.trialOf(first, cached).Rate() > best
}

// trials returns how often an engine was tried.
func (f Facts) trials(name string, cached bool) (n int) {
	for _, t := range f.Tried {
		if t.Engine == name && t.Cached == cached {
			n++
		}
	}
	return n
}

func (r Rates) of(name string, cached bool) float64 {
	switch {
	case name == Mmap:
		return r.Map
	case name == Pread && cached:
		return r.Copy
	case name == Pread:
		return r.Buffered
	case name == Uring:
		return r.Direct
	}
	return 0
}

// toTry returns the engine to be tried next. The first one gets a second chance when it
// lost: its first trial may have waited for threads to start, which takes as long as the
// trial itself when the machine is busy.
func toTry(f Facts, candidates []string, cached bool) (string, bool) {
	first := candidates[0]
	for _, name := range candidates {
		if f.trials(name, cached) == 0 {
			return name, f.trialOf(first, cached).Rate() == 0 || !f.beaten(name, cached, first)
		}
	}
	lost := len(candidates) > 1 &&
		f.trialOf(candidates[1], cached).Rate() > clearlyFaster*f.trialOf(first, cached).Rate()
	return first, lost && f.trials(first, cached) == 1
}

// predict returns how long the lanes take when they run at once.
func predict(lanes []Lane, f Facts) time.Duration {
	var longest float64
	for _, l := range lanes {
		r := f.Rates.of(l.Engine, l.Cached)
		if t := f.trialOf(l.Engine, l.Cached); t.Bytes > 0 {
			r = t.Rate()
		}
		if r == 0 || l.Engine == Stream {
			return 0
		}
		if k := f.Rates.Kernel * float64(min(l.Workers, f.Threads)); k > 0 {
			r = min(r, k)
		}
		longest = max(longest, float64(l.Bytes())/r)
	}
	return time.Duration(longest * float64(time.Second))
}
