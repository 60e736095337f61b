// Package scan drives the workers over the pieces of one input. It opens the engines that the
// plan names, hands out pieces, puts the workers' hits into file order, and stops early when no
// later hit can matter.
//
// Each lane has one queue: a cursor that moves under a lock. An idle worker takes the next
// piece, so the work balances itself to within a piece, storage sees ascending offsets, and an
// early stop discards little work that was done ahead. When its lane is empty, a worker takes
// pieces from the other lanes.
package scan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/engine/compared"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// errReplan ends a phase whose rate fell. The remaining work is planned again.
var errReplan = errors.New("replan")

const (
	replansMax   = 3
	watchEvery   = 100 * time.Millisecond
	rateFallen   = 0.4 // as a share of the best rate of the phase
	rateFallsMax = 3   // low samples in a row before the work is planned again
)

// replanBytesMin is the least work that is planned again. Less is done before a fall of the rate
// would show.
var replanBytesMin = threshold.New("scan: least work to replan", 64<<20, 1)

// Run scans the job's range. The result is valid even if Run returns an error: it describes the
// part that was scanned. If the context was cancelled, the error is the context's.
func Run(ctx context.Context, job Job) (Result, error) {
	d := &driver{job: job, rest: job.Range, engines: map[string]engine.Engine{}}
	d.ledger = newLedger(job)
	stop := context.AfterFunc(ctx, d.ledger.stop)
	defer stop()
	err := d.opening()
	if err == nil && (job.Opening == nil || d.rest.Len() > 0) {
		err = d.planned(ctx)
	}
	err = errors.Join(err, d.closeEngines(), d.neutral.restore(job.File, d.ledger.reached()))
	return d.finish(ctx, err)
}

// planned scans what the opening left, as the plan decides.
func (d *driver) planned(ctx context.Context) error {
	if d.job.File.Kind != source.Stream {
		for _, hole := range without([]source.Region{{Range: d.rest}}, rangesOf(d.job.Facts.Left)) {
			d.ledger.skip(hole.Range)
		}
	}
	if d.job.Neutral {
		if err := d.remember(d.rest.End); err != nil {
			return err
		}
	}
	return d.phases(ctx)
}

type driver struct {
	job        Job
	rest       source.Range // what the opening has left
	ledger     *ledger
	engines    map[string]engine.Engine
	neutral    neutral
	remembered int64        // the end of what neutral knows
	worked     atomic.Int64 // nanoseconds, summed over workers
	result     Result
}

// remember records, up to an offset, what is in the page cache before anything is read.
func (d *driver) remember(end int64) error {
	r := source.Range{Off: max(d.rest.Off, d.remembered), End: end}
	d.remembered = end
	if err := d.neutral.remember(d.job.File, r); err != nil {
		return fmt.Errorf("cache-neutral reading: %w", err)
	}
	return nil
}

// phases runs the trials that the plan asks for and then the rest, until no work is left.
func (d *driver) phases(ctx context.Context) error {
	facts := d.job.Facts
	replans := 0
	for len(facts.Left) > 0 && !d.ledger.isStopped() {
		decision, err := plan.Decide(facts)
		if err != nil {
			return err
		}
		d.result.Reasons = append(d.result.Reasons, decision.Reasons...)
		began := time.Now()
		rest := int64(math.MaxInt64)
		if others := without(facts.Left, laneRanges(decision)); len(others) > 0 {
			rest = others[0].Off
		}
		left, err := d.phase(decision, rest, replans < replansMax)
		took := time.Since(began)
		if reason, ok := refused(err, facts); ok {
			facts = reason
			facts.Left = without(facts.Left, handedOut(decision, left))
			continue
		}
		if err != nil && err != errReplan {
			return err
		}
		d.recordUse(decision, left, took)
		if decision.Trial {
			l := decision.Lanes[0]
			facts.Tried = append(facts.Tried, plan.Trial{Engine: l.Engine,
				Bytes: l.Bytes() - source.TotalBytes(left), Time: took, Ring: l.Ring()})
			facts.Left = without(facts.Left, handedOut(decision, left))
			continue
		}
		if err == nil {
			return nil
		}
		replans++
		facts.Left, facts.Tried = d.residency(left), nil
		d.result.Reasons = append(d.result.Reasons, "the rate fell: looked at the page cache again")
	}
	return ctx.Err()
}

// refused rules out an engine that refused the input, if the plan was free to choose one. The
// next plan then uses another engine and reports the reason.
func refused(err error, facts plan.Facts) (plan.Facts, bool) {
	var e *failure.EngineError
	if !errors.As(err, &e) || facts.Want.Engine != plan.Auto {
		return facts, false
	}
	reason := e.Reason
	if e.Err != nil {
		reason += ": " + e.Err.Error()
	}
	if d := catalog.Named(e.Engine); d == nil || !d.File || facts.Refusal(e.Engine) != "" {
		return facts, false
	}
	facts.Refuse(e.Engine, reason)
	return facts, true
}

// handedOut returns the parts of a decision's ranges that were handed out.
func handedOut(decision plan.Decision, left []source.Range) (out []source.Range) {
	for _, l := range decision.Lanes {
		for _, r := range l.Ranges {
			for _, rest := range without([]source.Region{{Range: r}}, left) {
				out = append(out, rest.Range)
			}
		}
	}
	return out
}

// residency checks again which parts of the ranges are in the page cache.
func (d *driver) residency(left []source.Range) []source.Region {
	var regions []source.Region
	for _, r := range left {
		found, err := d.job.File.Residency(r)
		if err != nil {
			found = []source.Region{{Range: r, Cached: true}} // as Regions assumes
		}
		regions = append(regions, found...)
	}
	return regions
}

// phase runs the lanes of one decision until they are empty or the rate falls. It returns the
// ranges that were not handed out. Rest is the lowest offset that is left to other phases.
func (d *driver) phase(decision plan.Decision, rest int64, mayReplan bool) ([]source.Range, error) {
	lanes := make([]*lane, len(decision.Lanes))
	for i, l := range decision.Lanes {
		e, err := d.engine(l)
		if err != nil {
			return laneRanges(decision), err
		}
		lanes[i] = newLane(e, l)
	}
	d.ledger.open(lanes, rest)
	replanned, err := d.runLanes(decision, lanes, mayReplan)
	left := d.ledger.close()
	if err == nil && replanned && len(left) > 0 && !d.ledger.isStopped() {
		err = errReplan
	}
	return left, err
}

// runLanes runs the workers of all lanes until they return. A single worker runs in the calling
// goroutine: waking another thread takes longer than scanning a small file.
func (d *driver) runLanes(decision plan.Decision, lanes []*lane, mayReplan bool) (replanned bool, err error) {
	var mu sync.Mutex
	run := func(own int) {
		began := time.Now()
		e := d.work(own, lanes)
		d.worked.Add(int64(time.Since(began)))
		if e != nil {
			d.endPhase(e)
			mu.Lock()
			defer mu.Unlock()
			if err == nil { // later errors have the same cause, or are caused by this one
				err = e
			}
		}
	}
	first := decision.Lanes[0]
	mayReplan = mayReplan && !decision.Trial && len(lanes) == 1 && first.Bytes() >= int64(replanBytesMin.Get()) &&
		(d.job.File.Kind == source.Regular || d.job.File.Kind == source.Device)
	if len(lanes) == 1 && first.Workers == 1 && !mayReplan {
		run(0)
		return false, err
	}
	var wg sync.WaitGroup
	for i, l := range decision.Lanes {
		for range l.Workers {
			wg.Go(func() { run(i) })
		}
	}
	replanned = d.watch(&wg, mayReplan)
	return replanned, err
}

// endPhase stops a phase whose worker failed. A refusal only drains it: other workers finish the
// pieces they hold, and the rest is planned again.
func (d *driver) endPhase(err error) {
	if _, ok := errors.AsType[*failure.EngineError](err); ok {
		d.ledger.drain()
		return
	}
	d.ledger.stop()
}

// laneRanges returns the ranges of all lanes of a decision.
func laneRanges(decision plan.Decision) (out []source.Range) {
	for _, l := range decision.Lanes {
		out = append(out, l.Ranges...)
	}
	return out
}

// watch waits for the workers. If the work may be planned again, watch samples the rate and
// drains the queue when the rate stays far below the best of the phase.
func (d *driver) watch(wg *sync.WaitGroup, mayReplan bool) (replanned bool) {
	if !mayReplan {
		wg.Wait()
		return false
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var best, last, falls int64
	last = d.ledger.scanned.Load()
	for {
		select {
		case <-done:
			return replanned
		case <-tick.C:
		}
		now := d.ledger.scanned.Load()
		step := now - last
		last = now
		best = max(best, step)
		if falls++; float64(step) > rateFallen*float64(best) {
			falls = 0
		}
		if falls >= rateFallsMax && !replanned {
			replanned = true
			d.ledger.drain()
		}
	}
}

// engine returns the lane's engine and opens it on first use. Engines stay open until the scan
// ends, so a trial's engine also serves later phases with the same configuration.
func (d *driver) engine(l plan.Lane) (engine.Engine, error) {
	key := laneKey(l)
	if e, ok := d.engines[key]; ok {
		return e, nil
	}
	l.Config.Stop = d.ledger.isStopped
	e, err := d.job.Open(l.Engine, d.job.File, l.Config)
	if err != nil {
		return nil, err
	}
	if l.Other != "" {
		other, err := d.job.Open(l.Other, d.job.File, l.Config)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e = compared.Open(e, other, l.Timed)
	}
	d.engines[key] = e
	return e, nil
}

// laneKey tells the engines of lanes apart.
func laneKey(l plan.Lane) string {
	l.Config.Stop = nil
	return fmt.Sprint(l.Engine, l.Other, l.Timed, l.Config)
}

func (d *driver) closeEngines() (err error) {
	for _, e := range d.engines {
		if w, ok := e.(interface{ Waited() time.Duration }); ok {
			d.result.Waited += w.Waited()
		}
		if n, ok := e.(interface{ Network() engine.Network }); ok {
			network := n.Network()
			d.result.Network = &network
			if network.Reason != "" {
				d.result.Reasons = append(d.result.Reasons, network.Reason)
			}
		}
		err = errors.Join(err, e.Close())
	}
	return err
}

// work empties the worker's own lane, and then the others.
func (d *driver) work(own int, lanes []*lane) error {
	search := d.job.Searcher(d.ledger.unread, &d.ledger.halt)
	if f, ok := search.(Finisher); ok {
		defer f.Finish()
	}
	for i := range lanes {
		l := lanes[(own+i)%len(lanes)]
		if d.ledger.empty(l) {
			continue
		}
		if err := d.read(l, search); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) read(l *lane, search Searcher) (err error) {
	r, err := l.engine.Reader()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	w := &worker{driver: d, search: search, hitsMax: hitsMax.Get()}
	return r.Run(func() (engine.Piece, bool) { return d.ledger.next(l, w) }, w.visit)
}

func (d *driver) recordUse(decision plan.Decision, left []source.Range, took time.Duration) {
	for _, l := range decision.Lanes {
		done := l.Bytes() - source.TotalBytes(intersect(left, l.Ranges))
		if l.Once() {
			done = d.ledger.scanned.Load()
		}
		use := LaneUse{Engine: l.Engine, Workers: l.Workers, Bytes: done, Time: took, Config: l.Config}
		other := use
		other.Engine, other.Bytes = l.Other, 0
		if e, ok := d.engines[laneKey(l)].(interface{ TakeBytes() int64 }); ok {
			other.Bytes = min(e.TakeBytes(), done)
			use.Bytes -= other.Bytes
		}
		d.result.Lanes = append(d.result.Lanes, use)
		if other.Bytes > 0 {
			d.result.Lanes = append(d.result.Lanes, other)
		}
	}
}

func (d *driver) finish(ctx context.Context, err error) (Result, error) {
	r := &d.result
	r.Hits = d.ledger.emitted.Kept
	r.Scanned = d.ledger.scanned.Load()
	r.Skipped = d.ledger.skipped
	r.Unread = d.ledger.unreadBefore()
	r.Blocked, r.Worked = d.ledger.blocked, time.Duration(d.worked.Load())
	err = errors.Join(err, d.ledger.failure)
	if ctx.Err() != nil && !d.ledger.answered() {
		err = errors.Join(err, ctx.Err())
	}
	r.Complete = err == nil && len(r.Unread) == 0
	return *r, err
}
