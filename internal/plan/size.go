package plan

import (
	"fmt"
	"math"

	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

// Trials and pieces may have any size. The minima only keep tests short.
var (
	// A large folio is mapped whole if a piece covers it: 2 MiB on x86-64. Pieces are not
	// populated ahead: BenchmarkPopulate of the mmap engine shows no gain with large folios
	// and a loss with small ones.
	mapPieceBytes = threshold.New("plan: mmap piece", 2*mib, 64)
	// If blocks are begun in file order, a piece is one block. Then the next block can begin as
	// soon as this one has begun, and a worker that waits for a block waits for no other.
	orderedPieceBytes = threshold.New("plan: piece begun in file order", 512*kib, 64)
	// A pread piece is handed out as a whole and read in blocks that fit the L2 cache.
	preadPieceBytes = threshold.New("plan: pread piece", 2*mib, 64)
	// A stream's piece is as large as the largest pipe buffer, or several times the context,
	// because the context is copied from each piece to the next.
	streamPieceBytes = threshold.New("plan: stream piece", 1*mib, 16)

	// Trials are long enough to outlast the noise of the start, and short compared with the
	// work they decide about.
	trialCachedBytes = threshold.New("plan: trial on cached bytes", 32*mib, 1)
	trialColdBytes   = threshold.New("plan: trial on uncached bytes", 64*mib, 1)
)

const (
	trialShare = 16 // a trial takes at most 1/16 of the work, or none is made

	// BaseBytes covers the Go runtime, pending results, and the output.
	BaseBytes = 48 * mib
)

func trialBytes(cached bool) int64 {
	if cached {
		return int64(trialCachedBytes.Get())
	}
	return int64(trialColdBytes.Get())
}

func worthTrial(f Facts, ranges []source.Range, candidates []string, cached bool) bool {
	n := trialBytes(cached)
	if candidates[0] == Uring {
		n = f.ringTrialBytes(f.ringStart())
	}
	return len(candidates) > 1 && bytesOf(ranges) >= trialShare*n
}

// fit sets the sizes of a lane so that it stays within the memory bound. It reduces the depth
// first, then the block size of uring, the number of workers, and the piece size of a stream.
func fit(l *Lane, f Facts, workersAll int) error {
	c := engine.Config{AheadBytes: f.Ahead, PieceBytes: f.Want.ChunkBytes, Lines: f.Lines}
	if c.PieceBytes == 0 {
		c.PieceBytes = pieceBytes(*l, f)
		if f.InOrder {
			c.PieceBytes = min(c.PieceBytes, orderedPieceBytes.Get())
		}
	}
	if l.Engine == Uring {
		c.BlockBytes, c.Depth = l.Config.BlockBytes, l.Config.Depth
	}
	bound := f.Want.MemBytes
	if bound == 0 {
		bound = math.MaxInt64
	}
	for memoryBytes(l, c, f, workersAll) > bound {
		switch {
		case c.Depth > 2:
			c.Depth /= 2
		case c.BlockBytes > 64*kib:
			c.BlockBytes /= 2
		case l.Workers > 1 && f.Want.Workers == 0:
			workersAll -= l.Workers - l.Workers/2
			l.Workers /= 2
		case c.PieceBytes > 64*kib && f.Want.ChunkBytes == 0 && l.Engine == Stream:
			c.PieceBytes /= 2
		default:
			return &MemoryError{Need: memoryBytes(l, c, f, workersAll), Bound: bound, Engine: l.Engine, Workers: l.Workers}
		}
	}
	if l.Engine == Stream {
		c.SpareBytes = bound - memoryBytes(l, c, f, workersAll)
	}
	l.Config = c
	return nil
}

// memoryBytes returns the program's memory while the lane runs: BaseBytes, the kernels' memory of
// the workers of all lanes, and the buffers of this lane's workers.
func memoryBytes(l *Lane, c engine.Config, f Facts, workersAll int) int64 {
	var buffer int64
	switch l.Engine {
	case Pread:
		// A block of 1 MiB or four times the context, rounded up to whole huge pages.
		buffer = 2*mib + 5*int64(c.AheadBytes)
	case Uring:
		buffer = int64(c.Depth) * int64(c.BlockBytes+c.AheadBytes+8*kib)
	case Stream:
		buffer = int64(c.PieceBytes) + 2*int64(c.AheadBytes)
	}
	return BaseBytes + int64(workersAll)*f.Worker + int64(l.Workers)*buffer
}

// MemoryError reports that the memory bound is too small even for the smallest sizes.
type MemoryError struct {
	Need, Bound int64
	Engine      string
	Workers     int
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("--mem %s is too small: engine %s with %d workers needs at least %s",
		size(e.Bound), e.Engine, e.Workers, size(e.Need))
}

func bytesOf(ranges []source.Range) (n int64) {
	for _, r := range ranges {
		n += r.Len()
	}
	return n
}

func leftBytes(regions []source.Region) (n int64) {
	for _, r := range regions {
		n += r.Len()
	}
	return n
}

func allCached(regions []source.Region) bool {
	for _, r := range regions {
		if !r.Cached {
			return false
		}
	}
	return true
}

func rangesOf(regions []source.Region, cached bool) (out []source.Range) {
	for _, r := range regions {
		if r.Cached == cached && r.Len() > 0 {
			out = append(out, r.Range)
		}
	}
	return out
}

// allRanges returns the ranges of the regions and joins those that touch.
func allRanges(regions []source.Region) (out []source.Range) {
	for _, r := range regions {
		if n := len(out); n > 0 && out[n-1].End == r.Off {
			out[n-1].End = r.End
		} else {
			out = append(out, r.Range)
		}
	}
	return out
}

// head returns the first n bytes of the ranges.
func head(ranges []source.Range, n int64) (out []source.Range) {
	for _, r := range ranges {
		if n <= 0 {
			break
		}
		if r.Len() > n {
			r.End = r.Off + n
		}
		n -= r.Len()
		out = append(out, r)
	}
	return out
}

// residency describes cached or uncached bytes in a reason.
func residency(f Facts, cached bool) string {
	switch {
	case f.Unknown != "":
		return "unknown residency (" + f.Unknown + ")"
	case cached:
		return "cached bytes"
	}
	return "uncached bytes"
}

// size formats a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= mib:
		return fmt.Sprintf("%.0f MiB", float64(n)/mib)
	case n >= kib:
		return fmt.Sprintf("%.0f KiB", float64(n)/kib)
	}
	return fmt.Sprintf("%d bytes", n)
}

func rate(bytesPerSecond float64) string {
	return fmt.Sprintf("%.1f GB/s", bytesPerSecond/1e9)
}
