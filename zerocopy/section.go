package zerocopy

import (
	"context"
	"io"
	"net/http"
	"os"
	"time"
)

// NewSection returns the n bytes of f from off on. Calls that may wait for the disk go
// through gate, unless it is nil.
func NewSection(f *os.File, off, n int64, gate Gate) *Section {
	return &Section{SectionReader: io.NewSectionReader(f, off, n), gate: gate}
}

type nothing struct{}

func (nothing) Before(_ context.Context, want int64) (int64, error) { return want, nil }
func (nothing) After(int64, Method)                                 {}

type counting struct {
	nothing
	c *Counter
}

func (c counting) After(n int64, m Method) { c.c.by[m].Add(n) }

// Count returns a hook that counts into c.
func Count(c *Counter) Hook { return counting{c: c} }

// Limiter is a rate that transfers share. It is safe for concurrent use.
type Limiter struct{ bytesPerSecond int64 }

// NewLimiter returns a limiter of that rate.
func NewLimiter(bytesPerSecond int64) *Limiter { return &Limiter{bytesPerSecond} }

// Limit returns a hook that keeps to l.
func Limit(l *Limiter) Hook { return nothing{} }

// WriteTimeout returns a hook that gives every slice d to go, not the whole transfer.
func WriteTimeout(c interface{ SetWriteDeadline(time.Time) error }, d time.Duration) Hook {
	return nothing{}
}

// ReadTimeout is WriteTimeout for the other direction.
func ReadTimeout(c interface{ SetReadDeadline(time.Time) error }, d time.Duration) Hook {
	return nothing{}
}

// Route is the path that a copy would take.
type Route struct {
	Method Method
	Reason string // why no better one; empty where there is none
}

// Path returns the path that io.Copy(dst, src) would take.
func Path(dst io.Writer, src io.Reader) Route { return Route{} }

// NewResponseWriter returns w with hooks.
func NewResponseWriter(w http.ResponseWriter, r *http.Request, hooks ...Hook) http.ResponseWriter {
	return w
}
