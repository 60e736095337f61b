package main

import (
	"io"
	"net/http"
	"os"
	"time"
)

// After github.com/getsentry/sentry-go@v0.50.0/internal/httputils/wrap_writer.go: a response with a tee counts
// what it copies once in Write, and again in ReadFrom.

type basicResponse struct {
	http.ResponseWriter
	tee   io.Writer
	bytes int
}

func (b *basicResponse) Write(p []byte) (int, error) {
	n, err := b.ResponseWriter.Write(p)
	if b.tee != nil {
		if _, err := b.tee.Write(p[:n]); err != nil {
			return n, err
		}
	}
	b.bytes += n
	return n, err
}

type teeResponse struct{ basicResponse }

func (t *teeResponse) ReadFrom(r io.Reader) (int64, error) {
	if t.tee != nil {
		n, err := io.Copy(&t.basicResponse, r)
		t.bytes += int(n) // want doublecount
		return n, err
	}
	n, err := io.Copy(t.ResponseWriter, r)
	t.bytes += int(n)
	return n, err
}

func teeFlagged(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		t := &teeResponse{basicResponse{ResponseWriter: w, tee: io.Discard}}
		http.ServeContent(t, r, "data", time.Time{}, f)
		counted.Add(int64(t.bytes))
	}
}

type teeResponseFixed struct{ basicResponse }

func (t *teeResponseFixed) ReadFrom(r io.Reader) (int64, error) {
	if t.tee != nil {
		return io.Copy(&t.basicResponse, r)
	}
	n, err := io.Copy(t.ResponseWriter, r)
	t.bytes += int(n)
	return n, err
}

func teeFixed(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer f.Close()
		t := &teeResponseFixed{basicResponse{ResponseWriter: w, tee: io.Discard}}
		http.ServeContent(t, r, "data", time.Time{}, f)
		counted.Add(int64(t.bytes))
	}
}
