package main

import (
	"io"
	"net/http"
	"path/filepath"
)

// loggedResponse remembers the status and counts the bytes, for an access log.
type loggedResponse struct { // want responsewrapper
	http.ResponseWriter
	status int
	bytes  int64
}

func (l *loggedResponse) WriteHeader(status int) {
	l.status = status
	l.ResponseWriter.WriteHeader(status)
}

func (l *loggedResponse) Write(p []byte) (int, error) {
	n, err := l.ResponseWriter.Write(p)
	l.bytes += int64(n)
	return n, err
}

func responseFlagged(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		l := &loggedResponse{ResponseWriter: w}
		http.FileServer(http.Dir(filepath.Dir(name))).ServeHTTP(l, r)
		counted.Add(l.bytes)
	}
}

type loggedFixed struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (l *loggedFixed) WriteHeader(status int) {
	l.status = status
	l.ResponseWriter.WriteHeader(status)
}

func (l *loggedFixed) Write(p []byte) (int, error) {
	n, err := l.ResponseWriter.Write(p)
	l.bytes += int64(n)
	return n, err
}

func (l *loggedFixed) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(l.ResponseWriter, r)
	l.bytes += n
	return n, err
}

func responseFixed(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		l := &loggedFixed{ResponseWriter: w}
		http.FileServer(http.Dir(filepath.Dir(name))).ServeHTTP(l, r)
		counted.Add(l.bytes)
	}
}
