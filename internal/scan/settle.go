package scan

import (
	"math"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/input/source"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// settledBytes is how far the frontier moves until the job is told: what is scanned again after an interruption.
var settledBytes = threshold.New("scan: bytes until the job is told what is settled", 16<<20, 1)

// settle tells the job that all before the frontier is finished. After a stop it says nothing any more: a worker that
// leaves a piece may have delivered some of its hits only. Of a stream, whose last piece may be longer than what comes,
// as much is finished as was scanned.
func (l *ledger) settle(front int64) {
	if l.job.Settled == nil || l.isStopped() || l.state >= stopped {
		return
	}
	if l.job.File.Kind == source.Stream {
		front = min(front, l.job.Range.Off+l.scanned.Load())
	}
	front = min(front, l.job.Range.End)
	if front == math.MaxInt64 || front-l.settled < int64(settledBytes.Get()) {
		return
	}
	now := source.Range{Off: l.settled, End: front}
	l.settled = front
	var skipped int64
	var after []source.Range
	for _, h := range l.holes {
		skipped += max(min(h.End, now.End)-max(h.Off, now.Off), 0)
		if h.End > now.End {
			after = append(after, h)
		}
	}
	l.holes = after
	if err := l.job.Settled(front, skipped, Within(l.unreadBefore(), now)); err != nil {
		l.fail(err)
	}
}

// Within returns the parts of unread ranges in a range.
func Within(unreads []failure.UnreadError, r source.Range) (out []failure.UnreadError) {
	for _, u := range unreads {
		from, to := max(u.Off, r.Off), min(u.Off+u.Len, r.End)
		if from < to || u.Len == 0 && from == u.Off && u.Off < r.End { // a stream that broke off has no length
			u.Off, u.Len = from, to-from
			out = append(out, u)
		}
	}
	return out
}
