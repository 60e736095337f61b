package plan

import (
	"fmt"
	"time"

	"github.com/thresh-dev/thresh/internal/engine/catalog"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// One more worker pays if it works for much longer than it takes to wake up. The work of a worker
// must take at least wakeRatio times the wake-up. With 5 the worker is busy five sixths of the
// time, which also covers making its reader and waiting for it at the end. So work is shared if
// there is more than twice that much, among as many workers as each have that much to do.
const wakeRatio = 5

var (
	// Smaller pieces cost more to hand out than to scan. The least shared work is two pieces.
	pieceBytesMin = threshold.New("plan: least piece of shared work", 64*kib, 1)
	// A wake-up that asks for more work than this was slow because another process had the
	// processor for a time slice. A scan this long outlasts that.
	workerBytesMax = threshold.New("plan: work that is enough for any worker", 8*mib, 1)
)

const (
	// Work is cut into at least this many pieces per worker, so that one slow worker does not
	// keep all others waiting at the end.
	piecesPerWorker = 4
	// Rates to assume if they were not measured. Few machines are faster, so a wake-up needs
	// to be measured only for work that would be shared at these rates.
	kernelAssumed = 30e9
	copyAssumed   = 30e9
	wakeAssumed   = 10e-6
)

// withAssumed fills in the rates that decide about sharing and were not measured.
func (r Rates) withAssumed() Rates {
	for _, v := range []struct {
		rate *float64
		is   float64
	}{{&r.Kernel, kernelAssumed}, {&r.CopyOne, copyAssumed}, {&r.WakeSeconds, wakeAssumed}} {
		if *v.rate == 0 {
			*v.rate = v.is
		}
	}
	return r
}

// oneWorker returns the rate at which a single worker reads and scans cached bytes.
func (r Rates) oneWorker() float64 {
	r = r.withAssumed()
	return 1 / (1/r.Kernel + 1/r.CopyOne)
}

// workerBytes returns the least work for which one more worker pays.
func workerBytes(r Rates) int64 {
	return int64(min(max(wakeRatio*r.oneWorker()*r.withAssumed().WakeSeconds, float64(pieceBytesMin.Get())),
		float64(workerBytesMax.Get())))
}

// unsharedBytesMax is the most work for which a second worker does not pay.
func unsharedBytesMax(f Facts) int64 { return 2 * workerBytes(f.Rates) }

// ShareBytesLeast is the most work that is never shared, however slow the kernel is and however
// fast a worker wakes up. For up to this much, nothing needs to be measured.
func ShareBytesLeast() int64 { return 2 * int64(pieceBytesMin.Get()) }

// Shares reports whether that many bytes are shared among several workers.
func (r Rates) Shares(bytes int64) bool { return bytes > 2*workerBytes(r) }

// WakeWorth returns the longest wake-up with which a second worker still pays for that many
// bytes. A measurement may stop there.
func (r Rates) WakeWorth(bytes int64) time.Duration {
	most := 2 * int64(workerBytesMax.Get())
	return time.Duration(float64(min(bytes, most)) / r.oneWorker() / (2 * wakeRatio) * float64(time.Second))
}

// workers returns how many workers scan the work that is left.
func workers(f Facts) int {
	if f.Want.Workers > 0 {
		return f.Want.Workers
	}
	n := source.TotalBytes(f.Left)
	if n <= unsharedBytesMax(f) {
		return 1
	}
	return int(min(n/workerBytes(f.Rates), int64(max(f.Threads, 1))))
}

// pieceBytes returns the size of a lane's pieces: the engine's best size, or less if that would
// give the workers too few pieces.
func pieceBytes(l Lane, f Facts) int {
	n := 0
	if e := catalog.Named(l.Engine); l.Engine == Direct {
		n = f.directBlock()
	} else if e.PieceBytes != nil {
		n = e.PieceBytes(l.Cached, f.Ahead)
	}
	if l.Once() || l.Workers < 2 {
		return n
	}
	for n > pieceBytesMin.Get() && int64(n)*int64(l.Workers)*piecesPerWorker > l.Bytes() {
		n /= 2
	}
	return n
}

// Sharing describes from how much work on a second worker pays, and why.
func (f Facts) Sharing() string {
	if f.Threads == 1 {
		return "never: there is one processor"
	}
	known := func(measured float64) string {
		if measured > 0 {
			return "measured"
		}
		return "assumed"
	}
	more := "" // set if the wake-up is only known to take longer
	if f.Rates.WakeOver {
		more = "more than "
	}
	r := f.Rates.withAssumed()
	return fmt.Sprintf("from %s%s on: the kernel does %s (%s), reading %s (%s), waking a worker takes %s%.3g us (%s)",
		more, bytesize.Short(unsharedBytesMax(f)), rate(r.Kernel), known(f.Rates.Kernel), rate(r.CopyOne),
		known(f.Rates.CopyOne), more, r.WakeSeconds*1e6, known(f.Rates.WakeSeconds))
}
