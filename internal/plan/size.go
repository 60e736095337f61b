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
	// A large folio is mapped whole if a piece covers it: 2 MiB on x86-64.
	mapPieceBytes = threshold.New("plan: mmap piece", 2*mib, 64)
	// If blocks are begun in file order, a piece is one block. Then the next block can begin as
	// soon as this one has begun, and a worker that waits for a block waits for no other.
	orderedPieceBytes = threshold.New("plan: piece begun in file order", 512*kib, 64)
	// A pread piece is handed out as a whole and read in blocks that fit the L2 cache.
	preadPieceBytes = threshold.New("plan: pread piece", 2*mib, 64)
	// A piece of uncached bytes is one block of pread. Then the readers of a descriptor go through
	// the file nearly in order, and the kernel reads ahead in large requests into large folios. With
	// larger pieces it sees leaps: a file read so took 9,600 faults a GiB when it was mapped, not 750.
	coldPieceBytes = threshold.New("plan: pread piece of uncached bytes", 1*mib, 64)
	// A stream's piece is as large as the largest pipe buffer, or several times the context,
	// because the context is copied from each piece to the next.
	streamPieceBytes = threshold.New("plan: stream piece", 1*mib, 16)

	// Trials are long enough to outlast the noise of the start, and short compared with the
	// work they decide about.
	trialBytes     = threshold.New("plan: trial on uncached bytes", 32*mib, 1)
	trialRingBytes = threshold.New("plan: trial of direct reads", 64*mib, 1)

	// For less cached work, taking the time of two engines costs more than the better one usually saves:
	// the buffers of the second one alone take a millisecond, and 150 MB then a sixth more processor time.
	timedBytesMin = threshold.New("plan: cached work that two engines are timed on", 512*mib, 1)
	// For less, reads gain nothing even in single pages: their buffers cost as much as the faults.
	countedBytesMin = threshold.New("plan: cached work whose faults are counted", 32*mib, 1)
)

const (
	trialShare = 16 // a trial takes at most 1/16 of the work, or none is made

	// BaseBytes covers the Go runtime, pending results, and the output.
	BaseBytes = 48 * mib

	// rangesBaseBytes is the same for a single connection: no result waits for those of another one.
	rangesBaseBytes = 20 * mib
)

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
	switch {
	case l.Engine == Ranges:
		piece, block := rangeBytes(f)
		if f.Want.ChunkBytes == 0 {
			c.PieceBytes = piece
		}
		if c.BlockBytes = min(block, c.PieceBytes); f.InOrder {
			c.BlockBytes = c.PieceBytes
		}
	case l.Engine == Uring:
		c.BlockBytes, c.Depth = l.Config.BlockBytes, l.Config.Depth
	case l.Engine == Mmap && !l.Cached:
		c.Depth = aheadDepth(l.Workers)
	}
	bound := f.Want.MemBytes
	if bound == 0 {
		bound = math.MaxInt64
	}
	for memoryBytes(l, c, f, workersAll) > bound {
		switch {
		case l.Engine == Ranges && f.InOrder && f.Want.ChunkBytes == 0 && c.PieceBytes > rangeOrderedBytesMin:
			c.PieceBytes /= 2
			c.BlockBytes = c.PieceBytes
		case l.Engine == Ranges && l.Workers > 1 && f.Want.Workers == 0:
			workersAll -= l.Workers - l.Workers/2
			l.Workers /= 2
		case l.Engine == Uring && c.Depth > 2:
			c.Depth /= 2
		case l.Engine != Ranges && c.BlockBytes > 64*kib:
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
	if l.Engine == Ranges {
		c.Depth = l.Workers
		if spare := spareWorkers(l.Workers); f.Want.Workers == 0 {
			more := *l
			more.Workers += spare
			if memoryBytes(&more, c, f, workersAll+spare) <= bound {
				l.Workers = more.Workers
			}
		}
	}
	l.Config = c
	return nil
}

// memoryBytes returns the program's memory while the lane runs: what it needs in any case, the kernels'
// memory of the workers of all lanes, and the buffers of this lane's workers.
func memoryBytes(l *Lane, c engine.Config, f Facts, workersAll int) int64 {
	var buffer int64
	base := int64(BaseBytes)
	switch {
	case l.Engine == Pread || l.Other == Pread:
		// A block of 1 MiB or four times the context, rounded up to whole huge pages.
		buffer = 2*mib + 5*int64(c.AheadBytes)
	case l.Engine == Uring:
		buffer = int64(c.Depth) * int64(c.BlockBytes+c.AheadBytes+8*kib)
	case l.Engine == Ranges:
		// The block, and what the connection takes: buffers of the transport and of encryption.
		buffer = int64(c.BlockBytes) + int64(c.AheadBytes) + 192*kib
		if workersAll == 1 {
			base = rangesBaseBytes
		}
	case l.Engine == Stream:
		buffer = int64(c.PieceBytes) + 2*int64(c.AheadBytes)
	}
	return base + int64(workersAll)*f.Worker + int64(l.Workers)*buffer
}

// MemoryError reports that the memory bound is too small even for the smallest sizes.
type MemoryError struct {
	Need, Bound int64
	Engine      string
	Workers     int
}

func (e *MemoryError) Error() string {
	workers := "1 worker"
	if e.Workers != 1 {
		workers = fmt.Sprintf("%d workers", e.Workers)
	}
	return fmt.Sprintf("--mem %s is too small: engine %s with %s needs at least %s",
		size(e.Bound), e.Engine, workers, size(e.Need))
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
