// Package relay passes connections on to another address, inside the kernel where they
// have much to say.
//
// Each direction of a connection copies at first, which is the faster for small messages,
// and splices when it proves busy (see direction). A connection without traffic has two
// descriptors, and neither a buffer nor a pipe. Nothing is read that cannot be written: a
// slow reader slows its writer down, as if no relay were between them.
//
// Sockets between programs of one machine are not paced: where the system's congestion
// control is BBR, those of the loopback take Reno.
package relay

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/thresh-dev/thresh/internal/net/splice"
)

// Options of a relay. The zero value relays plainly.
type Options struct {
	// Connections at once. More wait unaccepted, in the backlog of the listener, as clients
	// of other relays and proxies are used to. 0, and what is too much: as many as the limit
	// of open files allows, of which a connection takes two.
	MaxConns    int
	IdleTimeout time.Duration // a connection without progress in either direction is closed; 0: never
	DialTimeout time.Duration // for the connection to the target; 0: 5 s
	ErrorLog    func(error)   // told of what goes wrong; nil: nothing is; not called at once by two
}

const (
	dialTimeoutDefault = 5 * time.Second
	// Between two tries where descriptors are short, from the first to the last.
	pauseMin, pauseMax = 5 * time.Millisecond, time.Second
	// Connections where the system does not say how many there may be.
	connsUnlimited = 1 << 20
)

// Relay passes connections on to one target. It is safe for concurrent use.
type Relay struct {
	target               string // as the user wrote it
	network, addr        string
	dialer               net.Dialer
	idle                 time.Duration
	pipes                *splice.PipePool
	metrics              *relayMetrics
	slots                chan struct{} // one for each connection that may be
	dialLog, shortageLog *errorLog
	stopping             chan struct{} // closed by Shutdown
	dialCtx              context.Context
	cancelDials          context.CancelFunc
	mu                   sync.Mutex
	listeners            map[net.Listener]bool
	pairs                map[*pair]bool
	active               sync.WaitGroup
}

// New returns a relay to a TCP or unix address: host:port, or unix:PATH.
func New(target string, o Options) (*Relay, error) {
	r := &Relay{target: target, network: "tcp", addr: target, idle: o.IdleTimeout, pipes: splice.SharedPool(),
		stopping: make(chan struct{}), listeners: map[net.Listener]bool{}, pairs: map[*pair]bool{}}
	if path, ok := strings.CutPrefix(target, "unix:"); ok {
		r.network, r.addr = "unix", path
	} else if host, port, err := net.SplitHostPort(target); err != nil || host == "" || port == "" {
		return nil, fmt.Errorf("relay to %q: a target is host:port, as 127.0.0.1:9000 or [::1]:9000, or unix:PATH", target)
	}
	if o.MaxConns < 0 || o.IdleTimeout < 0 || o.DialTimeout < 0 {
		return nil, fmt.Errorf("relay to %s: a limit below zero", target)
	}
	conns := connsMax()
	if o.MaxConns > 0 {
		conns = min(conns, o.MaxConns)
	}
	r.slots = make(chan struct{}, conns)
	r.dialer.Control = disablePacingDial
	r.dialer.Timeout = o.DialTimeout
	if o.DialTimeout == 0 {
		r.dialer.Timeout = dialTimeoutDefault
	}
	var speak sync.Mutex
	r.dialLog = &errorLog{report: o.ErrorLog, reportMu: &speak}
	r.shortageLog = &errorLog{report: o.ErrorLog, reportMu: &speak}
	r.dialCtx, r.cancelDials = context.WithCancel(context.Background())
	r.metrics = newMetrics(r)
	return r, nil
}

// Serve accepts connections of l until Shutdown, then returns net.ErrClosed. It closes l.
// Several listeners share the limit of connections; it should be above their number.
func (r *Relay) Serve(l net.Listener) (err error) {
	defer func() {
		r.mu.Lock()
		delete(r.listeners, l)
		r.mu.Unlock()
		if cerr := l.Close(); cerr != nil && !errors.Is(cerr, net.ErrClosed) && err == nil {
			err = cerr
		}
	}()
	r.mu.Lock()
	if !r.stopped() {
		r.listeners[l] = true
	}
	r.mu.Unlock()
	disablePacing(l)
	var pause time.Duration
	for r.acquireSlot() {
		c, err := l.Accept()
		if err == nil {
			pause = 0
			r.start(c)
			continue
		}
		r.releaseSlot()
		if r.stopped() {
			break
		}
		err = fmt.Errorf("accept on %s: %w", l.Addr(), err)
		if !isShortage(err) {
			return err
		}
		// Clients wait in the backlog meanwhile: a connection that ends makes room.
		r.shortageLog.log(shortageError(err))
		pause = min(max(2*pause, pauseMin), pauseMax)
		select {
		case <-r.stopping:
		case <-time.After(pause):
		}
	}
	return net.ErrClosed
}

// short says what to do where descriptors or memory are short.
func shortageError(err error) error {
	return fmt.Errorf("%w: clients wait until others end: raise the limit of open files (ulimit -n, LimitNOFILE=), "+
		"of which each connection takes two, or lower the limit of connections", err)
}

// passing reports whether an error passes by itself, when others end.
func isShortage(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (r *Relay) stopped() bool {
	select {
	case <-r.stopping:
		return true
	default:
		return false
	}
}

// slot waits until one more connection may be, or returns false when the relay stops.
func (r *Relay) acquireSlot() bool {
	if r.stopped() {
		return false
	}
	select {
	case r.slots <- struct{}{}:
		return true
	default:
	}
	r.metrics.limited.Inc()
	r.shortageLog.log(fmt.Errorf("relay to %s: %d connections are open, which is the limit: more clients wait "+
		"until others end", r.target, cap(r.slots)))
	select {
	case r.slots <- struct{}{}:
		return true
	case <-r.stopping:
		return false
	}
}

func (r *Relay) releaseSlot() { <-r.slots }

// start relays an accepted connection, which has a slot.
func (r *Relay) start(c net.Conn) {
	p := &pair{client: c}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped() {
		c.Close()
		r.releaseSlot()
		return
	}
	r.pairs[p] = true
	r.active.Add(1)
	go func() {
		defer r.active.Done()
		r.metrics.connections.Inc()
		r.metrics.closed[p.relay(r)].Inc()
		r.mu.Lock()
		delete(r.pairs, p)
		r.mu.Unlock()
		r.releaseSlot()
	}()
}

// Shutdown stops accepting, waits for what is under way until ctx ends, and closes what is
// left then.
func (r *Relay) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	if !r.stopped() {
		close(r.stopping)
	}
	var err error
	for l := range r.listeners {
		if cerr := l.Close(); cerr != nil && !errors.Is(cerr, net.ErrClosed) {
			err = errors.Join(err, cerr)
		}
	}
	r.mu.Unlock()
	done := make(chan struct{})
	go func() {
		r.active.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		r.cancelDials()
		r.mu.Lock()
		if n := len(r.pairs); n > 0 {
			err = errors.Join(err, fmt.Errorf("relay to %s: %d connections cut: %w", r.target, n, ctx.Err()))
		}
		for p := range r.pairs {
			p.end(endStop)
		}
		r.mu.Unlock()
		<-done
	}
	r.cancelDials()
	r.pipes.CloseIdle()
	r.dialLog.flush()
	r.shortageLog.flush()
	return err
}

// Metrics answers with the relay's figures in Prometheus' text format.
func (r *Relay) Metrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		r.metrics.set.WritePrometheus(w)
	})
}
