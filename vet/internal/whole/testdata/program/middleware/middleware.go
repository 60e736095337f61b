// Package middleware has a server with unexported methods.
package middleware

import "net/http"

type server struct{ dir string }

type access struct { // want "access hides ReadFrom of the response"
	http.ResponseWriter
	n int64
}

func (a *access) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	a.n += int64(n)
	return n, err
}

func (s *server) log(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next(&access{ResponseWriter: w}, r)
	}
}

func (s *server) get(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, s.dir+r.URL.Path) }

// Routes registers what a folder has.
func Routes(mux *http.ServeMux, dir string) {
	s := &server{dir}
	mux.HandleFunc("/", s.log(s.get))
}
