package main

import (
	"io"
	"net/http"
	"strings"
)

// After github.com/klauspost/compress@v1.20.3/gzhttp/compress.go: for clients that take no gzip, a wrapper removes a
// header of the program's own.

const noCompression = "No-Gzip-Compression"

type uncompressed struct { // want responsewrapper
	http.ResponseWriter
	cleaned bool
}

func (u *uncompressed) clean() {
	if !u.cleaned {
		u.Header().Del(noCompression)
		u.cleaned = true
	}
}

func (u *uncompressed) WriteHeader(status int) {
	u.clean()
	u.ResponseWriter.WriteHeader(status)
}

func (u *uncompressed) Write(p []byte) (int, error) {
	u.clean()
	return u.ResponseWriter.Write(p)
}

// compressing would wrap the response for the other clients in a gzip.Writer.
func compressing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			next.ServeHTTP(&uncompressed{ResponseWriter: w}, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func noGzipFlagged(name string) http.HandlerFunc { return compressing(fileHandler(name)).ServeHTTP }

type uncompressedFixed struct {
	http.ResponseWriter
	cleaned bool
}

func (u *uncompressedFixed) clean() {
	if !u.cleaned {
		u.Header().Del(noCompression)
		u.cleaned = true
	}
}

func (u *uncompressedFixed) WriteHeader(status int) {
	u.clean()
	u.ResponseWriter.WriteHeader(status)
}

func (u *uncompressedFixed) Write(p []byte) (int, error) {
	u.clean()
	return u.ResponseWriter.Write(p)
}

func (u *uncompressedFixed) ReadFrom(r io.Reader) (int64, error) {
	u.clean()
	return io.Copy(u.ResponseWriter, r)
}

func compressingFixed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			next.ServeHTTP(&uncompressedFixed{ResponseWriter: w}, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func noGzipFixed(name string) http.HandlerFunc { return compressingFixed(fileHandler(name)).ServeHTTP }
