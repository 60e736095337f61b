package wall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
)

// Probes are small experiments after a run, in GB/s. 0 means not probed.
type Probes struct {
	Cached  float64 // the function on bytes in the processor's cache, one worker
	Storage float64 // direct reads across the whole input; the caller makes this one
}

const probePieceBytes = 128 << 10 // stays in a core's second-level cache

// ProbeCached runs the function on the first 128 KiB of a region for as long as the budget says, and returns GB/s.
// Streams and empty regions have nothing to probe, and give 0. If the file shrinks meanwhile, it returns an error.
func ProbeCached(ctx context.Context, budget time.Duration, function func([]byte), f *source.File,
	region source.Range) (float64, error) {
	if f.Kind == source.Stream || f.OS() == nil || region.Len() <= 0 {
		return 0, nil
	}
	piece := make([]byte, min(region.Len(), probePieceBytes))
	if _, err := f.OS().ReadAt(piece, region.Off); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // the file shrank
		}
		return 0, fmt.Errorf("probe %s at %d: %w", f.Name, region.Off, err)
	}
	function(piece) // brings the piece into the cache
	began, done := time.Now(), int64(0)
	for done == 0 || time.Since(began) < budget {
		function(piece)
		done += int64(len(piece))
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	return perSecond(done, time.Since(began)), nil
}
