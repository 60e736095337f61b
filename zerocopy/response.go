package zerocopy

import (
	"context"
	"io"
	"net/http"
)

// responseWriter is an http.ResponseWriter with hooks on the body.
type responseWriter struct {
	inner http.ResponseWriter
	ctx   context.Context
	hooks []Hook
}

// NewResponseWriter returns w with hooks on the body of the response to r. The hooks receive the
// context of r. The result has ReadFrom, so io.Copy and http.ServeContent keep the fast path. It
// implements http.Flusher, http.Hijacker and http.Pusher exactly if w does; http.ResponseController
// finds everything else.
func NewResponseWriter(w http.ResponseWriter, r *http.Request, hooks ...Hook) http.ResponseWriter {
	own := &responseWriter{w, r.Context(), hooks}
	f, flushes := w.(http.Flusher)
	h, hijacks := w.(http.Hijacker)
	p, pushes := w.(http.Pusher)
	switch {
	case flushes && hijacks && pushes:
		return struct {
			*responseWriter
			http.Flusher
			http.Hijacker
			http.Pusher
		}{own, f, h, p}
	case flushes && hijacks:
		return struct {
			*responseWriter
			http.Flusher
			http.Hijacker
		}{own, f, h}
	case flushes && pushes:
		return struct {
			*responseWriter
			http.Flusher
			http.Pusher
		}{own, f, p}
	case hijacks && pushes:
		return struct {
			*responseWriter
			http.Hijacker
			http.Pusher
		}{own, h, p}
	case flushes:
		return struct {
			*responseWriter
			http.Flusher
		}{own, f}
	case hijacks:
		return struct {
			*responseWriter
			http.Hijacker
		}{own, h}
	case pushes:
		return struct {
			*responseWriter
			http.Pusher
		}{own, p}
	}
	return own
}

// response returns the responseWriter inside the structs that NewResponseWriter returns.
func (w *responseWriter) response() *responseWriter { return w }

func (w *responseWriter) Header() http.Header         { return w.inner.Header() }
func (w *responseWriter) WriteHeader(status int)      { w.inner.WriteHeader(status) }
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.inner }

func (w *responseWriter) Write(p []byte) (int, error) {
	return writeHooked(w.ctx, w.hooks, w.inner, p)
}

func (w *responseWriter) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (w *responseWriter) ReadFrom(r io.Reader) (int64, error) {
	res, err := transferAll(w, r, false)
	return res.Total(), err
}
