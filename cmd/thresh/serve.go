package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
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
	auth      []string
	authFile  string
	maxConns  int
	maxPerIP  int
	hidden    bool
	noListing bool
	archives  bool
	headers   []string
	caching   []string
	cors      []string
	fallback  string
	notFound  string
	accessLog string
	logFormat string
	header    time.Duration
	idle      time.Duration
	send      time.Duration
	drain     time.Duration
	reach     reachFlags
	perIP     perIPFlags
	proxies   proxyFlags
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
listing if there is none: HTML, or JSON with ?format=json, 2,000 entries a page;
the header Link names the next page. --archives offers folders as archives too:
?archive=tar and ?archive=zip, with ranges, nothing stored. If FILE.zst, FILE.br
or FILE.gz exists beside FILE, clients that accept it get the compressed file.

On a loopback address serve answers only for localhost, the names below it,
loopback addresses and each --host NAME; others get status 421. Otherwise any
web page could read the files, by letting its own name resolve to 127.0.0.1
(DNS rebinding). A reverse proxy that passes the header Host on needs --host. On
other addresses any host is answered, unless --host is given.

--tls self-signed makes a certificate, prints its fingerprint, and keeps it with
its key for the next start, in ~/.local/state/thresh. --redirect ADDR redirects
from http to https, for the hosts that the certificate or --host names. On a
terminal serve also shows the addresses by which others reach it, best first,
and a QR code of the best.

--auth NAME:HASH asks clients for a name and a password. HASH is a bcrypt hash;
htpasswd -nbB NAME PASSWORD prints the whole. --auth-file reads one such line
per user. Addresses take turns at having passwords checked; one that sends more
than five wrong ones in a row has to pause for 1 to 30 seconds (status 429).

--limit-rate applies to each connection. With --max-conns connections open, the
one that has been idle longest is closed for the next client; while all are
busy, clients wait to be accepted. Without --max-conns the limit of open files
decides (ulimit -n), less what files need. With --max-conns-per-ip connections
from one address (for IPv6: from one /64), more get status 503.
--limit-rate-per-ip is for all connections of an address together, which take
turns; --limit-requests-per-ip answers 429 to more requests than that.

Behind a proxy, name it: --trusted-proxy 10.0.0.0/8, loopback, private (the
addresses of private networks) or unix. In the log, for passwords and for limits
a request is then that of the last address in X-Forwarded-For that is not a
trusted proxy's. From others the header is ignored. No limit applies to the
proxy's own address; --max-conns-per-ip counts the requests that each of its
clients has in progress. With --proxy-protocol each connection must begin with a
PROXY header, version 1 or 2, before TLS; it is accepted from trusted proxies
only, and all other connections are reset.

A client has --header-timeout to send the header of a request, --idle between
two requests, and --send-timeout to accept more of a response. A download may
take as long as it likes, as long as it moves.

The access log is in the combined format or in JSON lines. It counts the bytes
that were really sent, also to clients that left early. Malformed requests are
logged too, with the line that came; errors sent over HTTP/2 have status 0 and
their name, like "GOAWAY PROTOCOL_ERROR HTTP/2.0". SIGHUP reopens it (for
logrotate). Certificates are read again when their files change.

SIGINT or SIGTERM stops the server: it accepts no more connections and gives
open ones the time of --drain to finish. A second signal ends it at once. serve
takes over sockets of systemd that are named http, metrics and redirect
(LISTEN_FDS), and notifies systemd when it is ready.

Exit status: 0 stopped by a signal, 2 wrong usage, or an address, path or
certificate that cannot be used.`,
		Example: `  thresh serve                            this folder on http://127.0.0.1:8080/
  thresh serve /data --addr :8080 --limit-rate 6MB/s --metrics 127.0.0.1:9100
  thresh serve dist --fallback /index.html --404 /404.html --cors '*' \
    --cache-control 'assets/**=max-age=31536000, immutable'
  thresh serve --addr :8443 --tls self-signed --redirect :8080
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
	f.reach.add(flags)
	flags.Var(&f.limitRate, "limit-rate", "bytes per second for each connection, like `6MB/s` (default: no limit)")
	flags.StringVar(&f.metrics, "metrics", "", "serve /metrics for Prometheus on `ADDR`: host:port")
	flags.StringArrayVar(&f.auth, "auth", nil, "a user, `NAME:HASH`, with a bcrypt hash; may be repeated")
	flags.StringVar(&f.authFile, "auth-file", "", "`FILE` with a NAME:HASH on each line")
	flags.IntVar(&f.maxConns, "max-conns", 0, "at most `N` open connections; idle ones make room (default: by ulimit -n)")
	flags.IntVar(&f.maxPerIP, "max-conns-per-ip", 0, "at most `N` open connections from one address (default: no limit)")
	f.perIP.register(flags)
	f.proxies.register(flags, "believe the proxies at `CIDR` who their clients are (X-Forwarded-For): an address, a\n"+
		"block, loopback, private or unix; may be repeated")
	flags.BoolVar(&f.hidden, "hidden", false, "also serve names that begin with a dot")
	flags.BoolVar(&f.noListing, "no-listing", false, "do not list folders")
	flags.BoolVar(&f.archives, "archives", false, "offer folders as archives: ?archive=tar and ?archive=zip")
	flags.StringArrayVar(&f.headers, "header", nil,
		"a header for matching paths, `'GLOB: NAME=VALUE'`; may be repeated")
	flags.StringArrayVar(&f.caching, "cache-control", nil,
		"Cache-Control for matching paths, `GLOB=VALUE`; may be repeated")
	flags.StringArrayVar(&f.cors, "cors", nil,
		"let pages of `ORIGIN`, * for any, read files; may be repeated")
	flags.StringVar(&f.fallback, "fallback", "", "send `PATH`, like /index.html, for paths that are not found")
	flags.StringVar(&f.notFound, "404", "", "send `PATH`, like /404.html, with status 404")
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
		NoListing: f.noListing, Archives: f.archives,
		CORS: f.cors, Fallback: f.fallback, NotFound: f.notFound,
		LimitRate: int64(f.limitRate),
		MaxConns:  f.maxConns, MaxConnsPerIP: f.maxPerIP,
		HeaderTimeout: f.header, IdleTimeout: f.idle, SendTimeout: f.send,
		AccessJSON: f.logFormat == "json",
	}
	o.Hidden = f.hidden
	o.TrustedProxies, o.ProxyProtocol = f.proxies.trusted, f.proxies.header
	f.perIP.apply(&o)
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
	if f.archives && f.noListing {
		err = errors.Join(err, errors.New("--archives and --no-listing do not go together"))
	}
	err = errors.Join(err, f.proxies.check())
	var herr error
	o.Headers, herr = f.headerRules()
	err = errors.Join(err, herr)
	var uerr error
	o.Users, uerr = f.users()
	return o, errors.Join(err, uerr)
}

// headerRules reads --header and --cache-control.
func (f *serveFlags) headerRules() (headers []serve.Header, err error) {
	for _, text := range f.caching {
		glob, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--cache-control %q: it is GLOB=VALUE, like '*.css=max-age=3600'", text)
		}
		headers = append(headers, serve.Header{Glob: glob, Name: "Cache-Control", Value: value})
	}
	for _, text := range f.headers {
		glob, field, ok := strings.Cut(text, ": ")
		name, value, ok2 := strings.Cut(field, "=")
		if !ok || !ok2 {
			return nil, fmt.Errorf("--header %q: it is 'GLOB: NAME=VALUE', like '**: X-Frame-Options=DENY'", text)
		}
		headers = append(headers, serve.Header{Glob: glob, Name: name, Value: value})
	}
	return headers, nil
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
	o.ErrorLog = func(err error) { complain(c.err, err) }
	if err = errors.Join(err, f.reach.options(&o, f.addr, o.ErrorLog)); err != nil {
		return &exitError{exitUsage, err}
	}
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
	sockets, err := activation.Inherit("http", "metrics", "redirect")
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
	if err := f.reach.listenRedirect(sockets, l.Addr()); err != nil {
		return errors.Join(err, l.Close(), sockets.Close(), shutdown(0))
	}
	if err := sockets.Close(); err != nil {
		return errors.Join(err, l.Close(), shutdown(0))
	}
	if log != nil {
		stop := reopenOnHangup(log, func(err error) { complain(c.err, err) })
		defer stop()
	}
	c.serves(f.drain)
	served := make(chan error, 2)
	go func() { served <- server.Serve(l) }()
	if f.reach.redirectListener != nil {
		go func() { served <- server.ServeRedirect(f.reach.redirectListener, f.reach.redirectPort) }()
	}
	f.announce(ctx, c.err, l.Addr(), path)
	if err := activation.Ready(); err != nil {
		complain(c.err, err)
	}
	select {
	case err = <-served: // a listener failed
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
