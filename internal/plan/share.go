package plan

import (
	"fmt"
	"time"

	"github.com/thresh-dev/thresh/internal/threshold"
)

// One more worker pays when it then works for much longer than it takes to wake up: five
// times as long uses it to five sixths, and covers that it makes a reader for itself and is
// waited for at the end. So work is shared from twice that on, and by as many workers as
// find so much to do.
const wakesWorth = 5

var (
	// Pieces of less are more trouble than work. Two of them are the least that is shared.
	pieceBytesMin = threshold.New("plan: least piece of shared work", 64*kib, 1)
	// A wake-up that wants still more work took a time slice of a busy machine; a longer
	// scan outlasts that.
	workerBytesMax = threshold.New("plan: work that makes any worker pay", 8*mib, 1)
)

const (
	// Work is cut into so many pieces a worker at least, so that one that is held up does
	// not keep all others waiting at the end.
	piecesEach = 4
	// What is supposed where nobody measured: machines are hardly faster. So a wake-up needs
	// to be measured only for work that would be shared if it took no longer than that.
	kernelSupposed = 30e9
	copySupposed   = 30e9
	wakeSupposed   = 10e-6
)

// supposed completes the rates that decide about sharing.
func (r Rates) supposed() Rates {
	for _, v := range []struct {
		rate *float64
		is   float64
	}{{&r.Kernel, kernelSupposed}, {&r.CopyOne, copySupposed}, {&r.WakeSeconds, wakeSupposed}} {
		if *v.rate == 0 {
			*v.rate = v.is
		}
	}
	return r
}

// one returns how fast a single worker reads and scans what is cached.
func (r Rates) one() float64 {
	r = r.supposed()
	return 1 / (1/r.Kernel + 1/r.CopyOne)
}

// workerBytes returns the work that makes one more worker pay.
func workerBytes(r Rates) int64 {
	return int64(min(max(wakesWorth*r.one()*r.supposed().WakeSeconds, float64(pieceBytesMin.Get())),
		float64(workerBytesMax.Get())))
}

// shareBytesMin is the work below which a second worker does not pay.
func shareBytesMin(f Facts) int64 { return 2 * workerBytes(f.Rates) }

// ShareBytesLeast is the work that is never shared, however slow the kernel is and however
// fast a worker wakes up. Nothing needs to be measured for it.
func ShareBytesLeast() int64 { return 2 * int64(pieceBytesMin.Get()) }

// Shares reports whether so many bytes are shared among the workers of a machine.
func (r Rates) Shares(bytes int64) bool { return bytes > 2*workerBytes(r) }

// WakeWorth returns how long waking a worker may take so that a second one still pays for
// so many bytes. Measuring may stop there.
func (r Rates) WakeWorth(bytes int64) time.Duration {
	most := 2 * int64(workerBytesMax.Get())
	return time.Duration(float64(min(bytes, most)) / r.one() / (2 * wakesWorth) * float64(time.Second))
}

// workers returns how many are to scan what is left.
func workers(f Facts) int {
	if f.Want.Workers > 0 {
		return f.Want.Workers
	}
	n := leftBytes(f.Left)
	if n <= shareBytesMin(f) {
		return 1
	}
	return int(min(n/workerBytes(f.Rates), int64(max(f.Threads, 1))))
}

// pieceBytes returns the size of a lane's pieces: the engine's best, less where the workers
// would find too few of them.
func pieceBytes(l Lane, f Facts) int {
	n := map[string]int{Mmap: mapPieceBytes.Get(), Memory: mapPieceBytes.Get(), Pread: preadPieceBytes.Get(),
		Uring: preadPieceBytes.Get(), Stream: max(streamPieceBytes.Get(), 4*f.Ahead)}[l.Engine]
	if l.Engine == Stream || l.Workers < 2 {
		return n
	}
	for n > pieceBytesMin.Get() && int64(n)*int64(l.Workers)*piecesEach > l.Bytes() {
		n /= 2
	}
	return n
}

// Sharing says from which amount of work on more than one worker pays, and why.
func (f Facts) Sharing() string {
	if f.Threads == 1 {
		return "never: there is one processor"
	}
	known := func(measured float64) string {
		if measured > 0 {
			return "measured"
		}
		return "supposed"
	}
	more := "" // where the wake-up was not waited for
	if f.Rates.WakeOver {
		more = "more than "
	}
	r := f.Rates.supposed()
	return fmt.Sprintf("from %s%s on: the kernel does %s (%s), reading %s (%s), waking a worker takes %s%.3g us (%s)",
		more, size(shareBytesMin(f)), rate(r.Kernel), known(f.Rates.Kernel), rate(r.CopyOne), known(f.Rates.CopyOne),
		more, r.WakeSeconds*1e6, known(f.Rates.WakeSeconds))
}
