package blank

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/engine"
)

// probeTime is how long storage is probed to find out how close a run came to it.
const probeTime = 200 * time.Millisecond

// probeStorage reads pieces at random places of all inputs at once, as the run did but without looking
// at them, and returns GB/s. It returns 0 if the rate would say nothing: for inputs that are not read
// directly, for rotating disks, which are slower at random places, and for loop devices, since the run has brought
// their file into the page cache.
func probeStorage(ctx context.Context, budget time.Duration, inputs []*Input) (float64, error) {
	for _, in := range inputs {
		if in.Engine != "direct" || in.Identity.Rotating || in.Identity.BackingFile != "" || in.Range.Len() < in.pieceBytes {
			return 0, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	var bytes atomic.Int64
	var mu sync.Mutex
	var errs error
	var wg sync.WaitGroup
	began := time.Now()
	for _, in := range inputs {
		for range in.Workers {
			wg.Go(func() {
				if err := in.probe(ctx, &bytes); err != nil {
					mu.Lock()
					defer mu.Unlock()
					errs = errors.Join(errs, err)
				}
			})
		}
	}
	wg.Wait()
	return float64(bytes.Load()) / time.Since(began).Seconds() / 1e9, errs
}

// probe has one worker read pieces with data until the context is done.
func (in *Input) probe(ctx context.Context, bytes *atomic.Int64) error {
	r, err := in.engine.Reader()
	if err != nil {
		return err
	}
	next := func() (engine.Piece, bool) {
		for ctx.Err() == nil {
			off := in.Range.Off + rand.Int64N(in.Range.Len()-in.pieceBytes+1)
			off -= off % in.pieceBytes
			data, err := in.file.NextData(max(off, in.Range.Off), in.Range.End)
			if err != nil {
				return engine.Piece{}, false
			}
			if n := min(data.Len(), in.pieceBytes); n > 0 {
				return engine.Piece{Off: data.Off, Len: int(n)}, true
			}
		}
		return engine.Piece{}, false
	}
	err = r.Run(next, func(_ engine.Piece, b engine.Block, _ bool) bool {
		bytes.Add(int64(b.Len))
		return ctx.Err() == nil
	})
	return errors.Join(err, r.Close())
}
