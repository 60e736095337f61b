package blank

import (
	"context"
	"fmt"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
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

// Receipt ends the measurement of a run that read so many bytes. If storage held it back, it is probed for
// up to a fifth of a second, to say how close the run came to it.
func (w *Watch) Receipt(ctx context.Context, inputs []*Input, read int64) (receipt.Receipt, error) {
	took := time.Since(w.began)
	after, err := wall.Take()
	if err != nil {
		return receipt.Receipt{}, fmt.Errorf("counters for the receipt: %w", err)
	}
	c := after.Sub(w.before)
	c.Wall, c.Scanned = took, read
	for _, in := range inputs {
		c.Workers += in.Workers
		c.Piped = c.Piped || in.file.Kind == source.Stream
	}
	// Figures of one device say nothing about several at once.
	var ceilings *limits.Ceilings
	if len(inputs) == 1 && inputs[0].file.Path() != "" {
		if known, err := limits.Load(inputs[0].file.Path()); err == nil {
			ceilings = known
		}
	}
	r := receipt.Receipt{Bytes: read, Seconds: took.Seconds(), BytesPerSecond: float64(read) / max(took.Seconds(), 1e-9),
		Kernel: newMatcher(inputs[0].options.Pattern).kernel()}
	wall.Divide(&r, c, wall.Probes{}, ceilings)
	if r.Wall == receipt.Storage {
		if p, err := probeStorage(ctx, min(probeTime, took/5), inputs); err == nil && p > 0 {
			wall.Divide(&r, c, wall.Probes{Storage: p}, ceilings)
		}
	}
	return r, nil
}
