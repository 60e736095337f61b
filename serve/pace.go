package serve

import (
	"context"
	"net"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

const (
	sliceBytesMin   = 16 << 10
	sliceBytesFirst = 128 << 10
	sliceBytesMax   = 1 << 20
)

// pace gives the client time for every slice, and counts slices.
//
// A time-out between writes should be about progress, but a slice makes none that anybody
// sees until it is through: one of 1 MiB within a minute would cut off whoever has less
// than 17 kB a second. So slices shrink for a client that takes a quarter of its time over
// one, down to 16 KiB, and grow again for one that is quick.
//
// To set a deadline costs as much as a short system call does. It is set anew only when
// the one that stands has lost an eighth of its time, except where others set it too.
type pace struct {
	conn     net.Conn
	wait     time.Duration
	shared   bool // others set deadlines as well
	stats    *stats
	slice    int64
	deadline time.Time // when the one that stands was set
	began    time.Time
}

func (p *pace) Before(_ context.Context, want int64) (int64, error) {
	p.began = time.Now()
	if p.shared || p.began.Sub(p.deadline) > p.wait/8 {
		if err := p.conn.SetWriteDeadline(p.began.Add(p.wait)); err != nil {
			return 0, err
		}
		p.deadline = p.began
	}
	return min(want, p.slice), nil
}

func (p *pace) After(n int64, _ zerocopy.Method) {
	p.stats.slices.Inc()
	if n < sliceBytesMin {
		return
	}
	switch took := time.Since(p.began); {
	case took > p.wait/4:
		p.slice = max(p.slice/4, sliceBytesMin)
	case took < p.wait/16:
		p.slice = min(p.slice*2, sliceBytesMax)
	}
}

// waits counts how often a limit of the rate held a transfer up.
type waits struct {
	zerocopy.Hook
	stats *stats
}

// A token that was there costs less than this.
const waitMin = time.Millisecond

func (w waits) Before(ctx context.Context, want int64) (int64, error) {
	began := time.Now()
	n, err := w.Hook.Before(ctx, want)
	if time.Since(began) > waitMin {
		w.stats.waits.Inc()
	}
	return n, err
}
