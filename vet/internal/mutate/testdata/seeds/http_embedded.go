// case: w embedded, ReadFrom
package seed

import (
	"io"
	"net/http"
)

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (s *statusWriter) WriteHeader(code int) {
	s.status = code
	s.ResponseWriter.WriteHeader(code)
}

func (s *statusWriter) ReadFrom(r io.Reader) (int64, error) { return io.Copy(s.ResponseWriter, r) }

func logged(next http.Handler, log func(path string, status int)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := &statusWriter{w, 200}
		next.ServeHTTP(s, r)
		log(r.URL.Path, s.status)
	})
}

func handler() http.Handler {
	return logged(http.FileServer(http.Dir("public")), func(string, int) {})
}
