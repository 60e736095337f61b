package scan

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/thresh-dev/thresh/answer"
	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/plan"
)

// opening searches the beginning of the range, the first part in the calling goroutine. If that is not
// enough, it has the rest examined. To the ledger it is a phase like others: its pieces are the lowest, and the rest
// is left to later phases.
func (d *driver) opening() error {
	o := d.job.Opening
	if o == nil {
		return nil
	}
	if d.job.Neutral { // including what the kernel reads ahead
		end := min(o.Second.End+readaheadBytesMax, d.rest.End)
		if err := d.remember(end); err != nil {
			return err
		}
	}
	began := time.Now()
	until := began.Add(o.TimeMax)
	err := d.openingPart(o, o.First, false, until)
	if err == nil && o.Second.Len() > 0 && d.rest.Off == o.Second.Off {
		err = d.openingPart(o, o.Second, d.seemsCached(o.Second), until)
	}
	d.worked.Add(int64(time.Since(began)))
	if err != nil || d.rest.Len() == 0 {
		return err
	}
	began = time.Now()
	err = d.job.Prepare(&d.job, d.rest)
	d.result.Prepared = time.Since(began)
	return err
}

// seemsCached reports whether a range is in the page cache, as far as one byte of every stretch of
// sampleBytes shows. A query about all of it would take as long as scanning a fifth of it if the page
// cache has it in single pages, and a wrong answer costs little: a mapping reads what is missing.
func (d *driver) seemsCached(r source.Range) bool {
	for off := r.Off; off < r.End; off += sampleBytes {
		if n, err := d.job.File.CachedBytes(source.Range{Off: off, End: off + 1}); err != nil || n == 0 {
			return false
		}
	}
	return true
}

const sampleBytes = 1 << 20

// openingPart searches a part of the opening by the first engine that does not refuse the input, and
// moves the start of the rest.
func (d *driver) openingPart(o *plan.Opening, part source.Range, cached bool, until time.Time) (err error) {
	for _, l := range o.Lanes(part, cached) {
		began, before := time.Now(), d.ledger.scanned.Load()
		if l.Workers > 1 {
			err = d.openingAll(l)
		} else {
			err = d.openingLane(o, l, until)
		}
		if errors.As(err, new(*failure.EngineError)) {
			continue
		}
		searched := d.ledger.scanned.Load() - before
		if searched == 0 && err == nil && d.rest.Len() > 0 {
			return nil // there was no time, or only a hole
		}
		d.result.Lanes = append(d.result.Lanes, LaneUse{Engine: l.Engine, Workers: l.Workers, Bytes: searched,
			Time: time.Since(began), Config: l.Config})
		d.result.Reasons = append(d.result.Reasons, fmt.Sprintf("%s ×%d on %d bytes, before the rest was examined",
			l.Engine, l.Workers, searched))
		return err
	}
	return err
}

// openingAll searches a lane by several workers.
func (d *driver) openingAll(l plan.Lane) error {
	d.rest.Off = l.Ranges[0].End
	left, err := d.phase(plan.Decision{Lanes: []plan.Lane{l}}, d.rest.Off, false)
	if len(left) > 0 {
		d.rest.Off = left[0].Off
	}
	if d.ledger.isStopped() {
		d.rest.Off = d.rest.End
	}
	return err
}

// openingLane searches the pieces of a lane in order, each twice as long as the one before, and begins
// none after the time until.
func (d *driver) openingLane(o *plan.Opening, l plan.Lane, until time.Time) (err error) {
	e, err := d.engine(l)
	if err != nil {
		return err
	}
	r, err := e.Reader()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	search := d.job.Searcher(d.ledger.unread, &d.ledger.halt)
	if f, ok := search.(Finisher); ok {
		defer f.Finish()
	}
	pieces := &lane{engine: e, ranges: l.Ranges, pieceBytes: int64(o.PieceBytes)}
	d.rest.Off = l.Ranges[0].End
	d.ledger.open([]*lane{pieces}, d.rest.Off)
	w := &worker{driver: d, search: search, hitsMax: hitsMax.Get()}
	err = r.Run(func() (engine.Piece, bool) {
		if time.Now().After(until) {
			return engine.Piece{}, false
		}
		p, ok := d.ledger.next(pieces, w)
		pieces.pieceBytes = min(2*pieces.pieceBytes, int64(l.Config.PieceBytes))
		return p, ok
	}, w.visit)
	if left := d.ledger.close(); len(left) > 0 {
		d.rest.Off = left[0].Off
	}
	if d.ledger.isStopped() {
		d.rest.Off = d.rest.End
	}
	return err
}

// Filter keeps those of ascending hits that count: no hit that overlaps an earlier one if Disjoint
// is set, and no more than Limit.
type Filter struct {
	Disjoint bool
	Limit    int64 // 0 means all
	End      int64 // of the last hit that was kept; at first, the start of the range
	Kept     int64
}

// Keep returns the hits of the next batch that count, in the same slice.
func (f *Filter) Keep(hits []answer.Hit) []answer.Hit {
	if f.Disjoint {
		hits = slices.DeleteFunc(hits, func(h answer.Hit) bool {
			if h.Off < f.End {
				return true
			}
			f.End = h.Off + h.Len
			return false
		})
	}
	if f.Limit > 0 {
		hits = hits[:min(int64(len(hits)), f.Limit-f.Kept)]
	}
	f.Kept += int64(len(hits))
	return hits
}

// Full reports whether no further hit counts.
func (f *Filter) Full() bool { return f.Limit > 0 && f.Kept >= f.Limit }
