package plan

import (
	"cmp"
	"fmt"
	"math"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/engine"
	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

// Trials and pieces may have any size. The minima only keep tests short.
var (
	// If blocks are begun in file order, a piece is one block. Then the next block can begin as
	// soon as this one has begun, and a worker that waits for a block waits for no other.
	orderedPieceBytes = threshold.New("plan: piece begun in file order", 512*kib, 64)

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
	// LeastBaseBytes is the same without results that wait.
	LeastBaseBytes = 6 * mib

	// leastScanBaseBytes is the same with few of them, and waitingHitBytes what each of them takes.
	leastScanBaseBytes = 8 * mib
	waitingHitBytes    = 80
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
	case l.Engine == Direct:
		c.BlockBytes = min(f.directBlock(), max(c.PieceBytes, 4*kib))
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
		case l.Workers > 1 && f.Want.Workers == 0: // one by one: more processors must not mean fewer workers
			workersAll--
			l.Workers--
		case c.PieceBytes > 64*kib && f.Want.ChunkBytes == 0 && l.Once():
			c.PieceBytes /= 2
		default:
			return &failure.MemoryError{Need: memoryBytes(l, c, f, workersAll), Bound: bound, Engine: l.Engine,
				Workers: l.Workers,
				Why:     f.Want.MemWhy}
		}
	}
	if l.Once() {
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

// base returns the memory that the program needs besides the workers: a quarter of a small bound.
func (f Facts) base() int64 {
	if f.Base > 0 || f.Want.MemBytes == 0 {
		return cmp.Or(f.Base, BaseBytes)
	}
	return min(max(f.Want.MemBytes/4, leastScanBaseBytes), BaseBytes)
}

// WaitingHits returns how many hits the memory bound allows to wait for earlier ones.
func (f Facts) WaitingHits() int { return int(max(f.base()-LeastBaseBytes, 0) / waitingHitBytes) }

// memoryBytes returns the program's memory while the lane runs: what it needs in any case, the kernels'
// memory of the workers of all lanes, and the buffers of this lane's workers.
func memoryBytes(l *Lane, c engine.Config, f Facts, workersAll int) int64 {
	buffer := max(bufferBytes(l.Engine, c), bufferBytes(l.Other, c))
	return f.base() + int64(workersAll)*f.Worker + int64(l.Workers)*buffer
}

// bufferBytes returns the memory of one worker's buffers.
func bufferBytes(name string, c engine.Config) int64 {
	if e := catalog.Named(name); e != nil && e.BufferBytes != nil {
		return e.BufferBytes(c)
	}
	return 0
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

func rate(bytesPerSecond float64) string {
	return fmt.Sprintf("%.1f GB/s", bytesPerSecond/1e9)
}

// A worker of the ranges engine is a connection, most of which wait. The engine itself finds how many of them are
// to request ranges at once; the plan gives it as many as could ever pay.
var rangePieceBytes = threshold.New("plan: longest range", 32*mib, 64)

const (
	// If blocks are begun in file order, a worker holds a whole range until its turn has come.
	rangeOrderedBytesMax = 4 * mib
	rangeOrderedBytesMin = 512 * kib
	// For less, another connection takes longer to open than it saves.
	rangeWorkerBytes = 256 * kib
	connectionsMax   = 64
	rangeBlockBytes  = 256 * kib
)

// remote decides how a remote object is read.
func (f Facts) remote() Decision {
	n := source.TotalBytes(f.Left)
	connections := f.Want.Workers
	if connections == 0 {
		connections = int(min(max(n/rangeWorkerBytes, 1), connectionsMax))
	}
	d := whole(f, Ranges, connections, fmt.Sprintf("it is on another machine: up to %d ranges at once, "+
		"as many as turn out to be fastest", connections))
	for i := range d.Lanes {
		d.Lanes[i].Cached = false
	}
	return d
}

// spareWorkers returns how many workers there are besides those that may request ranges at once. They do so when
// the last bytes of another worker's range are on their way, so that no connection's worth of the network is idle
// while a request travels.
func spareWorkers(connections int) int { return connections / 4 }

// rangeBytes returns the longest range of a lane, and how much of it is visited at once.
func rangeBytes(f Facts) (piece, block int) {
	if f.InOrder {
		n := min(rangeOrderedBytesMax, rangePieceBytes.Get())
		return n, n
	}
	piece = rangePieceBytes.Get()
	return piece, min(max(rangeBlockBytes, 4*f.Ahead), max(piece, 4*f.Ahead))
}
