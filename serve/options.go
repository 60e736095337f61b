package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/thresh-dev/thresh/failure"
	"github.com/thresh-dev/thresh/internal/net/docroot"
)

// Options configure a server. The zero value is ready to use: it serves anyone, without TLS, and
// limits neither the number of connections nor their rate. New keeps no reference to Encodings and
// Users.
type Options struct {
	// Hidden also serves names that begin with a dot. Otherwise they are not found anywhere in a
	// path, except /.well-known/ at the top, which clients rely on (RFC 8615). A symbolic link
	// whose own name has no dot may lead to a hidden file.
	Hidden bool
	// NoListing answers 403 for folders without an index.html, instead of listing them.
	NoListing bool
	// Archives offers folders as archives, with ?archive=tar or ?archive=zip: all that listings
	// show in them and below, and what an index.html hides from listings. NoListing overrides it.
	Archives bool
	// Headers are fields that responses get by their path, in addition to those of the server.
	Headers []Header
	// CORS lists the origins, like https://app.example, whose pages may read responses; "*" is any.
	CORS []string
	// Fallback is the path of a file, like /index.html, that is sent for paths that are not found:
	// for a page whose script interprets them. A path whose last element has a dot is sent it only
	// if the client accepts text/html by name, as browsers do when they navigate. Empty: none.
	Fallback string
	// NotFound is the path of a page, like /404.html, that is sent with status 404. Empty: none.
	NotFound string
	// Encodings are the content codings of precompressed files to look for, best first: "zstd",
	// "br" and "gzip", in the files FILE.zst, FILE.br and FILE.gz beside FILE. nil: all three in
	// this order; empty but not nil: none. A server of a single file looks for none.
	Encodings []string
	// OpenFiles is the number of files to keep open, at most a quarter of the descriptors that the
	// process may open. 0: 1024.
	OpenFiles int
	// Revalidate is the longest time until a changed file is noticed. 0: 1 s.
	Revalidate time.Duration

	// Hosts are names and addresses of this server, without ports, that requests may have in Host:
	// "files.example.com", "*.example.com" for all names below, "192.0.2.7", "*" for any. Others get
	// status 421, except localhost, the names below it, loopback addresses and what the certificate
	// names. Empty: on a listener of a loopback address only these exceptions, against DNS rebinding;
	// on others any host.
	Hosts []string

	// LimitRate limits each connection, in bytes per second. 0 or less: no limit.
	LimitRate int64
	// MaxConns limits the open connections. For another client, the connection is closed that has
	// been idle longest: at least for half a second, between two requests or without one. If there
	// is none, clients wait in the listener's backlog. 0 or less: as many as the process may have
	// descriptors, less those kept for files. A larger value is reduced to that.
	MaxConns int
	// MaxConnsPerIP limits the open connections of one client address, of IPv6 those of a /64;
	// more get status 503 or, with TLS, are closed. Of a trusted proxy's connections it limits the
	// requests in progress, by their client. 0 or less: no limit.
	MaxConnsPerIP int
	// LimitRatePerIP limits all connections of one client address together, of IPv6 those of a /64,
	// in bytes per second. They take turns. 0 or less: no limit.
	LimitRatePerIP int64
	// LimitRequestsPerIP limits the requests of one client address, of IPv6 those of a /64, per second.
	// After a pause, as many come through at once, but at least one. More get status 429.
	// 0 or less: no limit.
	LimitRequestsPerIP float64
	// MaxDiskReads limits the system calls that may wait for the disk at once. 0 or less: 64.
	MaxDiskReads int

	// TrustedProxies are the proxies that are believed who their clients are: addresses, CIDR blocks,
	// "loopback", "private" for the addresses of private networks, and "unix" for all that connect
	// to a unix socket. A request of theirs is that of the last address in X-Forwarded-For that
	// is not a trusted proxy's, or their own if a proxy wrote anything else there. Limits, passwords and
	// the log are about that address. No limit applies to the proxies' own addresses.
	TrustedProxies []string
	// ProxyProtocol expects a header of the PROXY protocol, version 1 or 2, at the beginning of each
	// connection, before TLS. Connections of others than TrustedProxies are reset.
	ProxyProtocol bool

	// HeaderTimeout bounds the time in which a client sends the header of a request, and a
	// proxy its PROXY header. 0 or less: 10 s.
	HeaderTimeout time.Duration
	// IdleTimeout bounds the time between two requests of a connection. 0 or less: 2 min.
	IdleTimeout time.Duration
	// SendTimeout closes a connection whose client accepts no byte of a response for that long, and
	// ends a stream of HTTP/2 that takes less than 16 KiB in that time although its connection is not
	// busy; a whole response may take any time. 0 or less: 1 min.
	SendTimeout time.Duration

	// Users maps names to bcrypt hashes of their passwords. Empty: no authentication.
	Users map[string]string
	// TLSCert and TLSKey are PEM files of a certificate chain and its key; with them the server
	// speaks TLS and HTTP/2. They are read again when they change. Empty: no TLS.
	TLSCert, TLSKey string
	// Certificate is called at each handshake, instead of TLSCert and TLSKey, and returns the
	// certificate. Its Leaf says which hosts it names. nil: no such certificate.
	Certificate func() *tls.Certificate
	// HSTS is the value of Strict-Transport-Security in responses over TLS: browsers then take
	// https for the time that it says. "max-age=31536000; includeSubDomains" is a year, and for
	// all names below too. Empty: none.
	HSTS string

	// AccessLog receives the access log in the combined log format. Each Write holds whole lines,
	// and Writes never overlap. Responses do not wait for it; if it blocks for long, lines are
	// lost. nil: no access log.
	AccessLog io.Writer
	// AccessJSON writes the access log as JSON objects, one per line.
	AccessJSON bool
	// ErrorLog is called with errors that no method returns, and once with each reason why a body
	// was copied instead of sent inside the kernel. It may be called from many goroutines at once.
	// nil: such errors are dropped.
	ErrorLog func(error)
}

// optionError returns a *failure.OptionError for an option or an argument that New does not accept.
func optionError(field string, value any, reason string) error {
	format := "serve: %s %v: %s"
	if _, ok := value.(string); ok {
		format = "serve: %s %q: %s"
	}
	return &failure.OptionError{Field: field, Value: value, Reason: fmt.Sprintf(format, field, value, reason)}
}

// defaults sets the fields whose zero value has another meaning.
func (o *Options) defaults() {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	set(&o.HeaderTimeout, 10*time.Second)
	set(&o.IdleTimeout, 2*time.Minute)
	set(&o.SendTimeout, time.Minute)
	if o.MaxDiskReads <= 0 {
		o.MaxDiskReads = 64
	}
	if o.ErrorLog == nil {
		o.ErrorLog = func(error) {}
	}
}

// openRoot opens the document root.
func (o *Options) openRoot(path string, free func() bool) (*docroot.Root, error) {
	root, err := docroot.Open(path, docroot.Options{
		Hidden: o.Hidden, OpenFiles: o.OpenFiles, Revalidate: o.Revalidate, Encodings: o.Encodings,
		FreeDescriptors: free,
	})
	if wrong, ok := errors.AsType[*failure.OptionError](err); ok {
		return nil, optionError(wrong.Field, wrong.Value, wrong.Reason)
	}
	if err == nil {
		err = errors.Join(checkPage(root, "Fallback", o.Fallback), checkPage(root, "NotFound", o.NotFound))
		if err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	return root, err
}

// checkPage checks that path leads to a file, unless it is empty.
func checkPage(root *docroot.Root, field, path string) error {
	if path == "" {
		return nil
	}
	e, err := root.Lookup(path)
	if err != nil {
		return optionError(field, path, err.Error())
	}
	defer e.Release()
	if e.Folder || e.Redirect != "" {
		return optionError(field, path, "not the path of a file in the folder, like /index.html")
	}
	return nil
}
