// Package plan decides how the bytes of an input reach memory. It is pure: it takes facts and
// returns a decision with reasons, and it reads, opens and measures nothing. So it can be tested
// like a table, row by row.
//
// A scan calls Decide repeatedly. The first decisions may be trials on uncached bytes: each plausible
// engine scans a first piece of the real work, and the measured rates come back as facts. The next
// decision then covers all that is left. If the rate falls later, the scan looks at the page cache
// again and calls Decide once more.
//
//	input                             engine
//	pipe, terminal, endless device    stream
//	remote object                     ranges, several at once
//	too small to share                mmap if cached, else pread; one worker
//	in the page cache                 mmap or pread, compared all the time, by faults or by time
//	not in the page cache             to be kept there: mmap or pread, by trial
//	                                  otherwise: uring or pread, by trial
//	partly cached                     one lane for the cached part, one for the rest
package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
)

// The engines that the plan chooses among, by their names in package catalog.
const (
	Auto   = "auto"
	Pread  = "pread"
	Mmap   = "mmap"
	Uring  = "uring"
	Stream = "stream"
	Direct = "direct"
	Memory = "memory"
	Ranges = "ranges"
)

// Want is what the user asked for. A zero value leaves the choice to the plan.
type Want struct {
	Engine     string // Auto or an engine's name
	Workers    int    // 0: the plan decides
	ChunkBytes int    // piece size; 0: the engine's best
	MemBytes   int64  // hard bound on the program's own memory; 0: none
	MemWhy     string // that it is lower than the usual default, and why; "" if it is not
	FewerWhy   string // that there are fewer workers than usual, and why; "" if there are not
}

// Bounded returns how the memory bound shows: that it is lower than usual, or that there are fewer workers; "" if it
// does not.
func (w Want) Bounded() string {
	if w.MemWhy != "" && w.FewerWhy != "" {
		return w.MemWhy + "; " + w.FewerWhy
	}
	return w.MemWhy + w.FewerWhy
}

// Rates are the measured rates of this machine in bytes per second, 0 if not measured.
type Rates struct {
	Map, Copy        float64 // page cache, by mapping and by pread, all workers
	Direct, Buffered float64 // storage
	Kernel           float64 // the job's kernel on one core, in its cache
	CopyOne          float64 // page cache, by pread, one worker
	WakeSeconds      float64 // from waking a parked worker until it runs
	WakeOver         bool    // it takes longer than WakeSeconds: the measurement stopped there
}

// Facts is what is known about the job.
type Facts struct {
	Name    string
	Kind    source.Kind
	Left    []source.Region // regions still to be scanned, ascending; one for a stream
	Unknown string          // why residency is unknown; Left then counts as cached
	Refused []Rejection     // engines that cannot be used
	Threads int             // goroutines that can run at once
	Ahead   int             // bytes of context that the kernel needs behind a piece
	Lines   bool            // the kernel searches whole lines
	InOrder bool            // blocks are begun in file order, each a piece of its own
	Worker  int64           // bytes of memory that one worker's kernel needs
	Base    int64           // bytes of memory that the program needs besides the workers; 0: BaseBytes
	// Keep says that the bytes are read through the page cache and stay there, because people ask the same
	// file several questions: a second question finds cached bytes about ten times as fast. Without it,
	// uncached bytes are read directly and stay where they are.
	Keep bool
	// KeepReason is why Keep is false; "" if nothing could be kept.
	KeepReason string
	Rates      Rates
	Direct     Ring // the setting that reached Rates.Direct; Depth is the sum of all workers
	Want       Want
	Tried      []Trial
	Pair       *Pair // two inputs are read in lockstep, and directly by Direct, not by Uring; nil: one is
}

// Lane is a set of ranges that one engine reads with its own workers.
type Lane struct {
	Engine string
	// Other, if not empty, is an engine that reads some pieces too, and most of them while it is
	// faster: see package compared. Timed says that the two are compared by the time they take.
	Other   string
	Timed   bool
	Ranges  []source.Range
	Cached  bool
	Workers int
	Config  engine.Config
}

// Once reports whether the lane's engine reads in order.
func (l Lane) Once() bool {
	e := catalog.Named(l.Engine)
	return e != nil && e.Once
}

// Bytes returns the number of bytes in the lane.
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
	Trial     bool // the lanes are a sample: report its rate and call Decide again
	Reasons   []string
	Rejected  []Rejection
	Predicted time.Duration // time for the lanes; 0 if unknown, for lack of measured rates
}

// Rejection is an engine that was not chosen, and why.
type Rejection struct{ Engine, Reason string }

// Decide returns the next step for the work that is left. The error is a *failure.EngineError
// if a forced engine cannot do the job, or a *failure.MemoryError if the memory bound is too small.
func Decide(f Facts) (Decision, error) {
	if f.InOrder {
		f.Left = sameResidency(f.Left, f.Keep)
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
	for _, why := range []string{f.Want.MemWhy, f.Want.FewerWhy} {
		if why != "" && !d.Trial {
			d.Reasons = append(d.Reasons, why)
		}
	}
	d.Predicted = predict(d.Lanes, f)
	return d, nil
}

// sameResidency returns the regions as if all were cached, if most bytes are, and otherwise as if
// none were. Blocks that are begun in file order need a single lane, and so a single engine. Reading
// ahead of the worker costs little where bytes are cached already, so if the page cache is to keep all
// bytes, few uncached ones suffice for that.
func sameResidency(regions []source.Region, keep bool) (out []source.Region) {
	missing, all := source.TotalBytes(rangesOf(regions, false)), source.TotalBytes(regions)
	cached := 2*missing <= all
	if keep {
		cached = 16*missing <= all
	}
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
		return whole(f, Stream, workers(f), "bytes that arrive once and in order can only be streamed"), nil
	}
	if f.Kind == source.Remote {
		return f.remote(), nil
	}
	if f.Pair != nil && f.Pair.Past && f.Refusal(Direct) == "" {
		return whole(f, Direct, f.workersOf(Direct), "past the page cache: what is in memory may be older, or newer"), nil
	}
	if n := source.TotalBytes(f.Left); n <= unsharedBytesMax(f) {
		return oneWorker(f, n), nil
	}
	return mixed(f)
}

// oneWorker gives work that is too little to share to one worker. It prefers a mapping for cached
// bytes: that costs a few page faults, while a read costs as many for its new buffer and copies
// too.
func oneWorker(f Facts, n int64) Decision {
	name := Pread
	if f.Kind == source.Memory {
		name = Memory
	} else if n > 0 && allCached(f.Left) {
		name, _ = best(f, candidates(f, true), true)
	}
	why := "never pays up to " + bytesize.Short(ShareBytesLeast())
	if n > ShareBytesLeast() {
		why = "pays " + f.Sharing()
	}
	return whole(f, name, 1, fmt.Sprintf("%s is too little work to share, which %s", bytesize.Short(n), why))
}

// mixed makes one lane for the cached regions and one for the uncached regions. If only one kind
// is left, there is one lane.
func mixed(f Facts) (Decision, error) {
	var d Decision
	for _, cached := range []bool{true, false} {
		ranges := rangesOf(f.Left, cached)
		if len(ranges) == 0 {
			continue
		}
		next := f.uncached(ranges)
		if cached {
			next = f.cached(ranges)
		}
		if next.Trial {
			next.Rejected = rejected(f)
			return next, nil
		}
		d.Reasons = append(d.Reasons, next.Reasons...)
		d.Lanes = append(d.Lanes, next.Lanes...)
	}
	d.Rejected = rejected(f)
	return shareOut(d, f), nil
}

// cached decides how cached bytes are read. Whether a mapping or reads are faster depends on how the
// bytes lie in memory: the page cache holds some files in large folios, and others, or parts of them, in
// pages of 4 KiB with a fault for every few of them. So where there is enough work, the faults are
// counted, and where there is much, both are compared all the time.
func (f Facts) cached(ranges []source.Range) Decision {
	names := candidates(f, true)
	lane := Lane{Engine: names[0], Cached: true, Ranges: ranges, Workers: workers(f)}
	name, why := best(f, names, true)
	n := source.TotalBytes(ranges)
	if f.Pair != nil {
		n *= 2
	}
	switch {
	case len(names) > 1 && n >= int64(timedBytesMin.Get()):
		lane.Other, lane.Timed, why = names[1], true, "compared with pread as it goes"
	case len(names) > 1 && n >= int64(countedBytesMin.Get()) && name == names[0]:
		lane.Other, why = names[1], why+", and pread where it takes many faults"
	default:
		lane.Engine = name
	}
	return Decision{Lanes: []Lane{lane}, Reasons: []string{fmt.Sprintf("%s of %s: %s, %s",
		bytesize.Short(source.TotalBytes(ranges)), residency(f, true), lane.Engine, why)}}
}

// twoLanes reports whether cached and uncached bytes get a lane each.
func (f Facts) twoLanes() bool {
	auto := f.Want.Engine == Auto || f.Want.Engine == ""
	return auto && len(rangesOf(f.Left, true)) > 0 && len(rangesOf(f.Left, false)) > 0
}

// shareOut sets the workers of two lanes that run at once. The cached lane keeps all cores busy.
// The uncached lane mostly waits for storage, so one worker is enough.
func shareOut(d Decision, f Facts) Decision {
	if len(d.Lanes) < 2 {
		return d
	}
	if f.Want.Workers == 1 || d.Lanes[0].Engine == Pread && d.Lanes[1].Engine == Pread {
		merged := d.Lanes[1]
		merged.Workers = workers(f)
		merged.Ranges = allRanges(f.Left)
		d.Lanes = []Lane{merged}
		d.Reasons = append(d.Reasons, "one lane: "+merged.Engine+" reads both")
		return d
	}
	if f.Want.Workers > 1 {
		d.Lanes[0].Workers = f.Want.Workers - 1
	}
	if d.Lanes[1].Engine != Direct {
		d.Lanes[1].Workers = 1
	}
	d.Reasons = append(d.Reasons, "both lanes run at once: one waits for storage, the other for memory")
	return d
}

// forced uses the engine that the user asked for, or returns why that is not possible.
func forced(f Facts) (Decision, error) {
	name := f.Want.Engine
	refuse := func(reason string) (Decision, error) {
		return Decision{}, &failure.EngineError{Engine: name, Name: f.Name, Reason: reason}
	}
	e := catalog.Named(name)
	switch {
	case e == nil || e.Only:
		return refuse("there is no such engine (known: auto, " + strings.Join(catalog.Names(), ", ") + ")")
	case e.Once:
	case f.Kind == source.Stream:
		return refuse("it is a stream, whose bytes arrive once and in order; use Run.Engine stream or auto")
	case f.Kind == source.Remote:
		return refuse("it is on another machine, and is read by requests over the network; use Run.Engine auto or stream")
	case f.Refusal(name) != "":
		return refuse(f.Refusal(name))
	}
	d := whole(f, name, workers(f), "Run.Engine "+name)
	if name == Uring {
		r := f.ring(d.Lanes[0])
		if !r.Trial { // the reason for the engine is given once, not with every trial
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

// candidates returns the engines that can read cached or uncached regions, with the one that is
// expected to be fastest first.
func candidates(f Facts, cached bool) []string {
	var names []string
	switch {
	case f.Kind == source.Memory:
		return []string{Memory}
	case (cached || f.Keep && f.Pair == nil) && f.Refusal(Mmap) == "":
		names = append(names, Mmap)
	case !cached && !f.Keep && f.Pair != nil && f.Refusal(Direct) == "":
		names = append(names, Direct)
	case !cached && !f.Keep && f.Pair == nil && f.Refusal(Uring) == "":
		names = append(names, Uring)
	}
	return append(names, Pread)
}

// Refusal returns why an engine cannot be used; "" if it can.
func (f Facts) Refusal(name string) string {
	for _, r := range f.Refused {
		if r.Engine == name {
			return r.Reason
		}
	}
	return ""
}

// Refuse adds an engine that cannot be used.
func (f *Facts) Refuse(name, reason string) {
	f.Refused = append(slices.Clip(f.Refused), Rejection{name, reason})
}

// rejected returns the engines that people might expect and that are out of the question.
func rejected(f Facts) (out []Rejection) {
	for _, e := range catalog.All {
		if why := f.against(e); why != "" {
			out = append(out, Rejection{e.Name, why})
		}
	}
	return out
}

// against returns what speaks against an engine; "" if nothing does.
func (f Facts) against(e *catalog.Descriptor) string {
	switch {
	case e.Only || f.Kind == source.Memory || f.Kind == source.Remote:
		return ""
	case f.Kind == source.Stream && e.Once:
		return ""
	case f.Kind == source.Stream:
		return "a stream has no offsets to read at"
	case f.Refusal(e.Name) != "":
		return f.Refusal(e.Name)
	case e.Past && f.Pair != nil:
		return "it reads one input; two are read directly by workers that each wait for both"
	case e.Past && allCached(f.Left):
		return "direct reads would read from storage what is already in memory"
	case e.Past && f.Keep:
		return "direct reads leave nothing in the page cache for the next question"
	case e.Once:
		return "one reader in order is slower than many that start anywhere"
	}
	return ""
}

func (r Rates) of(name string, cached bool) float64 {
	switch {
	case name == Mmap && cached:
		return r.Map
	case name == Pread && cached:
		return r.Copy
	case name == Pread:
		return r.Buffered
	case name == Uring || name == Direct:
		return r.Direct
	}
	return 0
}

// predict returns how long the lanes take if they run at once, 0 if that is unknown.
func predict(lanes []Lane, f Facts) time.Duration {
	var longest float64
	for _, l := range lanes {
		r := f.Rates.of(l.Engine, l.Cached)
		if t := f.trialOf(l.Engine); t.Bytes > 0 && !l.Cached {
			r = t.Rate()
		}
		if r == 0 || l.Once() {
			return 0
		}
		if k := f.Rates.Kernel * float64(min(l.Workers, f.Threads)); k > 0 {
			r = min(r, k)
		}
		longest = max(longest, float64(l.Bytes())/r)
	}
	return time.Duration(longest * float64(time.Second))
}
