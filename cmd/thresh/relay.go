package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/internal/net/activation"
	"github.com/thresh-dev/thresh/relay"
)

// relayFlags is what relay has, as typed.
type relayFlags struct {
	listen, to  string
	metrics     string
	maxConns    int
	idle, drain time.Duration
}

func newRelay(c *console) *cobra.Command {
	var f relayFlags
	cmd := &cobra.Command{
		Use:   "relay [flags] --listen ADDR --to ADDR",
		Short: "connections passed on to another address, inside the kernel",
		Long: `relay accepts connections and passes their bytes on to another address, both ways. An
address is HOST:PORT, or unix:PATH. Where a connection has much to say its bytes do not
leave the kernel (splice); small messages are copied, which is faster for them.

Nothing is kept back or read ahead: a slow reader slows its writer down. When one side has
said all, the other is told, and may go on. When one side is reset or vanishes, the other is
closed. A connection that cannot be passed on, since nobody answers at --to, is closed, and
standard error says why, once in five seconds.

Where the system's congestion control is BBR, sockets of the loopback take Reno: nothing is
congested there, and the timers by which BBR paces would double the processor time. That is
so for --listen and --to with an address of the loopback, as 127.0.0.1.

--max-conns N keeps N connections at once; more wait unaccepted, in the backlog of the
socket, until others end. Each takes two descriptors, and there are never more than these
allow (ulimit -n). --idle D closes connections over which no byte has gone for D, or up to a
quarter more; 0 keeps them.

--metrics ADDR answers http://ADDR/metrics in the text format of Prometheus.

SIGTERM and SIGINT stop it: no more connections are accepted, and those that are open have
the time of --drain to end. A second signal ends it at once.

As a service of systemd it takes over the socket of its unit, and that with
FileDescriptorName=metrics, and says when it is ready (Type=notify). --listen is then not
needed.

Exit status: 0 stopped by a signal, 2 wrong usage, or an address could not be had, 130 ended
by a second signal.`,
		Example: `  thresh relay --listen 127.0.0.1:9100 --to 127.0.0.1:9000
  thresh relay --listen :443 --to unix:/run/app.sock --max-conns 5000 --idle 5m
  thresh relay --listen :5432 --to db.internal:5432 --metrics 127.0.0.1:9101`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.run(cmd.Context(), c); err != nil {
				return &exitError{exitUsage, err}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.listen, "listen", "", "where to accept connections: host:port, or unix:PATH")
	flags.StringVar(&f.to, "to", "", "where to pass them on: host:port, or unix:PATH")
	flags.IntVar(&f.maxConns, "max-conns", 0,
		"connections at once; more wait until others end (default: as many as open files allow)")
	flags.DurationVar(&f.idle, "idle", 0, "close connections without traffic for that long (default never)")
	flags.StringVar(&f.metrics, "metrics", "", "answer /metrics for Prometheus at this address")
	flags.DurationVar(&f.drain, "drain", 30*time.Second, "time for open connections to end when stopped")
	return cmd
}

// run relays until ctx ends.
func (f *relayFlags) run(ctx context.Context, c *console) error {
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
	c.serves(f.drain)
	served := make(chan error, 1)
	go func() { served <- r.Serve(l) }()
	fmt.Fprintf(c.err, "relaying %s to %s\n", printAddr(l.Addr()), f.to)
	if err := activation.Ready(); err != nil {
		complain(c.err, err)
	}
	select {
	case err = <-served: // the listener failed
	case <-ctx.Done():
		defer func() { <-served }()
	}
	if err := activation.Stopping(); err != nil {
		complain(c.err, err)
	}
	drain, cancel := context.WithTimeout(context.Background(), f.drain)
	defer cancel()
	if err := r.Shutdown(drain); err != nil {
		complain(c.err, err)
	}
	s := r.Stats()
	fmt.Fprintf(c.err, "relayed %s bytes of %s connections, %s of them by splice; %s were turned away\n",
		humanize.Comma(s.Bytes), humanize.Comma(s.Connections), humanize.Comma(s.Spliced), humanize.Comma(s.DialFailures))
	return err
}

// relay checks the flags and makes the relay.
func (f *relayFlags) relay(c *console) (*relay.Relay, error) {
	switch {
	case f.to == "":
		return nil, errors.New("relay where? --to names the address to pass connections on to")
	case f.maxConns < 0:
		return nil, fmt.Errorf("--max-conns %d: at least 1, or 0 for no limit", f.maxConns)
	case f.idle < 0 || f.drain < 0:
		return nil, errors.New("--idle and --drain are times like 5m or 30s, and not below zero")
	}
	return relay.New(f.to, relay.Options{MaxConns: f.maxConns, IdleTimeout: f.idle,
		ErrorLog: func(err error) { complain(c.err, err) }})
}

// open listens, and answers for metrics until stop is called.
func (f *relayFlags) open(
	c *console, sockets *activation.Sockets, r *relay.Relay,
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
	return l, serveMetrics(m, r.Metrics(), func(err error) { complain(c.err, err) }), nil
}

// printAddr returns an address as --listen takes it.
func printAddr(a net.Addr) string {
	if a.Network() == "unix" {
		return "unix:" + a.String()
	}
	return a.String()
}
