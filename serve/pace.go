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

// pace gives the client time to take something, and counts slices.
//
// A deadline is for a slice, but the time-out is about progress: a slice of 1 MiB within a
// minute would cut off whoever has less than 17 kB a second. So a slice that ran out of
// time, and of which something went, is gone on with: the client is cut off when it took
// nothing at all.
//
// To set a deadline costs as much as a short system call does. It is set anew only when
// the one that stands has lost an eighth of its time, except where others set it too.
type pace struct {
	conn   net.Conn
	wait   time.Duration
	shared bool // others set deadlines as well
	stats  *stats
	set    time.Time // when the deadline that stands was set
	moved  int64     // bytes since then
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

// goesOn reports whether a transfer that ended with err is to be gone on with.
func (p *pace) shouldContinue(err error) bool {
	if p.moved == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	p.set = time.Time{}
	return true
}

// Write sends b, however long that takes while the client takes something.
func (c *client) Write(b []byte) (n int, err error) {
	for {
		m, err := c.conn.Write(b[n:])
		n += m
		if err == nil || !c.pace.shouldContinue(err) {
			return n, err
		}
	}
}

// send is Write for what r has; r knows what has gone.
func (c *client) send(r io.Reader) (sum zerocopy.Result, err error) {
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

// waits counts how often a limit of the rate held a transfer up.
type countWaits struct {
	zerocopy.Hook
	stats *stats
}

// A token that was there costs less than this.
const waitMin = time.Millisecond

func (w countWaits) Before(ctx context.Context, want int64) (int64, error) {
	began := time.Now()
	n, err := w.Hook.Before(ctx, want)
	if time.Since(began) > waitMin {
		w.stats.waits.Inc()
	}
	return n, err
}
