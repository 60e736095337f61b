package blank

import (
	"context"
	"fmt"
	"time"

	"github.com/thresh-dev/thresh/internal/machine/limits"
	"github.com/thresh-dev/thresh/internal/machine/wall"
	"github.com/thresh-dev/thresh/receipt"
)

// Watch measures a run over all its inputs.
type Watch struct {
	before wall.Snapshot
	began  time.Time
}

// StartWatch starts the measurement.
func StartWatch() (*Watch, error) {
	before, err := wall.Take()
	if err != nil {
		return nil, fmt.Errorf("counters for the receipt: %w", err)
	}
	return &Watch{before, time.Now()}, nil
}

// Receipt is how fast a run was, and what held it back.
type Receipt struct {
	Seconds       float64
	Kernel        string
	Wall, Verdict string
	Fraction      float64
	Evidence      []string
}

// Receipt ends the measurement of a run that read so many bytes. If storage held it back, it is probed for
// up to a fifth of a second, to say how close the run came to it.
func (w *Watch) Receipt(ctx context.Context, inputs []*Input, read int64) (Receipt, error) {
	took := time.Since(w.began)
	after, err := wall.Take()
	if err != nil {
		return Receipt{}, fmt.Errorf("counters for the receipt: %w", err)
	}
	c := after.Sub(w.before)
	c.Wall, c.Scanned = took, read
	for _, in := range inputs {
		c.Workers += in.Workers
	}
	// Figures of one device say nothing about several at once.
	var ceilings *limits.Ceilings
	if len(inputs) == 1 && inputs[0].file.Path() != "" {
		if known, err := limits.Load(inputs[0].file.Path()); err == nil {
			ceilings = known
		}
	}
	v := wall.Name(c, wall.Probes{}, ceilings)
	if v.Wall == receipt.WallStorage {
		var p wall.Probes
		if p.Storage, err = probeStorage(ctx, min(probeTime, took/5), inputs); err == nil && p.Storage > 0 {
			v = wall.Name(c, p, ceilings)
		}
	}
	r := Receipt{Seconds: took.Seconds(), Wall: string(v.Wall), Verdict: v.Sentence,
		Fraction: v.Fraction, Evidence: v.Evidence}
	r.Kernel = newMatcher(inputs[0].options.Pattern).kernel()
	return r, nil
}
