package relay

import (
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/failure"
)

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
