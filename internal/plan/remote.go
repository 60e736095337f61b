package plan

import (
	"fmt"

	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

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
