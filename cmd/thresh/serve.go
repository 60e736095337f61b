package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/thresh-dev/thresh/internal/net/activation"
	"github.com/thresh-dev/thresh/serve"
)

// serveFlags is what serve has, as typed.
type serveFlags struct {
	addr      string
	metrics   string
	limitRate rate
	tlsCert   string
	tlsKey    string
	auth      []string
	authFile  string
	maxConns  int
	maxPerIP  int
	hidden    bool
	noListing bool
	accessLog string
	logFormat string
	header    time.Duration
	idle      time.Duration
	send      time.Duration
	drain     time.Duration
}

func newServe(c *console) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [flags] [PATH]",
		Short: "serve files: an HTTP server that sends them inside the kernel",
		Long: `serve serves a folder (default: the current one) or a single file over HTTP/1.1,
and over TLS also HTTP/2. Files go from the page cache to the socket inside the
kernel (sendfile). That holds for ranges and several ranges too, and with log,
limits and metrics switched on; only TLS has to copy.

serve never leaves PATH: it refuses symbolic links that lead out of it. It also
refuses names that begin with a dot (--hidden serves them) and anything that is
not a regular file or a folder. For a folder it sends its index.html, or a
listing if there is none: HTML, or JSON with ?format=json. If FILE.zst, FILE.br
or FILE.gz exists beside FILE, clients that accept it get the compressed file.

--auth NAME:HASH asks clients for a name and a password. HASH is a bcrypt hash;
htpasswd -nbB NAME PASSWORD prints the whole. --auth-file reads one such line
per user.

--limit-rate applies to each connection. With --max-conns connections open, more
clients wait to be accepted. With --max-conns-per-ip connections from one
address (for IPv6: from one /64), more get status 503.

A client has --header-timeout to send the header of a request, --idle between
two requests, and --send-timeout to accept more of a response. A download may
take as long as it likes, as long as it moves.

The access log is in the combined format or in JSON lines. It counts the bytes
that were really sent, also to clients that left early. SIGHUP reopens it (for
logrotate). Certificates are read again when their files change.

SIGINT or SIGTERM stops the server: it accepts no more connections and gives
open ones the time of --drain to finish. A second signal ends it at once. serve
takes over sockets of systemd that are named http and metrics (LISTEN_FDS), and
notifies systemd when it is ready.

Exit status: 0 stopped by a signal, 2 wrong usage, or an address, path or
certificate that cannot be used.`,
		Example: `  thresh serve                            this folder on http://127.0.0.1:8080/
  thresh serve /data --addr :8080 --limit-rate 6MB/s --metrics 127.0.0.1:9100
  thresh serve disk.img --tls-cert c.pem --tls-key k.pem \
    --auth "$(htpasswd -nbB alice secret)"
  thresh serve /data --access-log access.log --log-format json \
    --max-conns-per-ip 20`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "."
			if len(args) == 1 {
				path = args[0]
			}
			return f.run(cmd.Context(), c, path)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.addr, "addr", "127.0.0.1:8080",
		"listen on `ADDR`: host:port, :port for all addresses of this machine, or unix:PATH")
	flags.Var(&f.limitRate, "limit-rate", "bytes per second for each connection, like `6MB/s` (default: no limit)")
	flags.StringVar(&f.metrics, "metrics", "", "serve /metrics for Prometheus on `ADDR`: host:port")
	flags.StringVar(&f.tlsCert, "tls-cert", "", "`FILE` with the certificate chain in PEM, for TLS with HTTP/2")
	flags.StringVar(&f.tlsKey, "tls-key", "", "`FILE` with its private key in PEM")
	flags.StringArrayVar(&f.auth, "auth", nil, "a user, `NAME:HASH`, with a bcrypt hash; may be repeated")
	flags.StringVar(&f.authFile, "auth-file", "", "`FILE` with a NAME:HASH on each line")
	flags.IntVar(&f.maxConns, "max-conns", 0, "at most `N` open connections; more wait to be accepted (default: no limit)")
	flags.IntVar(&f.maxPerIP, "max-conns-per-ip", 0, "at most `N` open connections from one address (default: no limit)")
	flags.BoolVar(&f.hidden, "hidden", false, "also serve names that begin with a dot")
	flags.BoolVar(&f.noListing, "no-listing", false, "do not list folders")
	flags.StringVar(&f.accessLog, "access-log", "",
		"log each response as a line in `FILE`; - is standard output (default: no log)")
	flags.StringVar(&f.logFormat, "log-format", "common", "format of the access log: `FORMAT` is common or json")
	flags.DurationVar(&f.header, "header-timeout", 10*time.Second, "time for a client to send the header of a request")
	flags.DurationVar(&f.idle, "idle", 2*time.Minute, "time between two requests on a connection")
	flags.DurationVar(&f.send, "send-timeout", time.Minute, "time for a client to accept more of a response")
	flags.DurationVar(&f.drain, "drain", 30*time.Second, "time for open connections to finish after a signal")
	return cmd
}

// options checks the flags and returns what the server is to do.
func (f *serveFlags) options() (serve.Options, error) {
	o := serve.Options{
		NoListing: f.noListing,
		LimitRate: int64(f.limitRate),
		MaxConns:  f.maxConns, MaxConnsPerIP: f.maxPerIP,
		HeaderTimeout: f.header, IdleTimeout: f.idle, SendTimeout: f.send,
		AccessJSON: f.logFormat == "json",
		TLSCert:    f.tlsCert, TLSKey: f.tlsKey,
	}
	o.Hidden = f.hidden
	err := oneOf("log-format", f.logFormat, "common", "json")
	for _, d := range []struct {
		name string
		d    time.Duration
	}{{"header-timeout", f.header}, {"idle", f.idle}, {"send-timeout", f.send}} {
		if d.d <= 0 {
			err = errors.Join(err, fmt.Errorf("--%s %v: a client needs some time", d.name, d.d))
		}
	}
	if f.maxConns < 0 || f.maxPerIP < 0 || f.drain < 0 {
		err = errors.Join(err, errors.New("--max-conns, --max-conns-per-ip and --drain are not negative"))
	}
	if (f.tlsCert == "") != (f.tlsKey == "") {
		err = errors.Join(err, errors.New("--tls-cert and --tls-key go together"))
	}
	var uerr error
	o.Users, uerr = f.users()
	return o, errors.Join(err, uerr)
}

// users reads --auth and --auth-file.
func (f *serveFlags) users() (map[string]string, error) {
	lines := f.auth
	if f.authFile != "" {
		text, err := os.ReadFile(f.authFile)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			return nil, fmt.Errorf("--auth-file %s: it names no user, and would let anyone in", f.authFile)
		}
	}
	users := map[string]string{}
	for _, line := range lines {
		name, hash, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || name == "" || hash == "" {
			return nil, errors.New("--auth: a user is NAME:HASH, as htpasswd -nbB NAME PASSWORD prints")
		}
		if _, twice := users[name]; twice {
			return nil, fmt.Errorf("--auth: two hashes for user %q", name)
		}
		users[name] = hash
	}
	return users, nil
}

func (f *serveFlags) run(ctx context.Context, c *console, path string) error {
	o, err := f.options()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	o.ErrorLog = func(err error) { complain(c.err, err) }
	var log *logFile
	switch f.accessLog {
	case "":
	case "-":
		o.AccessLog = c.out
	default:
		if log, err = openLog(f.accessLog); err != nil {
			return &exitError{exitUsage, err}
		}
		defer log.Close()
		o.AccessLog = log
	}
	server, err := serve.New(path, o)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if err := f.serve(ctx, c, server, path, log); err != nil {
		return &exitError{exitUsage, err}
	}
	return nil
}

// serve listens, and serves until ctx ends.
func (f *serveFlags) serve(
	ctx context.Context, c *console, server *serve.Server, path string, log *logFile,
) (err error) {
	shutdown := func(wait time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		return server.Shutdown(ctx)
	}
	sockets, err := activation.Inherit("http", "metrics")
	if err != nil {
		return errors.Join(err, shutdown(0))
	}
	l, err := sockets.Listen("http", f.addr)
	if err != nil {
		return errors.Join(err, sockets.Close(), shutdown(0))
	}
	if f.metrics != "" || sockets.Has("metrics") {
		ml, err := sockets.Listen("metrics", f.metrics)
		if err != nil {
			return errors.Join(err, l.Close(), sockets.Close(), shutdown(0))
		}
		stop := serveMetrics(ml, server.Metrics(), func(err error) { complain(c.err, err) })
		defer stop()
	}
	if err := sockets.Close(); err != nil {
		return errors.Join(err, l.Close(), shutdown(0))
	}
	if log != nil {
		stop := reopenOnHangup(log, func(err error) { complain(c.err, err) })
		defer stop()
	}
	c.serves(f.drain)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	f.announce(c.err, l.Addr(), path)
	if err := activation.Ready(); err != nil {
		complain(c.err, err)
	}
	select {
	case err = <-served:
		return errors.Join(err, shutdown(f.drain))
	case <-ctx.Done():
	}
	if err := activation.Stopping(); err != nil {
		complain(c.err, err)
	}
	if err := shutdown(f.drain); err != nil {
		complain(c.err, fmt.Errorf("stop: what was under way after %v was cut off: %w", f.drain, err))
	}
	<-served
	return nil
}

// announce says where to look, and what is dangerous about it.
func (f *serveFlags) announce(w io.Writer, addr net.Addr, path string) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	scheme := "http"
	if f.tlsCert != "" {
		scheme = "https"
	}
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		fmt.Fprintf(w, "serving %s at %s of unix:%s\n", path, scheme, addr)
		return
	}
	at := tcp.AddrPort()
	if at.Addr().IsUnspecified() {
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	fmt.Fprintf(w, "serving %s at %s://%s/\n", path, scheme, at)
	if f.tlsCert == "" && (len(f.auth) > 0 || f.authFile != "") && !tcp.IP.IsLoopback() {
		fmt.Fprintln(w, "thresh: warning: without --tls-cert passwords cross the network in the clear")
	}
}

// reopenOnHangup opens the log anew with each SIGHUP, until stop is called.
func reopenOnHangup(log *logFile, complain func(error)) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range hangups {
			if err := log.reopen(); err != nil {
				complain(fmt.Errorf("%w; the old file is written on", err))
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
		<-done
	}
}
