package main

import (
	"io"
	"net/http"
)

// After github.com/gin-gonic/gin@v1.12.0/response_writer.go: a framework wraps every response, to know its
// status and size, and serves files through the wrapper.

type frameworkWriter struct { // want responsewrapper
	http.ResponseWriter
	size, status int
}

func (w *frameworkWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *frameworkWriter) WriteHeader(code int) {
	w.status = code
}

func (w *frameworkWriter) writeHeaderNow() {
	if w.size < 0 {
		w.size = 0
		w.ResponseWriter.WriteHeader(w.status)
	}
}

func (w *frameworkWriter) Write(p []byte) (int, error) {
	w.writeHeaderNow()
	n, err := w.ResponseWriter.Write(p)
	w.size += n
	return n, err
}

// frameworkContext is what handlers of the framework get.
type frameworkContext struct {
	request *http.Request
	writer  frameworkWriter
}

func (c *frameworkContext) file(name string) { http.ServeFile(&c.writer, c.request, name) }

func ginFlagged(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &frameworkContext{r, frameworkWriter{w, -1, http.StatusOK}}
		c.file(name)
	}
}

type frameworkWriterFixed struct {
	http.ResponseWriter
	size, status int
}

func (w *frameworkWriterFixed) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *frameworkWriterFixed) WriteHeader(code int) {
	w.status = code
}

func (w *frameworkWriterFixed) writeHeaderNow() {
	if w.size < 0 {
		w.size = 0
		w.ResponseWriter.WriteHeader(w.status)
	}
}

func (w *frameworkWriterFixed) Write(p []byte) (int, error) {
	w.writeHeaderNow()
	n, err := w.ResponseWriter.Write(p)
	w.size += n
	return n, err
}

func (w *frameworkWriterFixed) ReadFrom(r io.Reader) (int64, error) {
	w.writeHeaderNow()
	n, err := io.Copy(w.ResponseWriter, r)
	w.size += int(n)
	return n, err
}

type frameworkContextFixed struct {
	request *http.Request
	writer  frameworkWriterFixed
}

func (c *frameworkContextFixed) file(name string) { http.ServeFile(&c.writer, c.request, name) }

func ginFixed(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &frameworkContextFixed{r, frameworkWriterFixed{w, -1, http.StatusOK}}
		c.file(name)
	}
}
