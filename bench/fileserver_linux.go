package main

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

// countedWriter is the middleware that the article is about: it counts what a handler
// writes, as many do, and nothing tells that sendfile is lost.
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
		// A response is not held back because its line cannot be written.
		fmt.Fprintf(accessLog, "%s %s %q %d %d\n", time.Now().Format(time.RFC3339),
			r.RemoteAddr, r.Method+" "+r.URL.Path, counted.status, counted.bytes)
	})
}

// fileServer serves a folder by net/http, with an access log where one is named.
func fileServer(ctx context.Context, addr, folder, accessLog string) error {
	handler := http.FileServer(http.Dir(folder))
	if accessLog != "" {
		f, err := os.Create(accessLog)
		if err != nil {
			return err
		}
		defer f.Close() // a log that is thrown away
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
