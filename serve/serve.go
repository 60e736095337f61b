// Package serve serves files over HTTP and stays on the zero-copy path. If a body has to be copied,
// it logs the reason.
//
//	s, err := serve.New("/data", serve.Options{ErrorLog: func(err error) { log.Print(err) }})
//	...
//	err = s.Serve(listener) // until s.Shutdown
//
// GET and HEAD return files, ranges and conditional responses as RFC 9110 describes. A folder with
// an index.html is that page. Other folders are listed, as HTML or, by the Accept header or with
// ?format=json, as JSON. Nothing outside the served folder is reachable: symbolic links that lead
// out of it get status 403, and so do special files such as pipes and devices.
//
// Connections within one machine are not paced: if the system's congestion control is BBR, loopback
// listeners use Reno.
//
// Every connection is a *zerocopy.Conn, whose hooks limit the rate, set deadlines and count bytes.
// A loop of this package handles HTTP/1, with or without TLS. net/http would hold buffers and two
// goroutines for each response in progress, and take several times the processor time for a small
// file. net/http handles HTTP/2.
package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/net/forwarded"
	"github.com/thresh-dev/thresh/internal/net/pacing"
	"github.com/thresh-dev/thresh/internal/net/throttle"
	"github.com/thresh-dev/thresh/zerocopy"
)

const (
	clientErrorInterval = time.Second      // between two reports of errors that clients can cause at will
	shortageInterval    = 10 * time.Second // between two reports that descriptors are short
)

// Server serves one folder or file. It is safe for concurrent use.
type Server struct {
	o        Options
	root     *docroot.Root
	handler  http.Handler
	users    *users // nil: no authentication
	log      *accessLog
	stats    *stats
	pools    pools
	date     date
	slots    chan struct{}     // one per open connection; nil: no limit
	proxies  forwarded.Proxies // that are trusted
	visitors visitors
	refusing atomic.Int64
	began    time.Time // the zero of the server's clock
	freed    chan struct{}

	clientErrors *throttle.Errors // errors of net/http, which clients can cause
	shortages    *throttle.Errors // of descriptors
	streams      *streams

	hosts     *hosts
	tls       *tls.Config // nil: no TLS
	started   sync.Once
	http      *http.Server // for HTTP/2
	handovers *handoverListener
	httpDone  chan struct{}

	mu          sync.Mutex
	listeners   map[net.Listener]struct{}
	clients     map[*client]struct{}
	evictable   []candidate     // the longest idle first
	copyReasons map[string]bool // that were logged
	clientsDone sync.WaitGroup  // done when every client is released
	closing     chan struct{}   // closed by Shutdown
	closed      atomic.Bool     // also set by Shutdown
	aborted     atomic.Bool     // set by Shutdown when its time is over
	closeOnce   sync.Once
}

// New opens the folder or file at path, which may also be a block device. It does not listen yet.
// The error is a *failure.OptionError, or it is about path, the certificate or its key and wraps the
// system's error, if any, such as fs.ErrNotExist. Call Shutdown to release the files, even if Serve
// was never called.
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
		began:       time.Now(),
		freed:       make(chan struct{}, 1),
	}
	s.pools.exchanges.New = func() any { return newExchange() }
	s.pools.inputs.New = func() any { return new([inputBytes]byte) }
	s.pools.replies.New = func() any { return new(replyBuffer) }
	s.http = &http.Server{
		Handler:        http.HandlerFunc(s.serveHTTP2),
		IdleTimeout:    o.IdleTimeout,
		MaxHeaderBytes: 2 * headerBytesMax, // so that serveHTTP2 sees what is too long
		ConnState:      s.connState,
		ConnContext:    withSecured,
		HTTP2:          newHTTP2Config(s.stats),
		ErrorLog:       slog.NewLogLogger(http2Log{slog.DiscardHandler, s}, slog.LevelError),

		DisableGeneralOptionsHandler: true, // it would answer OPTIONS * without a line in the log
	}
	s.clientErrors = throttle.New(clientErrorInterval, o.ErrorLog)
	s.shortages = throttle.New(shortageInterval, o.ErrorLog)
	s.streams = newStreams(s)
	if err := s.trustProxies(); err != nil {
		return nil, err
	}
	headers, err := newHeaderRules(o.Headers)
	if err != nil {
		return nil, err
	}
	if err = checkOrigins(o.CORS); err != nil {
		return nil, err
	}
	if s.users, err = newUsers(o.Users); err != nil {
		return nil, err
	}
	current, err := newCertificate(&o, s.stats)
	if err != nil {
		return nil, err
	}
	if current != nil {
		s.tls = newTLSConfig(current)
		s.http.TLSConfig = s.tls.Clone()
	}
	if s.hosts, err = newHosts(o.Hosts, current); err != nil {
		return nil, err
	}
	if err = checkHSTS(o.HSTS, s.tls != nil); err != nil {
		return nil, err
	}
	if s.root, err = o.openRoot(path, s.freeDescriptors); err != nil {
		return nil, err
	}
	s.stats.watchListings(s.root)
	if n := s.connsMax(); n > 0 {
		s.slots = make(chan struct{}, n)
	}
	s.visitors.configure(o)
	s.handler = newHandler(s.root, handlerOptions{
		noListing: o.NoListing,
		archives:  o.Archives && !o.NoListing,
		headers:   headers,
		cors:      slices.Clone(o.CORS),
		fallback:  o.Fallback,
		notFound:  o.NotFound,
		aborted:   s.aborted.Load,
		disk:      make(zerocopy.Semaphore, o.MaxDiskReads),
		errorLog:  s.logServerError,
	})
	if o.AccessLog != nil {
		s.log = newAccessLog(o.AccessLog, o.AccessJSON, o.ErrorLog, s.stats)
	}
	return s, nil
}

// Handler returns a handler that serves the files alone, without log, limits, authentication and
// metrics. It keeps the fast path under any server whose connections do.
func (s *Server) Handler() http.Handler {
	if s.handler == nil {
		return http.NotFoundHandler()
	}
	return s.handler
}

// Metrics returns a handler that serves the server's metrics in the Prometheus text format, and
// those of the process. The server's are called thresh_serve_*; their names and labels are stable.
func (s *Server) Metrics() http.Handler {
	if s.stats == nil {
		return http.NotFoundHandler()
	}
	return s.stats
}

// check returns an error for the zero Server, and for an argument of one of its methods that is nil.
func (s *Server) check(name string, argument any) error {
	if s.handler == nil {
		return errors.New("serve: the server is empty; make one by New")
	}
	if argument == nil {
		return optionError(name, nil, "it must not be nil")
	}
	return nil
}

// Serve accepts connections of l and serves them. It returns http.ErrServerClosed after Shutdown;
// any other error is of l. Either way it closes l. Serve may run for several listeners at once.
func (s *Server) Serve(l net.Listener) error {
	if err := s.check("l", l); err != nil {
		return err
	}
	return s.serve(l, &binding{
		encrypted: s.tls != nil,
		checkHost: !s.hosts.any && (isLoopback(l.Addr()) || len(s.o.Hosts) > 0),
	})
}

func (s *Server) serve(l net.Listener, b *binding) error {
	s.mu.Lock()
	if s.closed.Load() {
		s.mu.Unlock()
		return errors.Join(http.ErrServerClosed, l.Close())
	}
	s.started.Do(func() { go s.serveHandovers() })
	s.listeners[l] = struct{}{}
	s.mu.Unlock()
	pacing.DisableListener(l)
	err := s.accept(l, b)
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
	err := s.http.Serve(s.handovers)
	if !errors.Is(err, http.ErrServerClosed) && !s.closed.Load() {
		s.o.ErrorLog(err)
	}
}

// Shutdown stops accepting connections, closes idle ones, and waits until the requests in progress
// are done. When ctx ends first, it closes the remaining connections and returns ctx's error. Then
// it closes the files and writes the rest of the access log. Repeated calls are allowed.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.check("ctx", ctx); err != nil {
		return err
	}
	err := s.drain(ctx)
	s.closeOnce.Do(func() {
		err = errors.Join(err, s.root.Close())
		s.clientErrors.Close()
		s.shortages.Close()
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
	s.started.Do(func() { close(s.httpDone) }) // Serve was never called
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	<-s.httpDone
	none := make(chan struct{})
	go func() { s.clientsDone.Wait(); close(none) }()
	select {
	case <-none:
		return err
	case <-ctx.Done():
	}
	s.aborted.Store(true)
	s.mu.Lock()
	if len(s.clients) > 0 {
		err = ctx.Err()
	}
	for c := range s.clients {
		_ = c.conn.Close() // the client's loop sees it and ends
	}
	s.mu.Unlock()
	<-none
	return err
}

// ServeHTTP answers a request of somebody else's server, with authentication, hosts, the access log and metrics. Bodies
// keep the fast path on listeners of zerocopy.NewListener. What concerns connections needs Serve: TLS, HSTS, timeouts,
// rates, and the limits of all clients and of one address. Below a prefix it goes into http.StripPrefix:
//
//	mux.Handle("/files/", http.StripPrefix("/files", server))
//
// After Shutdown, and of the zero Server, the status is 503.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.handler == nil || s.closed.Load() {
		http.Error(w, "the server is closed, or was not made by serve.New", http.StatusServiceUnavailable)
		return
	}
	var sent zerocopy.Counter
	status := &statusWriter{ResponseWriter: zerocopy.NewResponseWriter(w, r, zerocopy.Count(&sent))}
	o := outcome{began: time.Now()}
	s.stats.inFlight.Add(1)
	defer func() {
		if o.status, o.bytes = status.status, sent.Total(); o.status == 0 {
			o.status = http.StatusOK
		}
		s.record(r, &o)
	}()
	own := &binding{encrypted: r.TLS != nil, checkHost: !s.hosts.any && len(s.o.Hosts) > 0}
	s.serveRequest(own, status, r, &o)
}

// statusWriter records the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int // 0: none was written
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader keeps the first status that is final.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// ReadFrom leaves the copy to the response writer below, which may know a system call for it.
func (w *statusWriter) ReadFrom(r io.Reader) (int64, error) { return io.Copy(w.ResponseWriter, r) }
