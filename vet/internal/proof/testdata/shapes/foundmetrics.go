package main

import (
	"io"
	"net/http"
	"os"
	"sync/atomic"
)

// After github.com/slok/go-http-metrics@v0.13.0/middleware/std/std.go: a middleware measures each response.

type measuredResponse struct { // want responsewrapper
	http.ResponseWriter
	status, bytes int
}

func (m *measuredResponse) WriteHeader(status int) {
	m.status = status
	m.ResponseWriter.WriteHeader(status)
}

func (m *measuredResponse) Write(p []byte) (int, error) {
	m.bytes += len(p)
	return m.ResponseWriter.Write(p)
}

func (m *measuredResponse) Flush() {
	if f, ok := m.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

func measured(next http.Handler, bytes *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := &measuredResponse{ResponseWriter: w, status: http.StatusOK}
		defer func() { bytes.Add(int64(m.bytes)) }()
		next.ServeHTTP(m, r)
	})
}

// fileHandler serves a file with its length.
func fileHandler(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		http.ServeContent(w, r, "data", info.ModTime(), f)
	})
}

func metricsFlagged(name string) http.HandlerFunc {
	return measured(fileHandler(name), &counted).ServeHTTP
}

type measuredResponseFixed struct {
	http.ResponseWriter
	status, bytes int
}

func (m *measuredResponseFixed) WriteHeader(status int) {
	m.status = status
	m.ResponseWriter.WriteHeader(status)
}

func (m *measuredResponseFixed) Write(p []byte) (int, error) {
	m.bytes += len(p)
	return m.ResponseWriter.Write(p)
}

func (m *measuredResponseFixed) Flush() {
	if f, ok := m.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

func (m *measuredResponseFixed) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(m.ResponseWriter, r)
	m.bytes += int(n)
	return n, err
}

func measuredFixed(next http.Handler, bytes *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := &measuredResponseFixed{ResponseWriter: w, status: http.StatusOK}
		defer func() { bytes.Add(int64(m.bytes)) }()
		next.ServeHTTP(m, r)
	})
}

func metricsFixed(name string) http.HandlerFunc {
	return measuredFixed(fileHandler(name), &counted).ServeHTTP
}
