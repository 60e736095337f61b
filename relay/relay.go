// Package relay passes TCP connections on to another address by splice.
package relay

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Options of a relay. The zero value relays plainly.
type Options struct {
	MaxConns int           // connections at once; more wait unaccepted; 0: no limit
	Idle     time.Duration // a connection without progress in either direction is closed; 0: never
	Dial     time.Duration // for the connection to the target; 0: 5 s
	Complain func(error)   // told of what goes wrong; nil: nothing is
}

// Relay passes connections on to one target. It is safe for concurrent use.
type Relay struct{}

// New returns a relay to a TCP or unix address: host:port, or unix:PATH.
func New(target string, o Options) (*Relay, error) { return nil, errors.ErrUnsupported }

// Serve accepts connections of l until Shutdown, then returns net.ErrClosed.
func (r *Relay) Serve(l net.Listener) error { return errors.ErrUnsupported }

// Shutdown stops accepting, waits for what is under way until ctx ends, and closes what is
// left then.
func (r *Relay) Shutdown(ctx context.Context) error { return nil }

// Metrics answers with the relay's figures in Prometheus' text format.
func (r *Relay) Metrics() http.Handler { return http.NotFoundHandler() }
