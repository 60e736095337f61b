package serve

import (
	"errors"
	"fmt"
	"io"
	"time"

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
	// Encodings are the content codings of precompressed files to look for, best first: "zstd",
	// "br" and "gzip", in the files FILE.zst, FILE.br and FILE.gz beside FILE. nil: all three in
	// this order; empty but not nil: none. A server of a single file looks for none.
	Encodings []string
	// OpenFiles is the number of files to keep open, at most a quarter of the descriptors that the
	// process may open. 0: 1024.
	OpenFiles int
	// Revalidate is the longest time until a changed file is noticed. 0: 1 s.
	Revalidate time.Duration

	// LimitRate limits each connection, in bytes per second. 0 or less: no limit.
	LimitRate int64
	// MaxConns limits the open connections; more clients wait in the listener's backlog. 0 or
	// less: no limit.
	MaxConns int
	// MaxConnsPerIP limits the open connections of one client address, of IPv6 those of a /64;
	// more get status 503 or, with TLS, are closed. 0 or less: no limit.
	MaxConnsPerIP int
	// MaxDiskReads limits the system calls that may wait for the disk at once. 0 or less: 64.
	MaxDiskReads int

	// HeaderTimeout bounds the time in which a client sends the header of a request. 0 or less: 10 s.
	HeaderTimeout time.Duration
	// IdleTimeout bounds the time between two requests of a connection. 0 or less: 2 min.
	IdleTimeout time.Duration
	// SendTimeout closes a connection whose client accepts no byte of a response for that long; a
	// whole response may take any time. 0 or less: 1 min.
	SendTimeout time.Duration

	// Users maps names to bcrypt hashes of their passwords. Empty: no authentication.
	Users map[string]string
	// TLSCert and TLSKey are PEM files of a certificate chain and its key; with them the server
	// speaks TLS and HTTP/2. They are read again when they change. Empty: no TLS.
	TLSCert, TLSKey string

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

// OptionError reports an option that New does not accept.
type OptionError struct {
	Field  string // the name of the field of Options
	Value  any    // its value; of Users the name, never the hash; of Encodings the wrong element
	Reason string // what is wrong, and which values are allowed
}

// Error returns the field, the value and the reason.
func (e *OptionError) Error() string {
	format := "serve: %s %v: %s"
	if _, ok := e.Value.(string); ok {
		format = "serve: %s %q: %s"
	}
	return fmt.Sprintf(format, e.Field, e.Value, e.Reason)
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
func (o *Options) openRoot(path string) (*docroot.Root, error) {
	root, err := docroot.Open(path, docroot.Options{
		Hidden: o.Hidden, OpenFiles: o.OpenFiles, Revalidate: o.Revalidate, Encodings: o.Encodings,
	})
	if wrong, ok := errors.AsType[*docroot.OptionError](err); ok {
		return nil, &OptionError{wrong.Field, wrong.Value, wrong.Reason}
	}
	return root, err
}
