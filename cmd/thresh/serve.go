package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/thresh-dev/thresh/internal/command"
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

const passwordFlag = "--auth NAME, which asks for a password or makes one"

func newServe() *command.Verb {
	f := &serveFlags{addr: "127.0.0.1:8080", logFormat: "common", header: 10 * time.Second, idle: 2 * time.Minute,
		send: time.Minute, drain: 30 * time.Second}
	return &command.Verb{
		Name:  "serve",
		Usage: "[flags] [PATH]",
		Short: "serve files: an HTTP server that sends them inside the kernel",
		Long: `serve serves a folder (default: the current one) or a single file over HTTP/1.1,
and over TLS also HTTP/2. Files go from the page cache to the socket inside the
kernel (sendfile). That holds for ranges and several ranges too, and with log,
limits and metrics switched on; only TLS has to copy.

What is served:
  serve never leaves PATH: it refuses symbolic links that lead out of it. It
  also refuses names that begin with a dot (--hidden serves them) and anything
  that is not a regular file or a folder. For a folder it sends its
  index.html, or a listing if there is none: HTML, or JSON with ?format=json,
  2,000 entries a page; the header Link names the next page. --archives offers
  folders as archives too: ?archive=tar and ?archive=zip, with ranges, nothing
  stored. If FILE.zst, FILE.br or FILE.gz exists beside FILE, clients that
  accept it get the compressed file.

Names of hosts:
  On a loopback address serve answers only for localhost, the names below it,
  loopback addresses and each --host NAME; others get status 421. Otherwise
  any web page could read the files, by letting its own name resolve to
  127.0.0.1 (DNS rebinding). A reverse proxy that passes the header Host on
  needs --host. On other addresses any host is answered, unless --host is
  given.

TLS:
  --tls self-signed makes a certificate, prints its fingerprint, and keeps it
  with its key for the next start, in ~/.local/state/thresh. --redirect ADDR
  redirects from http to https, for the hosts that the certificate or --host
  names. On a terminal serve also shows the addresses by which others reach
  it, best first, and a QR code of the best.

Users:
  --auth NAME asks clients for that name and a password, which serve asks for
  on a terminal, and makes and prints otherwise. --auth NAME:HASH has the
  bcrypt hash of one; htpasswd -nbB NAME PASSWORD prints the whole.
  --auth-file reads one such line per user. Addresses take turns at having
  passwords checked; one that sends more than five wrong ones in a row has to
  pause for 1 to 30 seconds (status 429).

Limits:
  --limit-rate applies to each connection. With --max-conns connections open,
  the one that has been idle longest is closed for the next client; while all
  are busy, clients wait to be accepted. Without --max-conns the limit of open
  files decides (ulimit -n), less what files need. With --max-conns-per-ip
  connections from one address (for IPv6: from one /64), more get status 503.
  --limit-rate-per-ip is for all connections of an address together, which
  take turns; --limit-requests-per-ip answers 429 to more requests than that.

Behind a proxy:
  Behind a proxy, name it: --trusted-proxy 10.0.0.0/8, loopback, private (the
  addresses of private networks) or unix. In the log, for passwords and for
  limits a request is then that of the last address in X-Forwarded-For that is
  not a trusted proxy's. From others the header is ignored. No limit applies
  to the proxy's own address; --max-conns-per-ip counts the requests that each
  of its clients has in progress. With --proxy-protocol each connection must
  begin with a PROXY header, version 1 or 2, before TLS; it is accepted from
  trusted proxies only, and all other connections are reset.

Time limits:
  A client has --header-timeout to send the header of a request, --idle
  between two requests, and --send-timeout to accept more of a response. A
  download may take as long as it likes, as long as it moves.

Access log:
  The access log is in the combined format or in JSON lines. It counts the
  bytes that were really sent, also to clients that left early. Malformed
  requests are logged too, with the line that came; errors sent over HTTP/2
  have status 0 and their name, like "GOAWAY PROTOCOL_ERROR HTTP/2.0". SIGHUP
  reopens it (for logrotate). Certificates are read again when their files
  change.

Stopping:
  SIGINT or SIGTERM stops the server: it accepts no more connections and gives
  open ones the time of --drain to finish. A second signal ends it at once.
  serve takes over sockets of systemd that are named http, metrics and
  redirect (LISTEN_FDS), and notifies systemd when it is ready.

Exit status:
  0    stopped by a signal
  2    wrong usage, or an address, path or certificate that cannot be used`,
		Examples: `  thresh serve                            this folder on http://127.0.0.1:8080/
  thresh serve /data --addr :8080 --limit-rate 6MB/s --metrics 127.0.0.1:9100
  thresh serve --addr :8443 --tls self-signed --redirect :8080
  thresh serve disk.img --tls-cert c.pem --tls-key k.pem \
    --auth alice
  thresh serve /data --access-log access.log --log-format json \
    --max-conns-per-ip 20
  thresh serve dist --fallback /index.html --404 /404.html --cors '*' \
    --cache-control 'assets/**=max-age=31536000, immutable'`,
		Elsewhere: map[string]string{
			"listen": "--addr", "port": "--addr :PORT", "p": "--addr :PORT", "bind": "--addr", "b": "--addr", "l": "--addr",
			"password": passwordFlag, "user": passwordFlag, "u": passwordFlag, "htpasswd": "--auth-file",
			"cert": "--tls-cert", "key": "--tls-key", "https": "--tls self-signed", "log": "--access-log",
			"directory": "thresh serve FOLDER", "d": "thresh serve FOLDER", "root": "thresh serve FOLDER",
			"spa": "--fallback /index.html", "browse": "nothing: folders are listed",
		},
		Common: "addr host auth tls tls-cert tls-key limit-rate max-conns access-log metrics",
		Flags: slices.Concat([]command.Flag{
			{Name: "addr", To: &f.addr,
				Help: "listen on `ADDR`: host:port, :port (all addresses of this machine) or unix:PATH"},
			{Name: "hidden", To: &f.hidden, Help: "also serve names that begin with a dot"},
			{Name: "no-listing", To: &f.noListing, Help: "do not list folders"},
			{Name: "archives", To: &f.archives, Help: "offer folders as archives: ?archive=tar and ?archive=zip"},
			{Name: "header", To: &f.headers, Help: "a header for matching paths, `'GLOB: NAME=VALUE'`; may be repeated"},
			{Name: "cache-control", To: &f.caching,
				Help: "Cache-Control for matching paths, `GLOB=VALUE`; may be repeated"},
			{Name: "cors", To: &f.cors, Help: "let pages of `ORIGIN`, * for any, read files; may be repeated"},
			{Name: "fallback", To: &f.fallback, Help: "send `PATH`, like /index.html, for paths that are not found"},
			{Name: "404", To: &f.notFound, Help: "send `PATH`, like /404.html, with status 404"},
			{Name: "qr", To: &f.reach.qr, Values: command.Occasions,
				Help: "QR code of the address on standard error: `WHEN` is auto, always or never"},
		}, command.Section("Flags about who may connect, and how fast:", append(f.proxies.flags(
			"believe the proxies at `CIDR` who their clients are (X-Forwarded-For): an address, a block, loopback, "+
				"private or unix; may be repeated"), []command.Flag{
			{Name: "host", To: &f.reach.hosts,
				Help: "answer for `NAME` in the header Host: also *.NAME, an address, or * for any; may be repeated"},
			{Name: "auth", To: &f.auth, Help: "a user, `NAME` or NAME:HASH with a bcrypt hash; may be repeated"},
			{Name: "auth-file", To: &f.authFile, Help: "`FILE` with a NAME:HASH on each line"},
			{Name: "limit-rate", To: &f.limitRate,
				Help: "bytes per second for each connection, like `6MB/s` (default: no limit)"},
			{Name: "max-conns", To: &f.maxConns,
				Help: "at most `N` open connections; idle ones make room (default: by ulimit -n)"},
			{Name: "max-conns-per-ip", To: &f.maxPerIP,
				Help: "at most `N` open connections from one address (default: no limit)"},
			{Name: "limit-rate-per-ip", To: &f.perIP.rate,
				Help: "bytes per second for all connections from one address together, like `20MB/s` (default: no limit)"},
			{Name: "limit-requests-per-ip", To: &f.perIP.requests,
				Help: "requests from one address, like `10/s` or 30/m; more get status 429 (default: no limit)"},
		}...)), command.Section("Flags about TLS:", []command.Flag{
			{Name: "tls-cert", To: &f.reach.tlsCert, Help: "`FILE` with the certificate chain in PEM, for TLS with HTTP/2"},
			{Name: "tls-key", To: &f.reach.tlsKey, Help: "`FILE` with its private key in PEM"},
			{Name: "tls", To: &f.reach.tls, Values: []string{"self-signed"},
				Help: "TLS with a certificate made here: `KIND` is self-signed"},
			{Name: "redirect", To: &f.reach.redirect, Help: "redirect from http on `ADDR`, like :80, to https"},
			{Name: "redirect-port", To: &f.reach.redirectPort, Help: "redirect to port `N` (default: that of --addr)"},
			{Name: "hsts", To: &f.reach.hsts,
				Help: "let browsers insist on https for a `TIME` like 365d or '365d;includeSubDomains'"},
		}), command.Section("Flags about logs and time limits:", []command.Flag{
			{Name: "access-log", To: &f.accessLog,
				Help: "log each response as a line in `FILE`; - is standard output (default: no log)"},
			{Name: "log-format", To: &f.logFormat, Values: []string{"common", "json"},
				Help: "format of the access log: `FORMAT` is common or json"},
			{Name: "metrics", To: &f.metrics, Help: "serve /metrics for Prometheus on `ADDR`"},
			{Name: "header-timeout", To: &f.header, Help: "`TIME` for a client to send the header of a request"},
			{Name: "idle", To: &f.idle, Help: "`TIME` between two requests on a connection"},
			{Name: "send-timeout", To: &f.send, Help: "`TIME` for a client to accept more of a response"},
			{Name: "drain", To: &f.drain, Help: "`TIME` for open connections to finish after a signal"},
		})),
		ArgsMax: 1,
		Run: func(ctx context.Context, c *command.Call) error {
			path := "."
			if len(c.Args) == 1 {
				path = c.Args[0]
			}
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && port().MatchString(path) {
				return command.Exit(command.WrongUsage, command.Hint(fmt.Errorf("there is no folder or file %s", path),
					"did you mean thresh serve --addr "+port().ReplaceAllString(path, "$1:$2")+"?"))
			}
			return f.run(ctx, c.Console, path)
		},
	}
}

// port matches the address to listen on, if somebody types it where the folder is: 8080, :8080, localhost:8080.
func port() *regexp.Regexp { return regexp.MustCompile(`^(?:([\w.]*):)?(\d{2,5})$`) }

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
	var err error
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
	return o, err
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

func (f *serveFlags) run(ctx context.Context, c *command.Console, path string) error {
	o, err := f.options()
	if err == nil {
		if o.Users, err = f.users(ctx, c); errors.Is(err, context.Canceled) {
			return command.Exit(command.Interrupted, err)
		}
	}
	o.ErrorLog = func(err error) { command.Complain(c.Err, err) }
	if err = errors.Join(err, f.reach.options(&o, f.addr, o.ErrorLog)); err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	var log *logFile
	switch f.accessLog {
	case "":
	case "-":
		o.AccessLog = c.Out
	default:
		if log, err = openLog(f.accessLog); err != nil {
			return command.Exit(command.WrongUsage, err)
		}
		defer log.Close()
		o.AccessLog = log
	}
	server, err := serve.New(path, o)
	if err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	if err := f.serve(ctx, c, server, path, log); err != nil {
		return command.Exit(command.WrongUsage, err)
	}
	return nil
}

// serve listens, and serves until ctx ends.
func (f *serveFlags) serve(
	ctx context.Context, c *command.Console, server *serve.Server, path string, log *logFile,
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
		stop := serveMetrics(ml, server.Metrics(), func(err error) { command.Complain(c.Err, err) })
		defer stop()
	}
	if err := f.reach.listenRedirect(sockets, l.Addr()); err != nil {
		return errors.Join(err, l.Close(), sockets.Close(), shutdown(0))
	}
	if err := sockets.Close(); err != nil {
		return errors.Join(err, l.Close(), shutdown(0))
	}
	if log != nil {
		stop := reopenOnHangup(log, func(err error) { command.Complain(c.Err, err) })
		defer stop()
	}
	c.Serves(f.drain)
	served := make(chan error, 2)
	go func() { served <- server.Serve(l) }()
	if f.reach.redirectListener != nil {
		go func() { served <- server.ServeRedirect(f.reach.redirectListener, f.reach.redirectPort) }()
	}
	f.announce(ctx, c.Err, l.Addr(), path)
	if err := activation.Ready(); err != nil {
		command.Complain(c.Err, err)
	}
	select {
	case err = <-served: // a listener failed
		return errors.Join(err, shutdown(f.drain))
	case <-ctx.Done():
	}
	if err := activation.Stopping(); err != nil {
		command.Complain(c.Err, err)
	}
	if err := shutdown(f.drain); err != nil {
		command.Complain(c.Err, fmt.Errorf("stop: what was under way after %v was cut off: %w", f.drain, err))
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
