// Package proxy hands requests to upstreams: file:// is a folder.
package proxy

import (
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
)

type folder struct {
	name    string
	handler http.Handler
}

func (f *folder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Upstream", f.name)
	f.handler.ServeHTTP(w, r)
}

func upstream(u *url.URL) (http.Handler, error) {
	switch u.Scheme {
	case "file":
		return &folder{u.Path, http.StripPrefix(u.Path, http.FileServer(http.Dir(u.Path)))}, nil
	case "http", "https":
		return httputil.NewSingleHostReverseProxy(u), nil
	}
	return nil, errors.New("unknown scheme " + u.Scheme)
}

// Proxy has an upstream for each path.
type Proxy struct{ routes map[string]http.Handler }

// New returns a handler for upstreams, whose requests are logged.
func New(upstreams ...string) (http.Handler, error) {
	p := &Proxy{map[string]http.Handler{}}
	for _, text := range upstreams {
		u, err := url.Parse(text)
		if err != nil {
			return nil, err
		}
		if p.routes[u.Path], err = upstream(u); err != nil {
			return nil, err
		}
	}
	return logging(p), nil
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h, ok := p.routes[r.URL.Path]; ok {
		h.ServeHTTP(w, r)
	}
}

type entry struct { // want "entry hides ReadFrom of the response"
	w      http.ResponseWriter
	status int
}

func (e *entry) Header() http.Header         { return e.w.Header() }
func (e *entry) Write(p []byte) (int, error) { return e.w.Write(p) }
func (e *entry) WriteHeader(status int)      { e.status = status; e.w.WriteHeader(status) }

func logging(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&entry{w: w}, r)
	})
}
