package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/thresh-dev/thresh/internal/command"
	"github.com/thresh-dev/thresh/internal/net/activation"
	"github.com/thresh-dev/thresh/relay"
)

// relayFlags is what relay has, as typed.
type relayFlags struct {
	listen, to  string
	metrics     string
	maxConns    int
	idle, drain time.Duration
	proxies     proxyFlags
	sendProxy   string
}

func newRelay() *command.Verb {
	f := &relayFlags{drain: 30 * time.Second}
	return &command.Verb{
		Name:  "relay",
		Usage: "[flags] --listen ADDR --to ADDR",
		Short: "pass bytes on: a TCP relay inside the kernel",
		Long: `relay accepts connections and passes their bytes on to another address, in both
directions. An address is HOST:PORT or unix:PATH. Bulk data does not leave the
kernel (splice); small messages are copied, which is faster for them.

Slow and closed connections:
  relay does not buffer or read ahead: a slow reader slows down its writer.
  Half-closed connections stay open: when one side is done sending, the other
  learns of it and may continue. When one side is reset or vanishes, the other
  is closed. If nothing answers at --to, the connection is closed; standard
  error says why, at most once in five seconds.

Congestion control:
  If the system's congestion control is BBR, loopback sockets use Reno
  instead: nothing is congested there, and the pacing timers of BBR would
  double the processor time. This applies to --listen and --to with a loopback
  address, such as 127.0.0.1.

Limits:
  --max-conns N allows N open connections; more wait in the backlog of the
  socket until others end. A connection takes two file descriptors, so the
  limit on open files (ulimit -n) limits connections too. --idle D closes a
  connection after D to 1.25 D without traffic; 0 never closes one.

PROXY protocol:
  --send-proxy v1 or v2 sends the target a header of the PROXY protocol, which
  names the client's address. --proxy-protocol expects such a header, of
  either version, from the clients, which are proxies then: those at
  --trusted-proxy, an address, a CIDR block, loopback, private or unix. All
  other connections are reset. With both flags the target gets the addresses
  that the proxy named.

Metrics:
  --metrics ADDR serves http://ADDR/metrics in the text format of Prometheus.

Stopping:
  SIGTERM or SIGINT stops the relay: it accepts no more connections and gives
  open ones the time of --drain to finish. A second signal ends it at once.

systemd:
  As a systemd service it takes over the socket of its unit, and the one with
  FileDescriptorName=metrics, and notifies systemd when it is ready
  (Type=notify). --listen is not needed then.

Exit status:
  0    stopped by a signal
  2    wrong usage, or an address that cannot be used
  130  ended by a second signal`,
		Examples: `  thresh relay --listen 127.0.0.1:9100 --to 127.0.0.1:9000
  thresh relay --listen :443 --to unix:/run/app.sock --max-conns 5000 --idle 5m
  thresh relay --listen :8080 --to 127.0.0.1:80 --send-proxy v2
  thresh relay --listen :5432 --to db.internal:5432 --metrics 127.0.0.1:9101`,
		Common: "listen to max-conns idle send-proxy proxy-protocol trusted-proxy metrics drain",
		Flags: slices.Concat([]command.Flag{
			{Name: "listen", To: &f.listen, Help: "accept connections on `ADDR`: host:port or unix:PATH"},
			{Name: "to", To: &f.to, Help: "pass them on to `ADDR`: host:port or unix:PATH"},
			{Name: "max-conns", To: &f.maxConns,
				Help: "at most `N` open connections; more wait until others end (default: as many as open files allow)"},
			{Name: "idle", To: &f.idle, Help: "close connections without traffic for `TIME` (default: never)"},
			{Name: "send-proxy", To: &f.sendProxy, Values: []string{"v1", "v2"},
				Help: "send the target a PROXY header: `VERSION` is v1 or v2"},
		}, f.proxies.flags("believe PROXY headers from `CIDR`: an address, a block, loopback, private or unix; "+
			"may be repeated"),
			[]command.Flag{
				{Name: "metrics", To: &f.metrics, Help: "serve /metrics for Prometheus on `ADDR`"},
				{Name: "drain", To: &f.drain, Help: "`TIME` for open connections to finish after a signal"},
			}),
		TooMany: "both addresses have a flag: thresh relay --listen :9100 --to 127.0.0.1:9000",
		Run:     func(ctx context.Context, c *command.Call) error { return f.run(ctx, c.Console) },
	}
}

// run relays until ctx ends.
func (f *relayFlags) run(ctx context.Context, c *command.Console) error {
	r, err := f.relay(c)
	if err != nil {
		return err
	}
	sockets, err := activation.Inherit("relay", "metrics")
	if err != nil {
		return err
	}
	l, stop, err := f.open(c, sockets, r)
	if err = errors.Join(err, sockets.Close()); err != nil {
		return err
	}
	defer stop()
	c.Serves(f.drain)
	served := make(chan error, 1)
	go func() { served <- r.Serve(l) }()
	fmt.Fprintf(c.Err, "relaying %s to %s\n", printAddr(l.Addr()), f.to)
	if err := activation.Ready(); err != nil {
		command.Complain(c.Err, err)
	}
	select {
	case err = <-served: // the listener failed
	case <-ctx.Done():
		defer func() { <-served }()
	}
	if err := activation.Stopping(); err != nil {
		command.Complain(c.Err, err)
	}
	drain, cancel := context.WithTimeout(context.Background(), f.drain)
	defer cancel()
	if err := r.Shutdown(drain); err != nil {
		command.Complain(c.Err, err)
	}
	s := r.Stats()
	fmt.Fprintf(c.Err, "relayed %d bytes of %d connections, %d of them by splice; %d were turned away\n",
		s.Bytes, s.Connections, s.Spliced, s.DialFailures)
	return err
}

// relay checks the flags and makes the relay.
func (f *relayFlags) relay(c *command.Console) (*relay.Relay, error) {
	switch {
	case f.to == "":
		return nil, errors.New("relay where? --to names the address to pass connections on to")
	case f.maxConns < 0:
		return nil, fmt.Errorf("--max-conns %d: at least 1, or 0 for no limit", f.maxConns)
	case f.idle < 0 || f.drain < 0:
		return nil, errors.New("--idle and --drain are times like 5m or 30s, and not below zero")
	}
	o := relay.Options{MaxConns: f.maxConns, IdleTimeout: f.idle,
		ErrorLog: func(err error) { command.Complain(c.Err, err) }}
	if err := f.applyProxies(&o); err != nil {
		return nil, err
	}
	return relay.New(f.to, o)
}

// open listens, and answers for metrics until stop is called.
func (f *relayFlags) open(
	c *command.Console, sockets *activation.Sockets, r *relay.Relay,
) (l net.Listener, stop func(), err error) {
	if f.listen == "" && !sockets.Has("relay") {
		return nil, nil, errors.New("relay from where? --listen names the address to accept connections at")
	}
	if l, err = sockets.Listen("relay", f.listen); err != nil {
		return nil, nil, err
	}
	if f.metrics == "" && !sockets.Has("metrics") {
		return l, func() {}, nil
	}
	m, err := sockets.Listen("metrics", f.metrics)
	if err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	return l, serveMetrics(m, r.Metrics(), func(err error) { command.Complain(c.Err, err) }), nil
}

// printAddr returns an address as --listen takes it.
func printAddr(a net.Addr) string {
	if a.Network() == "unix" {
		return "unix:" + a.String()
	}
	return a.String()
}
