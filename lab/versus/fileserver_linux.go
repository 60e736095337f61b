package versus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// countedWriter is the middleware that the article is about. Like many others, it counts what a handler
// writes, and so loses sendfile without a warning.
//
//thresh:ignore responsewrapper what this costs is measured
type countedWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *countedWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *countedWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// counted logs each request with the bytes of its answer.
func counted(next http.Handler, accessLog io.Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &countedWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(counted, r)
		// A log line that cannot be written must not affect the response.
		fmt.Fprintf(accessLog, "%s %s %q %d %d\n", time.Now().Format(time.RFC3339),
			r.RemoteAddr, r.Method+" "+r.URL.Path, counted.status, counted.bytes)
	})
}

// fileServer serves a folder with net/http, and writes an access log if one is named.
func fileServer(ctx context.Context, addr, folder, accessLog string) error {
	handler := http.FileServer(http.Dir(folder))
	if accessLog != "" {
		f, err := os.Create(accessLog)
		if err != nil {
			return err
		}
		defer f.Close() // the log is not needed
		handler = counted(handler, f)
	}
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		return err
	}
	s := &http.Server{Handler: handler}
	context.AfterFunc(ctx, func() { s.Close() }) // which ends Serve
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
