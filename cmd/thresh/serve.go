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
		Short: "a folder or a file over HTTP, sent inside the kernel",
		Long: `serve hands out a folder (default: this one) or a single file over HTTP/1.1, and over TLS
also HTTP/2. Files go from the page cache to the socket inside the kernel (sendfile), also
ranges, several ranges, and with log, limits and figures switched on; TLS has to copy.

What is inside PATH is served, and nothing else: symbolic links that lead out of it are
refused, so are names that begin with a dot (--hidden serves these), and what is no regular
file. A folder with an index.html is that page, others are listed, as HTML or, with
?format=json, as JSON. Beside FILE, FILE.zst, FILE.br or FILE.gz is sent to clients that
take it.

--auth NAME:HASH asks for a name and a password; HASH is of bcrypt, as htpasswd -nbB NAME
PASSWORD prints. --auth-file has one such line for each user.

--limit-rate holds for each connection. Beyond --max-conns clients wait to be accepted;
beyond --max-conns-per-ip (of IPv6: per /64) they are answered with status 503.

A client has --header-timeout for the header of a request, --idle between two requests, and
--send-timeout to take something of what is sent; a download as a whole may take as long
as it likes.

The access log has the combined format, or JSON lines, and counts bytes that really went,
also for clients that went away. SIGHUP opens it again (after logrotate). Certificates are
read again when their files change.

With SIGINT or SIGTERM no more connections are accepted; what is under way has --drain to
end. A second signal ends at once. Sockets of systemd named http and metrics are taken over
(LISTEN_FDS), and systemd is told when serve is ready.

Exit status: 0 stopped by a signal, 2 wrong usage, or an address, a path or a certificate
that cannot be had.`,
		Example: `  thresh serve                                       this folder on http://127.0.0.1:8080/
  thresh serve /data --addr :8080 --limit-rate 6MB/s --metrics 127.0.0.1:9100
  thresh serve disk.img --tls-cert c.pem --tls-key k.pem --auth "$(htpasswd -nbB alice secret)"
  thresh serve /data --access-log access.log --log-format json --max-conns-per-ip 20`,
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
		"where to listen: host:port, :port for all of this machine, or unix:PATH")
	flags.Var(&f.limitRate, "limit-rate", "bytes a second for each connection, like 6MB/s (default: no limit)")
	flags.StringVar(&f.metrics, "metrics", "", "where to answer /metrics for Prometheus: host:port")
	flags.StringVar(&f.tlsCert, "tls-cert", "", "certificate chain as PEM, for TLS with HTTP/2")
	flags.StringVar(&f.tlsKey, "tls-key", "", "its private key as PEM")
	flags.StringArrayVar(&f.auth, "auth", nil, "NAME:HASH of a user, the hash by bcrypt; may be repeated")
	flags.StringVar(&f.authFile, "auth-file", "", "file with a NAME:HASH in each line")
	flags.IntVar(&f.maxConns, "max-conns", 0, "connections at once; more wait to be accepted (default: no limit)")
	flags.IntVar(&f.maxPerIP, "max-conns-per-ip", 0, "connections at once of one address (default: no limit)")
	flags.BoolVar(&f.hidden, "hidden", false, "serve names that begin with a dot as well")
	flags.BoolVar(&f.noListing, "no-listing", false, "do not list folders")
	flags.StringVar(&f.accessLog, "access-log", "", "file for a line per answer, or - for standard output (default: none)")
	flags.StringVar(&f.logFormat, "log-format", "common", "format of the access log: common or json")
	flags.DurationVar(&f.header, "header-timeout", 10*time.Second, "for the header of a request")
	flags.DurationVar(&f.idle, "idle", 2*time.Minute, "between two requests of a connection")
	flags.DurationVar(&f.send, "send-timeout", time.Minute, "for the client to take something of what is sent")
	flags.DurationVar(&f.drain, "drain", 30*time.Second, "for what is under way when a signal ends the server")
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
