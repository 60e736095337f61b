package serve

import (
	"io"
	"net/http"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

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
