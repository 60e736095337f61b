package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

// pace limits the time in which a client takes nothing, and counts slices.
//
// A deadline applies to a slice, but the timeout is about progress: with one minute for a slice of
// 1 MiB, clients with less than 17 kB a second would be cut off. So a slice that missed its
// deadline continues if some of it was sent. A client is cut off only if it took nothing at all.
//
// Setting a deadline costs as much as a short system call. So it is renewed only after an eighth of
// its time, unless others set deadlines too.
type pace struct {
	conn   net.Conn
	wait   time.Duration
	shared bool // crypto/tls and net/http set deadlines as well
	stats  *stats
	set    time.Time // when the current deadline was set
	moved  int64     // bytes sent since then
}

func (p *pace) Before(_ context.Context, want int64) (int64, error) {
	if now := time.Now(); p.shared || now.Sub(p.set) > p.wait/8 {
		if err := p.conn.SetWriteDeadline(now.Add(p.wait)); err != nil {
			return 0, err
		}
		p.set, p.moved = now, 0
	}
	return want, nil
}

func (p *pace) After(n int64, _ zerocopy.Method) {
	p.moved += n
	p.stats.slices.Inc()
}

// shouldContinue reports whether a transfer that ended with err should continue.
func (p *pace) shouldContinue(err error) bool {
	if p.moved == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	p.set = time.Time{}
	return true
}

// send sends b, however long that takes, while the client keeps taking bytes.
func (c *client) send(b []byte) (n int, err error) {
	for {
		m, err := c.conn.Write(b[n:])
		n += m
		if err == nil || !c.pace.shouldContinue(err) {
			c.broken = err != nil
			return n, err
		}
	}
}

// sendFrom is Write for the rest of r, which keeps track of what was sent.
func (c *client) sendFrom(r io.Reader) (sum zerocopy.Result, err error) {
	if c.tls != nil {
		return zerocopy.Copy(c.tls, r)
	}
	for {
		result, err := zerocopy.Copy(c.conn, r)
		for m := range result.Bytes {
			sum.Bytes[m] += result.Bytes[m]
			sum.Calls[m] += result.Calls[m]
		}
		if err == nil || !c.pace.shouldContinue(err) {
			return sum, err
		}
	}
}

// countWaits counts how often a rate limit delayed a transfer.
type countWaits struct {
	zerocopy.Hook
	stats *stats
}

// A wait shorter than this was none.
const waitMin = time.Millisecond

func (w countWaits) Before(ctx context.Context, want int64) (int64, error) {
	began := time.Now()
	n, err := w.Hook.Before(ctx, want)
	if time.Since(began) > waitMin {
		w.stats.waits.Inc()
	}
	return n, err
}
