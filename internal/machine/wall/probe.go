package wall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/machine/limits"
)

// Probes are small experiments after a run, in GB/s: how fast are parts of the work on their own? 0
// means not probed.
type Probes struct {
	Cached   float64 // the function on bytes in the processor's cache, one worker
	Touch    float64 // one word of every cache line of the mapped bytes, all workers
	Read     float64 // read calls into small buffers, without examining the bytes, all workers
	Populate float64 // mapping the bytes with one system call, one worker
	Storage  float64 // direct reads across the whole input; the caller makes this one
}

// String returns the probes that were made, in one line.
func (p Probes) String() string {
	var parts []string
	for _, part := range []struct {
		name string
		rate float64
	}{
		{"function on cached bytes", p.Cached},
		{"touching", p.Touch},
		{"reading without scanning", p.Read},
		{"mapping", p.Populate},
		{"direct reads", p.Storage},
	} {
		if part.rate > 0 {
			parts = append(parts, fmt.Sprintf("%s %s GB/s", part.name, limits.Number(part.rate)))
		}
	}
	return "probes: " + strings.Join(parts, ", ")
}

// cached returns the rate of all workers on cached bytes.
func (p Probes) cached(workers int) float64 { return p.Cached * float64(workers) }

const (
	probeTime       = 60 * time.Millisecond // per probe, at most
	probesInBudget  = 6                     // there are three; warm-up sweeps take time too
	probeTimeShort  = 10 * time.Millisecond // below, a probe is one sweep of fewer bytes, without a warm-up
	probeBytesMax   = 128 << 20             // of the region
	probePieceBytes = 128 << 10             // stays in a core's second-level cache
)

// Probe runs the probes on a region that the run has just read, so that it is in the page cache; it
// uses at most the first 128 MiB. The function gets pieces of at most 128 KiB and is called by one
// goroutine. Streams and empty regions have nothing to probe, and give no error. Mappings are
// probed only on Linux.
//
// If the file shrinks meanwhile, Probe returns an error; it does not crash.
//
// budget is how long all probes together should take. On a slow machine they take longer; the
// context's deadline ends them reliably.
func Probe(ctx context.Context, budget time.Duration, function func([]byte), f *source.File, region source.Range,
	workers int) (Probes, error) {
	var p Probes
	region.End = min(region.End, region.Off+probeBytesMax)
	each := min(budget/probesInBudget, probeTime)
	switch {
	case each < probeTimeShort:
		region.End = min(region.End, region.Off+probeBytesMax/4)
	case each < probeTime:
		region.End = min(region.End, region.Off+probeBytesMax/2) // still more than caches hold
	}
	if f.Kind == source.Stream || f.OS() == nil || region.Len() <= 0 {
		return p, nil
	}
	var err error
	if p.Cached, err = probeCached(ctx, each, function, f, region); err != nil {
		return p, err
	}
	workers = max(1, workers)
	buffers := make([][]byte, workers)
	for w := range buffers {
		buffers[w] = make([]byte, probePieceBytes)
	}
	if p.Read, err = rate(ctx, each, workers, region, func(w int, piece source.Range) error {
		_, err := f.OS().ReadAt(buffers[w][:piece.Len()], piece.Off)
		return readError(f, piece, err)
	}); err != nil {
		return p, err
	}
	err = probeMapped(ctx, each, &p, f, region, workers)
	return p, err
}

// probeCached runs the function on the first piece of the region repeatedly.
func probeCached(ctx context.Context, each time.Duration, function func([]byte), f *source.File,
	region source.Range) (float64, error) {
	region.End = min(region.End, region.Off+probePieceBytes)
	piece := make([]byte, region.Len())
	if _, err := f.OS().ReadAt(piece, region.Off); err != nil {
		return 0, readError(f, region, err)
	}
	function(piece) // brings the piece into the cache
	start, done := time.Now(), int64(0)
	for time.Since(start) < each {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		function(piece)
		done += region.Len()
	}
	return perSecond(done, time.Since(start)), nil
}

// rate lets workers visit the pieces of the region once to warm up, and then repeatedly until time
// is up; if there is little time, only once. It returns GB/s.
func rate(ctx context.Context, each time.Duration, workers int, region source.Range,
	visit func(worker int, piece source.Range) error) (float64, error) {
	if each >= probeTimeShort {
		if err := sweep(ctx, workers, region, visit); err != nil {
			return 0, err
		}
	}
	start, done := time.Now(), int64(0)
	for done == 0 || time.Since(start) < each {
		if err := sweep(ctx, workers, region, visit); err != nil {
			return 0, err
		}
		done += region.Len()
	}
	return perSecond(done, time.Since(start)), nil
}

func sweep(ctx context.Context, workers int, region source.Range,
	visit func(worker int, piece source.Range) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, workers)
	for w := range workers {
		group.Go(func() {
			for errs[w] == nil {
				at := next.Add(probePieceBytes) - probePieceBytes
				if at >= region.Len() {
					return
				}
				from := region.Off + at
				piece := source.Range{Off: from, End: min(from+probePieceBytes, region.End)}
				if errs[w] = ctx.Err(); errs[w] == nil {
					errs[w] = visit(w, piece)
				}
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func readError(f *source.File, piece source.Range, err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the file shrank
	}
	if err != nil {
		return fmt.Errorf("probe %s at %d: %w", f.Name, piece.Off, err)
	}
	return nil
}
