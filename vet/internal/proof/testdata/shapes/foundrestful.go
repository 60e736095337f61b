package main

import (
	"io"
	"net/http"
)

// After github.com/emicklei/go-restful/v3@v3.14.0/response.go: filters get a response of their own, and hand it to
// the handler behind them.

type filteredResponse struct { // want responsewrapper
	http.ResponseWriter
	produces      []string
	statusCode    int
	contentLength int
}

func (f *filteredResponse) WriteHeader(status int) {
	f.statusCode = status
	f.ResponseWriter.WriteHeader(status)
}

func (f *filteredResponse) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	f.contentLength += n
	return n, err
}

func newFilteredResponse(w http.ResponseWriter) *filteredResponse {
	return &filteredResponse{ResponseWriter: w, statusCode: http.StatusOK}
}

// filters calls its filters and then the handler.
type filters struct {
	list    []func(w *filteredResponse, r *http.Request)
	handler http.Handler
}

func (f filters) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resp := newFilteredResponse(w)
	for _, filter := range f.list {
		filter(resp, r)
	}
	f.handler.ServeHTTP(resp, r)
	counted.Add(int64(resp.contentLength))
}

func restfulFlagged(name string) http.HandlerFunc {
	return filters{handler: fileHandler(name)}.ServeHTTP
}

type filteredResponseFixed struct {
	http.ResponseWriter
	produces      []string
	statusCode    int
	contentLength int
}

func (f *filteredResponseFixed) WriteHeader(status int) {
	f.statusCode = status
	f.ResponseWriter.WriteHeader(status)
}

func (f *filteredResponseFixed) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	f.contentLength += n
	return n, err
}

func (f *filteredResponseFixed) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(f.ResponseWriter, r)
	f.contentLength += int(n)
	return n, err
}

type filtersFixed struct {
	list    []func(w *filteredResponseFixed, r *http.Request)
	handler http.Handler
}

func (f filtersFixed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resp := &filteredResponseFixed{ResponseWriter: w, statusCode: http.StatusOK}
	for _, filter := range f.list {
		filter(resp, r)
	}
	f.handler.ServeHTTP(resp, r)
	counted.Add(int64(resp.contentLength))
}

func restfulFixed(name string) http.HandlerFunc {
	return filtersFixed{handler: fileHandler(name)}.ServeHTTP
}
