package lab

import (
	"context"
	"time"
)

// repeated is how long Repeat repeats short work.
const repeated = 100 * time.Millisecond

// Repeat repeats work that is too short to be timed once, until it took a tenth of a second in all. It
// returns the seconds and how often the work was done. A first time is not counted: it takes the page
// faults and fills the caches.
func Repeat(ctx context.Context, once func()) (seconds float64, times int64, err error) {
	once()
	var took time.Duration
	for batch := int64(1); took < repeated; batch *= 2 {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		begin := time.Now()
		for range batch {
			once()
		}
		took += time.Since(begin)
		times += batch
	}
	return took.Seconds(), times, nil
}
