package zerocopy

import "net/http"

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
