package zerocopy

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Counter counts bytes by method; the zero value is ready to use. It is safe for concurrent use.
type Counter struct{ by [methods]atomic.Int64 }

// Bytes returns the number of bytes transferred by m, 0 for a method that is none.
func (c *Counter) Bytes(m Method) int64 {
	if m >= methods {
		return 0
	}
	return c.by[m].Load()
}

// Total returns the number of bytes transferred by any method.
func (c *Counter) Total() (n int64) {
	for m := range c.by {
		n += c.by[m].Load()
	}
	return n
}

// passAll is the Before of hooks that only observe.
type passAll struct{}

func (passAll) Before(_ context.Context, want int64) (int64, error) { return want, nil }

// ignoreAfter is the After of hooks that do not count.
type ignoreAfter struct{}

func (ignoreAfter) After(int64, Method) {}

type counting struct {
	passAll
	to *Counter
}

func (c counting) After(n int64, m Method) { c.to.by[m].Add(n) }

// Count returns a hook that adds to c. Many transfers may share it.
func Count(c *Counter) Hook {
	require("Count", "counter", c)
	return counting{to: c}
}

// Limiter is a byte rate that any number of transfers share, first come, first served. It is safe
// for concurrent use.
type Limiter struct {
	bytesPerSecond float64
	slice          int64

	mu       sync.Mutex
	nextFree time.Time // when all granted bytes will have been sent at this rate
}

// A limited transfer uses slices of a tenth of a second's worth of bytes, but no slice so small
// that system calls dominate and none so large that other transfers wait long.
const (
	limitSeconds  = 0.1
	limitBytesMin = 16 << 10
	limitBytesMax = sliceBytes
)

// NewLimiter returns a limiter of that rate. With a rate of 0 or less there is no limit.
func NewLimiter(bytesPerSecond int64) *Limiter {
	slice := int64(float64(bytesPerSecond) * limitSeconds)
	return &Limiter{bytesPerSecond: float64(bytesPerSecond), slice: min(max(slice, limitBytesMin), limitBytesMax)}
}

// take grants n bytes and returns how long to wait before sending them. Later callers queue behind
// them. Capacity unused for longer than one slice's time is lost, so that no burst follows a pause.
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

// giveBack returns n granted bytes that were not sent.
func (l *Limiter) giveBack(n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nextFree = l.nextFree.Add(-l.span(n))
}

// Idle reports whether a new limiter of the same rate would grant no more than this one: nothing
// was granted of late. So a limiter that is idle and not in use may be dropped and made anew.
func (l *Limiter) Idle() bool {
	if l.bytesPerSecond <= 0 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.nextFree.After(time.Now().Add(-l.span(l.slice)))
}

func (l *Limiter) span(n int64) time.Duration {
	return time.Duration(float64(n) / l.bytesPerSecond * float64(time.Second))
}

// limiting records the bytes that were granted but not yet sent. Transfers that share the hook may
// briefly return each other's grants; the sum stays correct.
type limiting struct {
	l       *Limiter
	granted atomic.Int64
}

// Limit returns a hook that keeps transfers within the rate of l. A wait ends with the context's
// cause if the context ends.
func Limit(l *Limiter) Hook {
	require("Limit", "limiter", l)
	return &limiting{l: l}
}

// Before waits until the limiter grants the bytes.
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

// After returns the part of the grant that was not sent.
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

// Before extends the deadline.
func (h deadline) Before(_ context.Context, want int64) (int64, error) {
	return want, h.set(time.Now().Add(h.d))
}

// WriteTimeout returns a hook that gives every slice the time d; it does not limit the whole
// transfer. With a d of 0 or less, the first slice ends with os.ErrDeadlineExceeded. A slice ends as
// soon as some of its bytes were sent, so a peer that keeps reading, however slowly, is never cut
// off. That holds for hooks on connections and on writers that wrap them. If an http.ResponseWriter
// moves the bytes, a slice ends only when all of it was sent. After the transfer the last deadline
// stays set.
func WriteTimeout(c interface{ SetWriteDeadline(time.Time) error }, d time.Duration) Hook {
	require("WriteTimeout", "connection", c)
	return deadline{set: c.SetWriteDeadline, d: d}
}

// ReadTimeout is WriteTimeout for reading. Do not use it on connections of an http.Server, which
// sets read deadlines itself.
func ReadTimeout(c interface{ SetReadDeadline(time.Time) error }, d time.Duration) Hook {
	require("ReadTimeout", "connection", c)
	return deadline{set: c.SetReadDeadline, d: d}
}

// Event describes one step of a traced transfer.
type Event struct {
	Time   time.Time
	Done   bool   // true after the slice, false before it
	Bytes  int64  // transferred if Done, else the most that may be
	Method Method // valid if Done
}

type tracing func(Event)

// Before reports the next slice.
func (t tracing) Before(_ context.Context, want int64) (int64, error) {
	t(Event{Time: time.Now(), Bytes: want})
	return want, nil
}

// After reports a finished slice.
func (t tracing) After(n int64, m Method) {
	t(Event{Time: time.Now(), Done: true, Bytes: n, Method: m})
}

// Trace returns a hook that calls fn before and after every slice.
func Trace(fn func(Event)) Hook {
	require("Trace", "function", fn)
	return tracing(fn)
}

type progress struct {
	every  int64
	report func(total int64)
	total  atomic.Int64
}

// progressBytesMin keeps slices large enough that showing progress costs next to nothing.
const progressBytesMin = 256 << 10

// Before limits a slice to the distance between two reports.
func (p *progress) Before(_ context.Context, want int64) (int64, error) {
	return min(want, max(p.every, progressBytesMin)), nil
}

// After calls report if the total passed a multiple of every.
func (p *progress) After(n int64, _ Method) {
	if total := p.total.Add(n); n > 0 && total/p.every > (total-n)/p.every {
		p.report(total)
	}
}

// Progress returns a hook that calls report with the total so far whenever the total has passed
// another multiple of every. Values of every below 1 count as 1: report is called after each slice.
// Transfers that share the hook share the total, and may call report concurrently.
func Progress(every int64, report func(total int64)) Hook {
	require("Progress", "function", report)
	return &progress{every: max(every, 1), report: report}
}
