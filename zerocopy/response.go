package zerocopy

import (
	"context"
	"io"
	"net/http"
)

// responseWriter is an http.ResponseWriter with hooks on the body.
type responseWriter struct {
	inner   http.ResponseWriter
	request *http.Request
	hooks   []Hook
	loans   *loans // nil: not one of NewHandler
}

// NewResponseWriter returns w with hooks on the body of the response to r. The hooks receive the
// context of r. The result has ReadFrom, so io.Copy and http.ServeContent keep the fast path. It
// implements http.Flusher, http.Hijacker and http.Pusher exactly if w does; http.ResponseController
// finds everything else. The result has CloseNotify, because gin and others demand it; it follows
// the request's context if w has none. NewResponseWriter panics if w, r or a hook is nil. If w is of
// another package and has no ReadFrom, see NewHandler.
func NewResponseWriter(w http.ResponseWriter, r *http.Request, hooks ...Hook) http.ResponseWriter {
	require("NewResponseWriter", "response", w)
	require("NewResponseWriter", "request", r)
	requireHooks("NewResponseWriter", hooks)
	own := &responseWriter{inner: w, request: r, hooks: hooks}
	return own.withInterfaces()
}

// withInterfaces adds the optional interfaces that the wrapped response has.
func (w *responseWriter) withInterfaces() http.ResponseWriter {
	f, flushes := w.inner.(http.Flusher)
	h, hijacks := w.inner.(http.Hijacker)
	p, pushes := w.inner.(http.Pusher)
	switch {
	case flushes && hijacks && pushes:
		return struct {
			*responseWriter
			http.Flusher
			http.Hijacker
			http.Pusher
		}{w, f, h, p}
	case flushes && hijacks:
		return struct {
			*responseWriter
			http.Flusher
			http.Hijacker
		}{w, f, h}
	case flushes && pushes:
		return struct {
			*responseWriter
			http.Flusher
			http.Pusher
		}{w, f, p}
	case hijacks && pushes:
		return struct {
			*responseWriter
			http.Hijacker
			http.Pusher
		}{w, h, p}
	case flushes:
		return struct {
			*responseWriter
			http.Flusher
		}{w, f}
	case hijacks:
		return struct {
			*responseWriter
			http.Hijacker
		}{w, h}
	case pushes:
		return struct {
			*responseWriter
			http.Pusher
		}{w, p}
	}
	return w
}

// response returns the responseWriter inside the structs that NewResponseWriter returns.
func (w *responseWriter) response() *responseWriter { return w }

func (w *responseWriter) Header() http.Header         { return w.inner.Header() }
func (w *responseWriter) WriteHeader(status int)      { w.inner.WriteHeader(status) }
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.inner }

func (w *responseWriter) Write(p []byte) (int, error) {
	if w.loans != nil {
		if l := w.loans.current.Load(); l != nil {
			if at, ok := l.contains(p); ok {
				return l.receive(w, p, at)
			}
		}
	}
	return writeHooked(w.request.Context(), w.hooks, w.inner, p)
}

func (w *responseWriter) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (w *responseWriter) ReadFrom(r io.Reader) (int64, error) {
	res, err := transferAll(w, r, false)
	return res.Total(), err
}

// CloseNotify returns a channel that receives once when the client has gone.
func (w *responseWriter) CloseNotify() <-chan bool {
	if n, ok := w.inner.(interface{ CloseNotify() <-chan bool }); ok {
		return n.CloseNotify()
	}
	gone := make(chan bool, 1)
	context.AfterFunc(w.request.Context(), func() { gone <- true })
	return gone
}

// responseReason says why the bytes of a body go through memory below this response, if the request or the header shows
// that.
func (t *transfer) responseReason() string {
	header, ok := t.dst.(http.ResponseWriter)
	switch r := t.request; {
	case r == nil || !ok:
		return ""
	case r.ProtoMajor == 2:
		return reasonHTTP2
	case r.TLS != nil:
		return reasonTLS
	case r.Method == http.MethodHead:
		return reasonNoBody
	case r.ProtoAtLeast(1, 1) && header.Header().Get("Content-Length") == "":
		return reasonChunked
	}
	return ""
}

// NewHandler returns h with responses that keep the fast path below http.ResponseWriters of other
// packages that have Write and Unwrap, but no ReadFrom, such as those of gin and echo. It takes two:
// NewHandler around the whole server, and NewHandler around the innermost handler or
// NewResponseWriter in it.
//
//	server.Handler = zerocopy.NewHandler(engine)         // below the framework's response
//	w = zerocopy.NewResponseWriter(c.Response(), request) // above it, where the body is copied
//	http.ServeContent(w, request, name, modified, file)
//
// No writer in between is bypassed. Each gets every byte by its Write, and so counts, hashes or
// compresses what it would without this package. What is passed to Write is a mapping of the file;
// where the lower response gets the very same memory, it sends these bytes with sendfile. A writer
// that changes the bytes or buffers them gets the ordinary copy.
//
// A writer must not keep or change the slice it gets, as io.Writer demands. If the file becomes
// shorter while a writer reads the mapping, the copy ends with io.ErrUnexpectedEOF. While such a
// Write runs, a fault of another mapping in the same goroutine is a panic, as with
// debug.SetPanicOnFault.
func NewHandler(h http.Handler) http.Handler {
	require("NewHandler", "handler", h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own := &responseWriter{inner: w, request: r, loans: new(loans)}
		h.ServeHTTP(own.withInterfaces(), r)
	})
}
