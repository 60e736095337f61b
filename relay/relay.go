// Package relay forwards connections to another address, and does so inside the kernel while they
// carry much data.
//
//	r, err := relay.New("127.0.0.1:9000", relay.Options{IdleTimeout: 5 * time.Minute})
//	...
//	err = r.Serve(listener) // until r.Shutdown
//
// Each direction of a connection starts by copying, which is faster for small messages, and splices
// once it has moved 256 KiB in steps of at least 8 KiB. An idle connection costs two descriptors,
// but no buffer and no pipe. The relay reads nothing that it cannot write: a slow reader slows its
// writer down, as if there were no relay between them. Half-closed connections stay open: when one
// side ends its stream, the other side reads EOF and may go on sending. When one side is reset, or the
// relay itself ends a connection, both sides are reset: a clean end always means that all was passed
// on. Unix sockets cannot be reset; their peers read EOF.
//
// Connections within one machine are not paced: if the system's congestion control is BBR, loopback
// sockets use Reno.
package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/net/exposition"
	"github.com/thresh-dev/thresh/internal/net/pacing"
	"github.com/thresh-dev/thresh/internal/net/splice"
	"github.com/thresh-dev/thresh/internal/net/throttle"
)

const (
	dialTimeoutDefault = 5 * time.Second
	// The first and the longest pause between two attempts while descriptors are short.
	pauseMin, pauseMax = 5 * time.Millisecond, time.Second
	// The bound where the system does not limit open files.
	connsUnlimited = 1 << 20
)

// errorLogInterval is the time between two reports of one kind: while the target is down, every client causes an
// error.
const errorLogInterval = 5 * time.Second

// Relay forwards connections to one target. It is safe for concurrent use.
type Relay struct {
	target                          string // as passed to New
	network, addr                   string
	dialer                          net.Dialer
	idle                            time.Duration
	pipes                           *splice.PipePool
	metrics                         *relayMetrics
	slots                           chan struct{} // one per open connection
	proxying                        proxying
	dialLog, shortageLog, headerLog *throttle.Errors
	stopping                        chan struct{} // closed by Shutdown
	dialCtx                         context.Context
	cancelDials                     context.CancelFunc
	mu                              sync.Mutex
	listeners                       map[net.Listener]bool
	pairs                           map[*pair]bool
	active                          sync.WaitGroup
}

// New returns a relay to target, which is host:port for TCP or unix:PATH for a unix socket. It does
// not connect yet. The error is a *failure.OptionError.
func New(target string, o Options) (*Relay, error) {
	network, addr, err := parseTarget(target)
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	proxies, err := newProxying(&o)
	if err != nil {
		return nil, err
	}
	r := &Relay{target: target, network: network, addr: addr, idle: o.IdleTimeout, proxying: proxies,
		pipes:    splice.SharedPool(),
		stopping: make(chan struct{}), listeners: map[net.Listener]bool{}, pairs: map[*pair]bool{}}
	conns := connsMax()
	if o.MaxConns > 0 {
		conns = min(conns, o.MaxConns)
	}
	r.slots = make(chan struct{}, conns)
	r.dialer.Control = pacing.DisableDial
	r.dialer.Timeout = o.DialTimeout
	if o.DialTimeout == 0 {
		r.dialer.Timeout = dialTimeoutDefault
	}
	var reportMu sync.Mutex
	report := func(err error) {
		if o.ErrorLog == nil {
			return
		}
		reportMu.Lock()
		defer reportMu.Unlock()
		o.ErrorLog(err)
	}
	r.dialLog = throttle.New(errorLogInterval, report)
	r.shortageLog = throttle.New(errorLogInterval, report)
	r.headerLog = throttle.New(errorLogInterval, report)
	r.dialCtx, r.cancelDials = context.WithCancel(context.Background())
	r.metrics = newMetrics(r)
	return r, nil
}

// check returns an error for the zero Relay, and for an argument of one of its methods that is nil.
func (r *Relay) check(name string, argument any) error {
	if r.metrics == nil {
		return errors.New("relay: the relay is empty; make one by New")
	}
	if argument == nil {
		return optionError(name, nil, "it must not be nil")
	}
	return nil
}

// Serve accepts connections of l and relays them. It returns net.ErrClosed after Shutdown; any
// other error is of l. Either way it closes l. Serve may run for several listeners at once. They
// share MaxConns, which should be greater than their number: a listener takes the place of its next
// connection before it accepts.
func (r *Relay) Serve(l net.Listener) (err error) {
	if err := r.check("l", l); err != nil {
		return err
	}
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
	pacing.DisableListener(l)
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
		// Clients wait in the backlog until an ending connection frees descriptors.
		r.shortageLog.Add(shortageError(err))
		pause = min(max(2*pause, pauseMin), pauseMax)
		select {
		case <-r.stopping:
		case <-time.After(pause):
		}
	}
	return net.ErrClosed
}

// shortageError adds a remedy to an error about missing descriptors or memory.
func shortageError(err error) error {
	return fmt.Errorf("%w: clients wait until other connections end: raise the limit of open files "+
		"(ulimit -n, LimitNOFILE=), of which each connection takes two, or lower the limit of connections", err)
}

// isShortage reports whether err means that descriptors or memory are short for now.
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

// acquireSlot waits for a free connection slot. It returns false if the relay is stopped.
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
	r.shortageLog.Add(fmt.Errorf("relay to %s: %d connections are open, which is the limit: more clients wait "+
		"until others end", r.target, cap(r.slots)))
	select {
	case r.slots <- struct{}{}:
		return true
	case <-r.stopping:
		return false
	}
}

func (r *Relay) releaseSlot() { <-r.slots }

// start relays an accepted connection, which already has a slot.
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
	r.active.Go(func() {
		r.metrics.connections.Inc()
		r.metrics.closed[p.relay(r)].Inc()
		r.mu.Lock()
		delete(r.pairs, p)
		r.mu.Unlock()
		r.releaseSlot()
	})
}

// Shutdown stops accepting connections and waits until the open ones end. When ctx ends first, it
// closes those that are left and returns an error that wraps ctx's. Repeated calls are allowed.
func (r *Relay) Shutdown(ctx context.Context) error {
	if err := r.check("ctx", ctx); err != nil {
		return err
	}
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
	r.dialLog.Close()
	r.shortageLog.Close()
	r.headerLog.Close()
	return err
}

// Metrics returns a handler that serves the relay's metrics in the Prometheus text format. They are
// called thresh_relay_*; their names and labels are stable.
func (r *Relay) Metrics() http.Handler {
	if r.metrics == nil {
		return http.NotFoundHandler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		var samples bytes.Buffer
		r.metrics.set.WritePrometheus(&samples)
		_ = exposition.Write(w, samples.Bytes(), metricsHelp) // the client has left
	})
}

// Options configure a relay. The zero value is ready to use.
type Options struct {
	// MaxConns limits the open connections. More clients wait in the listener's backlog, as with
	// other relays and proxies. The limit of open files sets an upper bound, because each
	// connection takes two; 0 means that bound.
	MaxConns int
	// IdleTimeout closes connections over which no byte has passed in either direction for that
	// long, or up to a quarter longer. 0: never.
	IdleTimeout time.Duration
	// DialTimeout bounds the wait for a connection to the target; 0: 5 s.
	DialTimeout time.Duration
	// ProxyProtocol expects a header of the PROXY protocol, version 1 or 2, at the beginning of each
	// connection, and does not pass it on. Connections of others than TrustedProxies are reset.
	ProxyProtocol bool
	// TrustedProxies are the proxies whose headers are believed: addresses, CIDR blocks, "loopback",
	// "private" for the addresses of private networks, and "unix" for all that connect to a unix socket.
	TrustedProxies []string
	// SendProxy is the version of the PROXY protocol, 1 or 2, in which the target gets a header: with
	// the addresses of the header received or, without ProxyProtocol, of the client's connection. What
	// had no addresses is sent as UNKNOWN or LOCAL. 0: no header.
	SendProxy int
	// ErrorLog is called with errors that no method returns, such as a failed connection to the
	// target. Calls never overlap. Repeated errors are combined: each kind is reported at most
	// once in 5 s, and at Shutdown. nil: such errors are dropped.
	ErrorLog func(error)
}

// optionError returns a *failure.OptionError for an option or an argument that New does not accept.
func optionError(field string, value any, reason string) error {
	format := "relay: %s %v: %s"
	if _, ok := value.(string); ok {
		format = "relay: %s %q: %s"
	}
	return &failure.OptionError{Field: field, Value: value, Reason: fmt.Sprintf(format, field, value, reason)}
}

// check returns the first option that is not allowed.
func (o *Options) check() error {
	const reason = "must not be negative"
	switch {
	case o.MaxConns < 0:
		return optionError("MaxConns", o.MaxConns, reason)
	case o.IdleTimeout < 0:
		return optionError("IdleTimeout", o.IdleTimeout, reason)
	case o.DialTimeout < 0:
		return optionError("DialTimeout", o.DialTimeout, reason)
	}
	return nil
}

// parseTarget returns the network and the address of a target.
func parseTarget(target string) (network, addr string, err error) {
	if path, ok := strings.CutPrefix(target, "unix:"); ok {
		return "unix", path, nil
	}
	if host, port, err := net.SplitHostPort(target); err != nil || host == "" || port == "" {
		return "", "", optionError("target", target,
			"a target is host:port, such as 127.0.0.1:9000 or [::1]:9000, or unix:PATH")
	}
	return "tcp", target, nil
}
