// Package responsewrapper has middleware.
package responsewrapper

import (
	"errors"
	"log"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"responselib"
)

type counting struct { // want `^counting hides ReadFrom of the response that it wraps, .*: add a ReadFrom to it, which leaves the copy to ResponseWriter \(possible`
	http.ResponseWriter
	code, bytes int
}

func (c *counting) WriteHeader(code int) {
	c.code = code
	c.ResponseWriter.WriteHeader(code)
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes += n
	return n, err
}

func count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &counting{ResponseWriter: w}
		next.ServeHTTP(c, r)
		log.Print(c.code, c.bytes)
	})
}

type status struct { // want `^status hides ReadFrom .* which Unwrap does not change, so files`
	http.ResponseWriter
	code int
}

func (s *status) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

func record(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s := status{ResponseWriter: w}
		next(&s, r)
	}
}

// The response of a framework: kept in a context, made anew for each request.
type response struct { // want `^response hides ReadFrom`
	Writer    http.ResponseWriter
	committed bool
	size      int64
}

func (r *response) reset(w http.ResponseWriter) { *r = response{Writer: w} }
func (r *response) Header() http.Header         { return r.Writer.Header() }

func (r *response) WriteHeader(code int) {
	r.committed = true
	r.Writer.WriteHeader(code)
}

func (r *response) Write(b []byte) (n int, err error) {
	if !r.committed {
		r.WriteHeader(http.StatusOK)
	}
	n, err = r.Writer.Write(b)
	r.size += int64(n)
	return
}

type context struct {
	mem     response
	Writer  http.ResponseWriter
	Request *http.Request
}

func (c *context) File(name string) { http.ServeFile(c.Writer, c.Request, name) }

func (c *context) serve(w http.ResponseWriter, r *http.Request) {
	c.mem.reset(w)
	c.Writer = &c.mem
	c.Request = r
}

type copied struct { // want `^copied hides ReadFrom`
	http.ResponseWriter
	n atomic.Int64
}

func (c *copied) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	if err != nil {
		log.Print(err)
	}
	if n > 0 {
		c.n.Add(int64(n))
	}
	return n, err
}

func send(w http.ResponseWriter, f *os.File) error {
	c := copied{ResponseWriter: w}
	if _, err := copyTo(&c, f); err != nil {
		return err
	}
	return nil
}

type locked struct { // want `^locked hides ReadFrom`
	http.ResponseWriter
	mu sync.Mutex
	n  uint64
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n += uint64(len(p))
	return l.ResponseWriter.Write(p)
}

func content(w http.ResponseWriter, r *http.Request, f *os.File) {
	var out http.ResponseWriter = &locked{ResponseWriter: w}
	http.ServeContent(out, r, "", time.Time{}, f)
}

type closed struct { // want `^closed hides ReadFrom`
	http.ResponseWriter
	shut bool
}

func (c *closed) Write(data []byte) (int, error) {
	if c.shut {
		return 0, errors.New("closed")
	}
	return c.ResponseWriter.Write(data)
}

func files(w http.ResponseWriter, r *http.Request) {
	http.FileServer(http.Dir("/srv")).ServeHTTP(newClosed(w), r)
}

func newClosed(w http.ResponseWriter) http.ResponseWriter { return &closed{ResponseWriter: w} }

type tagged[T any] struct { // want `^tagged hides ReadFrom`
	http.ResponseWriter
	tag T
}

func tag(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = &tagged[string]{w, r.URL.Path}
		next.ServeHTTP(w, r)
	})
}

type aliased = real

type real struct{ http.ResponseWriter } // want `^real hides ReadFrom`

func byAlias(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(aliased{w}, r)
}

func local(next http.Handler) http.Handler {
	type inside struct{ http.ResponseWriter } // want `^inside hides ReadFrom .* or use zerocopy.NewResponseWriter`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(inside{w}, r)
	})
}

// A deadline for each call must not become one for a whole file.
type deadlined struct { // want `^deadlined hides ReadFrom .* or use zerocopy.NewResponseWriter`
	http.ResponseWriter
	c *http.ResponseController
}

func (d deadlined) Write(p []byte) (int, error) {
	if err := d.c.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
		return 0, err
	}
	return d.ResponseWriter.Write(p)
}

// A handle of a router: the response, the request, and parameters.
type handle func(http.ResponseWriter, *http.Request, map[string]string)

func routed(h handle, c *http.ResponseController) handle {
	return func(w http.ResponseWriter, r *http.Request, params map[string]string) {
		h(deadlined{w, c}, r, params)
	}
}

type passed struct{ http.ResponseWriter } // want `^passed hides ReadFrom`

func pass(w http.ResponseWriter, r *http.Request, f *os.File) { served(passed{w}, r, f) }

func served(w http.ResponseWriter, r *http.Request, f *os.File) {
	http.ServeContent(w, r, "", time.Time{}, f)
}

func acrossPackages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := responselib.Record(w)
		next.ServeHTTP(rec, r)                                      // want `^responselib.Recorder hides ReadFrom .* or use zerocopy.NewResponseWriter`
		next.ServeHTTP(&responselib.Recorder{ResponseWriter: w}, r) // want `^responselib.Recorder hides ReadFrom`
	})
}

type (
	grouped struct{ http.ResponseWriter } // want `^grouped hides ReadFrom`

	unrelated struct{}
)

func group(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(&grouped{w}, r)
}

type interfaces struct{ flushing } // want `^interfaces hides ReadFrom`

type flushing interface {
	http.ResponseWriter
	http.Flusher
}

func flush(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(interfaces{w.(flushing)}, r)
}

// The type to change is the one that is embedded.
type outer struct{ *inner }

func (outer) Flush() {}

type inner struct { // want `^inner hides ReadFrom`
	http.ResponseWriter
	n int
}

func (i *inner) Write(p []byte) (int, error) {
	n, err := i.ResponseWriter.Write(p)
	i.n += n
	return n, err
}

func nest(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(outer{&inner{ResponseWriter: w}}, r)
}

// With a Write of its own, the outer one needs a ReadFrom of its own.
type both struct{ *inner } // want `^both hides ReadFrom`

func (b both) Write(p []byte) (int, error) { return b.inner.Write(p) }

func nestBoth(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(both{&inner{ResponseWriter: w}}, r)
}

func frameworkFile(c responselib.Context, r *http.Request) {
	http.ServeFile(c.Response(), r, "/srv/file") // want `^responselib.Recorder hides ReadFrom`
}
