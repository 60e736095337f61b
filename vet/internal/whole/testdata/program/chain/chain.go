// Package chain has a chain of middleware.
package chain

import "net/http"

// Middleware wraps a handler.
type Middleware func(http.Handler) http.Handler

// Then applies them, the first outermost.
func Then(h http.Handler, all ...Middleware) http.Handler {
	for i := len(all) - 1; i >= 0; i-- {
		h = all[i](h)
	}
	return h
}

type sizes struct { // want "sizes, status hide ReadFrom of a response, each inside of the one before"
	http.ResponseWriter
	n int
}

func (s *sizes) Write(p []byte) (int, error) {
	n, err := s.ResponseWriter.Write(p)
	s.n += n
	return n, err
}

// Sizes counts bytes.
func Sizes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&sizes{ResponseWriter: w}, r)
	})
}

type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

// Status notes the status.
func Status(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &status{ResponseWriter: w}
		next.ServeHTTP(s, r)
	})
}
