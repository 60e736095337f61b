// Package serve hands files out over HTTP and never leaves the zero-copy path without
// saying so.
package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/thresh-dev/thresh/internal/site"
)

// Options of a server. The zero value serves plainly.
type Options struct {
	Site       site.Options
	NoListing  bool
	LimitRate  int64             // bytes a second and connection; 0: no limit
	MaxConns   int               // connections at once; 0: no limit
	MaxConnsIP int               // connections at once of one client address; 0: no limit
	HeaderWait time.Duration     // for the header of a request; 0: 10 s
	IdleWait   time.Duration     // between requests of a connection; 0: 2 min
	SendWait   time.Duration     // between two writes that make progress; 0: 1 min
	DiskReads  int               // system calls that may wait for the disk at once; 0: 64
	Users      map[string]string // name to bcrypt hash; empty: anyone
	AccessLog  io.Writer         // nil: none
	AccessJSON bool              // JSON lines instead of the common log format
	Complain   func(error)       // told of what goes wrong; nil: nothing is
	TLSCert    string            // PEM file, read again when it changes
	TLSKey     string
}

// Server serves one folder or file. It is safe for concurrent use.
type Server struct{}

// New opens the folder or file at path.
func New(path string, o Options) (*Server, error) { return nil, errors.ErrUnsupported }

// Handler answers requests for the site alone: no log, no limits, no users. It keeps the
// path under any server whose connections do.
func (s *Server) Handler() http.Handler { return http.NotFoundHandler() }

// Metrics answers with the server's figures in Prometheus' text format.
func (s *Server) Metrics() http.Handler { return http.NotFoundHandler() }

// Serve accepts connections of l until Shutdown, then returns http.ErrServerClosed.
func (s *Server) Serve(l net.Listener) error { return errors.ErrUnsupported }

// Shutdown stops accepting, waits for what is under way until ctx ends, and closes what is
// left then, and the site.
func (s *Server) Shutdown(ctx context.Context) error { return nil }
