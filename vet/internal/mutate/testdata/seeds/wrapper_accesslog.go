// wrapper: an access log that remembers status and size, and keeps Flush and ReadFrom
package seed

import (
	"io"
	"log"
	"net/http"
	"time"
)

type accessWriter struct {
	http.ResponseWriter
	status int
	size   int64
	begun  time.Time
}

func (a *accessWriter) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *accessWriter) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(p)
	a.size += int64(n)
	return n, err
}

func (a *accessWriter) Flush() { http.NewResponseController(a.ResponseWriter).Flush() }

func (a *accessWriter) ReadFrom(r io.Reader) (int64, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := io.Copy(a.ResponseWriter, r)
	a.size += n
	return n, err
}

func AccessLog(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &accessWriter{ResponseWriter: w, begun: time.Now()}
		defer func() { log.Print(r.Method, r.URL, a.status, a.size, time.Since(a.begun)) }()
		next.ServeHTTP(a, r)
	})
}
