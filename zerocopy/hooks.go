package zerocopy

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Counter counts bytes by method. It is safe for concurrent use.
type Counter struct{ by [methods]atomic.Int64 }

// Bytes returns those that went by m.
func (c *Counter) Bytes(m Method) int64 { return c.by[m].Load() }

// Total returns the bytes of all methods.
func (c *Counter) Total() (n int64) {
	for m := range c.by {
		n += c.by[m].Load()
	}
	return n
}

// pass is the Before of hooks that only look.
type passAll struct{}

func (passAll) Before(_ context.Context, want int64) (int64, error) { return want, nil }

// blind is the After of hooks that only hold up.
type ignoreAfter struct{}

func (ignoreAfter) After(int64, Method) {}

type counting struct {
	passAll
	to *Counter
}

func (c counting) After(n int64, m Method) { c.to.by[m].Add(n) }

// Count returns a hook that counts into c.
func Count(c *Counter) Hook { return counting{to: c} }

// Limiter is a rate that transfers share. It is safe for concurrent use.
type Limiter struct {
	bytesPerSecond float64
	slice          int64

	mu       sync.Mutex
	nextFree time.Time // when all that was granted will have gone at this rate
}

// The slices of a limited transfer: a tenth of a second's worth, but neither so small that
// system calls outweigh their bytes nor so large that others wait.
const (
	limitSeconds  = 0.1
	limitBytesMin = 16 << 10
	limitBytesMax = 1 << 20
)

// NewLimiter returns a limiter of that rate. A rate of 0 or less limits nothing.
func NewLimiter(bytesPerSecond int64) *Limiter {
	slice := int64(float64(bytesPerSecond) * limitSeconds)
	return &Limiter{bytesPerSecond: float64(bytesPerSecond), slice: min(max(slice, limitBytesMin), limitBytesMax)}
}

// take grants n bytes and returns how long to wait until they may go. The next to come waits
// behind them: first come, first served. What was not used within one slice's time is lost,
// so that no burst follows a pause.
func (l *Limiter) take(n int64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if earliest := now.Add(-l.span(l.slice)); l.nextFree.Before(earliest) {
		l.nextFree = earliest
	}
	wait := l.nextFree.Sub(now)
	l.nextFree = l.nextFree.Add(l.span(n))
	return wait
}

// giveBack returns n granted bytes that did not go.
func (l *Limiter) giveBack(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nextFree = l.nextFree.Add(-l.span(n))
}

func (l *Limiter) span(n int64) time.Duration {
	return time.Duration(float64(n) / l.bytesPerSecond * float64(time.Second))
}

// limiting keeps account of what was granted and did not go. Transfers that share the hook
// may give back each other's grants for a moment; the sum is right.
type limiting struct {
	l       *Limiter
	granted atomic.Int64
}

// Limit returns a hook that keeps to l.
func Limit(l *Limiter) Hook { return &limiting{l: l} }

// Before waits for its turn.
func (h *limiting) Before(ctx context.Context, want int64) (int64, error) {
	if h.l.bytesPerSecond <= 0 {
		return want, nil
	}
	want = min(want, h.l.slice)
	if wait := h.l.take(want); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			h.l.giveBack(want)
			return 0, context.Cause(ctx)
		}
	}
	h.granted.Add(want)
	return want, nil
}

// After gives back what did not go.
func (h *limiting) After(n int64, _ Method) {
	if h.l.bytesPerSecond > 0 {
		if rest := h.granted.Swap(0) - n; rest != 0 {
			h.l.giveBack(rest)
		}
	}
}

type deadline struct {
	ignoreAfter
	set func(time.Time) error
	d   time.Duration
}

// Before moves the deadline on.
func (h deadline) Before(_ context.Context, want int64) (int64, error) {
	return want, h.set(time.Now().Add(h.d))
}

// WriteTimeout returns a hook that gives every slice d to go, not the whole transfer: a slice
// ends as soon as some of it went, so a peer that takes bytes now and then is never cut off.
// That holds for hooks of connections, and of writers on them: where an http.ResponseWriter
// moves the bytes, a slice ends when all of it went. The last deadline stays when the transfer
// has ended.
func WriteTimeout(c interface{ SetWriteDeadline(time.Time) error }, d time.Duration) Hook {
	return deadline{set: c.SetWriteDeadline, d: d}
}

// ReadTimeout is WriteTimeout for the other direction. It does not belong on connections of
// an http.Server, which moves the deadline for reading itself.
func ReadTimeout(c interface{ SetReadDeadline(time.Time) error }, d time.Duration) Hook {
	return deadline{set: c.SetReadDeadline, d: d}
}

// Event is one step of a traced transfer.
type Event struct {
	Time   time.Time
	Done   bool   // the slice went; false: it is about to
	Bytes  int64  // that went, or that are about to at most
	Method Method // how they went, when they did
}

type tracing func(Event)

// Before tells what is about to go.
func (see tracing) Before(_ context.Context, want int64) (int64, error) {
	see(Event{Time: time.Now(), Bytes: want})
	return want, nil
}

// After tells what went.
func (see tracing) After(n int64, m Method) {
	see(Event{Time: time.Now(), Done: true, Bytes: n, Method: m})
}

// Trace returns a hook that shows every slice to see.
func Trace(fn func(Event)) Hook { return tracing(fn) }

type progress struct {
	every  int64
	report func(total int64)
	total  atomic.Int64
}

// progressBytesMin is the smallest slice for the sake of progress: showing it is to cost nothing.
const progressBytesMin = 256 << 10

// Before lets no more go than one mark's worth.
func (p *progress) Before(_ context.Context, want int64) (int64, error) {
	return min(want, max(p.every, progressBytesMin)), nil
}

// After tells when a mark was passed.
func (p *progress) After(n int64, _ Method) {
	if total := p.total.Add(n); n > 0 && total/p.every > (total-n)/p.every {
		p.report(total)
	}
}

// Progress returns a hook that calls told with the bytes that went so far, whenever they
// passed another multiple of every. An every below 1 is 1: after each slice.
func Progress(every int64, report func(total int64)) Hook {
	return &progress{every: max(every, 1), report: report}
}
