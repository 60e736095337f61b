// Package responses hands responses on.
package responses

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httputil"
	"os"
	"strings"
	"time"

	"lib"
)

type counter struct {
	http.ResponseWriter
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n += int64(n)
	return n, err
}

type plain struct{ http.ResponseWriter }

type outer struct{ *counter }

type generic[T http.ResponseWriter] struct{ w T }

func (g generic[T]) Header() http.Header         { return g.w.Header() }
func (g generic[T]) Write(p []byte) (int, error) { return g.w.Write(p) }
func (g generic[T]) WriteHeader(status int)      { g.w.WriteHeader(status) }

type alias = counter

// Handlers of all kinds.

type route func(http.ResponseWriter, *http.Request, string)

type encoder func(http.ResponseWriter, *http.Request, any)

type swapped func(*http.Request, http.ResponseWriter)

type table struct {
	next  http.HandlerFunc
	other func(w http.ResponseWriter, r *http.Request)
}

func handlers(next http.Handler, f http.HandlerFunc, g route, e encoder, s swapped, t table) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&counter{ResponseWriter: w}, r)    // want `^\*counter to a handler, own$`
		f(&counter{ResponseWriter: w}, r)                 // want `^\*counter to a handler, own$`
		f.ServeHTTP(plain{w}, r)                          // want `^plain to a handler, own$`
		g(plain{w}, r, "")                                // want `^plain to a handler, own$`
		t.next(plain{w}, r)                               // want `^plain to a handler, own$`
		t.other(outer{&counter{ResponseWriter: w}}, r)    // want `^outer to a handler, own$`
		f(generic[http.ResponseWriter]{w}, r)             // want `^generic\[net/http.ResponseWriter\] to a handler, own$`
		f(&alias{ResponseWriter: w}, r)                   // want `^\*(alias|counter) to a handler, own$`
		f(http.ResponseWriter(plain{w}), r)               // want `^plain to a handler, own$`
		f((&counter{ResponseWriter: w}), r)               // want `^\*counter to a handler, own$`
		new(httputil.ReverseProxy).ServeHTTP(plain{w}, r) // it copies itself
		e(plain{w}, r, nil)                               // it encodes
		s(r, plain{w})
		http.Error(plain{w}, "", 500)
		serve(plain{w}, r)
		http.HandlerFunc(serve).ServeHTTP(plain{w}, r) // want `^plain to a handler, own$`
		f(w, r)
		f(nil, r)
	}
}

func serve(http.ResponseWriter, *http.Request) {}

// Functions that send files.
func files(w http.ResponseWriter, r *http.Request, f *os.File, g fs.File, h http.File) {
	http.ServeContent(plain{w}, r, "", time.Time{}, f) // want `^plain to http.ServeContent, own$`
	http.ServeFile(plain{w}, r, "")                    // want `^plain to http.ServeFile, own$`
	http.ServeFileFS(plain{w}, r, os.DirFS(""), "")    // want `^plain to http.ServeFileFS, own$`
	io.Copy(plain{w}, f)                               // want `^plain to io.Copy, own$`
	io.CopyN(plain{w}, g, 1)                           // want `^plain to io.CopyN, own$`
	io.CopyBuffer(plain{w}, h, nil)                    // want `^plain to io.CopyBuffer, own$`
	io.Copy(plain{w}, strings.NewReader(""))
	io.Copy(io.Discard, f)
	io.WriteString(plain{w}, "")
}

// Values in variables.

type holder struct{ w http.ResponseWriter }

func variables(w http.ResponseWriter, r *http.Request, f http.HandlerFunc, some bool) {
	v := http.ResponseWriter(plain{w})
	if some {
		v = &counter{ResponseWriter: v}
	}
	f(v, r) // want `^plain to a handler, own$` `^\*counter to a handler, own$`

	var declared http.ResponseWriter = plain{w}
	f(declared, r) // want `^plain to a handler, own$`

	h := holder{w: plain{w}}
	f(h.w, r) // want `^plain to a handler, own$` `^\*counter to a handler, own$`
	h.w = &counter{ResponseWriter: w}
	f(h.w.(*counter), r)            // want `^\*counter to a handler, own$`
	f(h.w.(http.ResponseWriter), r) // want `^plain to a handler, own$` `^\*counter to a handler, own$`

	again := w
	again = again
	f(again, r)
	func() { f(v, r) }() // want `^plain to a handler, own$` `^\*counter to a handler, own$`
}

func parameter(w http.ResponseWriter, r *http.Request, f http.HandlerFunc) {
	f(w, r) // want `^\*counter to a handler, own$`
}

func passes(w http.ResponseWriter, r *http.Request, f http.HandlerFunc) {
	parameter(&counter{ResponseWriter: w}, r, f)
	instance(plain{w}, r, f)
}

func instance[W http.ResponseWriter](w W, r *http.Request, f http.HandlerFunc) {
	var v http.ResponseWriter = w
	f(v, r) // want `^plain to a handler, own$`
}

// What functions return.

func wrap(w http.ResponseWriter) http.ResponseWriter { return &counter{ResponseWriter: w} }

func named(w http.ResponseWriter) (wrapped http.ResponseWriter, err error) {
	wrapped = plain{w}
	return
}

func either(w http.ResponseWriter) http.ResponseWriter {
	if _, ok := w.(http.Flusher); ok {
		return either(w)
	}
	_ = func() http.ResponseWriter { return &counter{ResponseWriter: w} }
	return plain{w}
}

func concrete(w http.ResponseWriter) *counter { return &counter{ResponseWriter: w} }

func returns(w http.ResponseWriter, r *http.Request, f http.HandlerFunc, c lib.Context) {
	f(wrap(w), r) // want `^\*counter to a handler, own$`
	n, _ := named(w)
	f(n, r)           // want `^plain to a handler, own$`
	f(either(w), r)   // want `^plain to a handler, own$`
	f(concrete(w), r) // want `^\*counter to a handler, own$`

	f(lib.Record(w), r)                     // want `^\*lib.Recorder to a handler, own$`
	f(lib.Same(plain{w}), r)                // want `^plain to a handler, own$`
	f(&lib.Recorder{ResponseWriter: w}, r)  // want `^\*lib.Recorder to a handler, own$`
	f(c.Response(), r)                      // want `^\*lib.Recorder to a handler$`
	http.ServeFile(c.Response(), r, "")     // want `^\*lib.Recorder to http.ServeFile$`
	f(lib.Snoop(w), r)                      // a delegator
	f(struct{ http.ResponseWriter }{w}, r)  // want `^struct\{net/http.ResponseWriter\} to a handler, own$`
	f(&struct{ http.ResponseWriter }{w}, r) // want `^\*struct\{net/http.ResponseWriter\} to a handler, own$`
}
