// Package handlers has responses and bodies.
package handlers

import (
	"io"
	"net/http"
	"os"
)

func show(any)          {}
func inner(any, string) {}

type server struct{ next http.Handler }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	show(w)      // = response net/http.ResponseWriter
	show(r.Body) // = body io.ReadCloser
	rf, ok := w.(io.ReaderFrom)
	show(rf) // = response net/http.ResponseWriter
	_ = ok
	lw := &logging{ResponseWriter: w}
	show(lw)                    // = *logging
	inner(lw, "ResponseWriter") // = response net/http.ResponseWriter
	s.next.ServeHTTP(lw, r)
	help(w, nil)
	helpOne(w)
	HelpExported(w)
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		show(w) // = response net/http.ResponseWriter
		send(w, r)
	})
	wrapped(lw, r)
	http.HandleFunc("/", wrapped)
}

func help(w http.ResponseWriter, _ any) {
	show(w) // = response net/http.ResponseWriter
}

func helpOne(w io.Writer) {
	show(w) // = response net/http.ResponseWriter
}

// HelpExported may get any writer.
func HelpExported(w http.ResponseWriter) {
	show(w) // = net/http.ResponseWriter, response net/http.ResponseWriter ?
}

func send(w http.ResponseWriter, r *http.Request) {
	f, _ := os.Open("x")
	io.Copy(w, f) // = io.Copy: response net/http.ResponseWriter <- file *os.File
}

// wrapped is a handler, and is passed a wrapper besides.
func wrapped(w http.ResponseWriter, r *http.Request) {
	show(w) // = *logging, response net/http.ResponseWriter
}

type logging struct {
	http.ResponseWriter
	n int64
}

func (l *logging) Write(p []byte) (int, error) {
	show(l.ResponseWriter) // = response net/http.ResponseWriter
	return l.ResponseWriter.Write(p)
}

func middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&logging{ResponseWriter: w}, r)
	})
}

func withError(w http.ResponseWriter, r *http.Request, name string) error {
	show(w) // = response net/http.ResponseWriter
	return nil
}

var routes = map[string]func(http.ResponseWriter, *http.Request, string) error{"x": withError}

func client() {
	resp, _ := http.Get("x")
	show(resp.Body)               // = body io.ReadCloser
	io.Copy(os.Stdout, resp.Body) // = io.Copy: pipe *os.File <- body io.ReadCloser
}
