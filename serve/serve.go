// Package serve hands files out over HTTP and never leaves the zero-copy path without
// saying so.
//
// A connection is a *zerocopy.Conn, whose hooks limit its rate, give every slice its time,
// and count. Plain GET and HEAD requests over HTTP/1.x are read and answered by a loop of
// this package (plain.go), because net/http holds buffers and two goroutines for a
// response under way, and takes several times the processor time for a small file. Whatever that loop does
// not know as plain - TLS and HTTP/2, bodies, upgrades, long or malformed headers - net/http
// answers, with the bytes read so far in front.
package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/zerocopy"
)

// Options of a server. The zero value serves plainly.
type Options struct {
	Site          docroot.Options
	NoListing     bool
	LimitRate     int64             // bytes a second and connection; 0: no limit
	MaxConns      int               // connections at once; more wait unaccepted; 0: no limit
	MaxConnsPerIP int               // connections at once of one client address, IPv6 by /64; 0: no limit
	HeaderTimeout time.Duration     // for the header of a request; 0: 10 s
	IdleTimeout   time.Duration     // between requests of a connection; 0: 2 min
	SendTimeout   time.Duration     // for the client to take something of what is sent; 0: 1 min
	MaxDiskReads  int               // system calls that may wait for the disk at once; 0: 64
	Users         map[string]string // name to bcrypt hash; empty: anyone
	AccessLog     io.Writer         // one Write holds whole lines; nil: none
	AccessJSON    bool              // JSON lines instead of the combined log format
	ErrorLog      func(error)       // told of what goes wrong, from any goroutine; nil: nothing is
	TLSCert       string            // PEM file, read again when it changes
	TLSKey        string
}

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

// Server serves one folder or file. It is safe for concurrent use.
type Server struct {
	o        Options
	root     *docroot.Root
	handler  http.Handler
	users    *users // nil: anyone
	log      *accessLog
	stats    *stats
	pools    pools
	date     date
	slots    chan struct{} // one per connection; nil: no limit
	byIP     perIP
	refusing atomic.Int64

	useTLS    bool // TLS; net/http makes a configuration of its own where there is none
	started   sync.Once
	http      *http.Server // for what is not plain
	handovers *handoverListener
	httpDone  chan struct{}

	mu          sync.Mutex
	listeners   map[net.Listener]struct{}
	clients     map[*client]struct{}
	copyReasons map[string]bool // told of
	clientsDone sync.WaitGroup  // of clients
	closing     chan struct{}   // closed by Shutdown
	closed      atomic.Bool     // the same
	closeOnce   sync.Once
}

// New opens the folder or file at path.
func New(path string, o Options) (*Server, error) {
	o.defaults()
	s := &Server{
		o:           o,
		stats:       newStats(),
		listeners:   map[net.Listener]struct{}{},
		clients:     map[*client]struct{}{},
		copyReasons: map[string]bool{},
		closing:     make(chan struct{}),
		httpDone:    make(chan struct{}),
		handovers:   newHandoverListener(),
	}
	s.pools.exchanges.New = func() any { return newExchange() }
	s.pools.inputs.New = func() any { return new([plainHeaderBytes]byte) }
	s.pools.replies.New = func() any { return new(replyBuffer) }
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serveHTTP),
		ReadHeaderTimeout: o.HeaderTimeout,
		IdleTimeout:       o.IdleTimeout,
		MaxHeaderBytes:    headerBytesMax,
		ConnState:         s.connState,
		ErrorLog:          slog.NewLogLogger(errorLogHandler(o.ErrorLog), slog.LevelError),
	}
	var err error
	if s.users, err = newUsers(o.Users); err != nil {
		return nil, err
	}
	if s.http.TLSConfig, err = newTLS(o.TLSCert, o.TLSKey, o.ErrorLog, s.stats); err != nil {
		return nil, err
	}
	s.useTLS = s.http.TLSConfig != nil
	if s.root, err = docroot.Open(path, o.Site); err != nil {
		return nil, err
	}
	if o.MaxConns > 0 {
		s.slots = make(chan struct{}, o.MaxConns)
	}
	s.byIP.max = o.MaxConnsPerIP
	s.handler = newHandler(s.root, handlerOptions{
		noListing: o.NoListing,
		disk:      make(zerocopy.Semaphore, o.MaxDiskReads),
		errorLog:  s.logServerError,
	})
	if o.AccessLog != nil {
		s.log = newAccessLog(o.AccessLog, o.AccessJSON, o.ErrorLog, s.stats)
	}
	return s, nil
}

// Handler answers requests for the site alone: no log, no limits, no users. It keeps the
// path under any server whose connections do.
func (s *Server) Handler() http.Handler { return s.handler }

// Metrics answers with the server's figures in Prometheus' text format.
func (s *Server) Metrics() http.Handler { return s.stats }

// Serve accepts connections of l until Shutdown, then returns http.ErrServerClosed. It may
// be called for several listeners. It closes l.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.closed.Load() {
		s.mu.Unlock()
		return errors.Join(http.ErrServerClosed, l.Close())
	}
	s.listeners[l] = struct{}{}
	s.mu.Unlock()
	s.started.Do(func() { go s.serveHandovers() })
	err := s.accept(l)
	s.mu.Lock()
	delete(s.listeners, l)
	s.mu.Unlock()
	if s.closed.Load() {
		return http.ErrServerClosed
	}
	return errors.Join(err, l.Close())
}

// serveHandovers runs net/http on the connections that are handed over.
func (s *Server) serveHandovers() {
	defer close(s.httpDone)
	var err error
	if s.useTLS {
		err = s.http.ServeTLS(s.handovers, "", "")
	} else {
		err = s.http.Serve(s.handovers)
	}
	if !errors.Is(err, http.ErrServerClosed) && !s.closed.Load() {
		s.o.ErrorLog(err)
	}
}

// Shutdown stops accepting, waits for what is under way until ctx ends, and closes what is
// left then, and the site. It returns ctx's error where something was left.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.drain(ctx)
	s.closeOnce.Do(func() {
		err = errors.Join(err, s.root.Close())
		if s.log != nil {
			s.log.close(ctx)
		}
	})
	return err
}

func (s *Server) drain(ctx context.Context) error {
	s.mu.Lock()
	if !s.closed.Swap(true) {
		close(s.closing)
	}
	for l := range s.listeners {
		// Accept returns the error that matters, if any.
		_ = l.Close()
	}
	for c := range s.clients {
		c.closeIfIdle()
	}
	s.mu.Unlock()
	started := true
	s.started.Do(func() { started = false })
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	if started {
		<-s.httpDone
	}
	none := make(chan struct{})
	go func() { s.clientsDone.Wait(); close(none) }()
	select {
	case <-none:
		return err
	case <-ctx.Done():
	}
	s.mu.Lock()
	if len(s.clients) > 0 {
		err = ctx.Err()
	}
	for c := range s.clients {
		_ = c.conn.Close() // the loop of the client sees it
	}
	s.mu.Unlock()
	<-none
	return err
}
