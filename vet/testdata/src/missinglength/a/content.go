// Package a sends files without their length.
package a

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"os"
	"strconv"
	"time"

	"missinglength/dep"
)

func precompressed(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open("app.js.gz")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Encoding", "gzip")
	http.ServeContent(w, r, "app.js", time.Time{}, f) // want `^http.ServeContent sets .* and no If-Unmodified-Since$`
}

func added(w http.ResponseWriter, r *http.Request, f *os.File) {
	w.Header().Add(dep.Encoding, "br")
	http.ServeContent(w, r, "", time.Time{}, f) // want `http.ServeContent sets no Content-Length`
}

func variable(w http.ResponseWriter, r *http.Request, f *os.File) {
	h := w.Header()
	h.Set("content-encoding", "zstd")
	http.ServeContent(w, r, "", time.Time{}, f) // want `http.ServeContent sets no Content-Length`
}

func canonical(w http.ResponseWriter, r *http.Request, f *os.File) {
	w.Header()[http.CanonicalHeaderKey("content-encoding")] = []string{"gzip"}
	http.ServeContent(w, r, "", time.Time{}, f) // want `http.ServeContent sets no Content-Length`
}

func assigned(w http.ResponseWriter, r *http.Request, f *os.File) {
	w.Header()["Content-Encoding"] = []string{"gzip"}
	http.ServeContent(w, r, "", time.Time{}, f) // want `http.ServeContent sets no Content-Length`
}

// One of several, in a loop and a branch.
func negotiated(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	for _, e := range []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		f, err := os.Open(name + e.suffix)
		if err != nil {
			continue
		}
		defer f.Close()
		w.Header().Set("Vary", "Accept-Encoding")
		w.Header().Set("Content-Encoding", e.name)
		http.ServeContent(w, r, name, time.Time{}, f) // want `http.ServeContent sets no Content-Length`
		return
	}
	http.ServeFile(w, r, name)
}

// A helper sets it.
func encode(h http.Header) { h.Set("Content-Encoding", "gzip") }

func helped(w http.ResponseWriter, r *http.Request, f *os.File) {
	encode(w.Header())
	http.ServeContent(w, r, "", time.Time{}, f) // want `http.ServeContent sets no Content-Length`
}

// A helper serves.
func serve(w http.ResponseWriter, r *http.Request, f *os.File) {
	http.ServeContent(w, r, "", time.Time{}, f) // want `http.ServeContent sets no Content-Length`
}

func serves(w http.ResponseWriter, r *http.Request, f *os.File) {
	w.Header().Set("Content-Encoding", "gzip")
	serve(w, r, f)
}

// A method with a handler's signature, the header set in one branch.
type server struct{ dir string }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, err := os.Open(s.dir)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if r.Header.Get("Accept-Encoding") == "gzip" {
		w.Header().Set("Content-Encoding", "gzip")
	}
	http.ServeContent(w, r, "", time.Time{}, f) // want `http.ServeContent sets no Content-Length`
}

// In a closure.
func handler(f *os.File) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		send := func() {
			http.ServeContent(w, r, "", time.Time{}, f) // want `http.ServeContent sets no Content-Length`
		}
		w.Header().Set("Content-Encoding", "gzip")
		send()
	})
}

// http.Dir opens files, too.
func directory(w http.ResponseWriter, r *http.Request) {
	f, err := http.Dir("/srv").Open(r.URL.Path)
	if err != nil {
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	http.ServeContent(w, r, "", time.Time{}, f) // want `http.ServeContent sets no Content-Length`
}

// From here on nothing is to be reported.

func both(w http.ResponseWriter, r *http.Request, f *os.File, size int64) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	http.ServeContent(w, r, "", time.Time{}, f)
}

func branch(w http.ResponseWriter, r *http.Request, f *os.File, size string) {
	if size != "" {
		w.Header().Set(dep.Encoding, "gzip")
		w.Header().Set(dep.Length, size)
	}
	http.ServeContent(w, r, "", time.Time{}, f)
}

func identity(w http.ResponseWriter, r *http.Request, f *os.File) {
	w.Header().Set("Content-Encoding", "identity")
	http.ServeContent(w, r, "", time.Time{}, f)
}

func deleted(w http.ResponseWriter, r *http.Request, f *os.File) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Del("Content-Encoding")
	http.ServeContent(w, r, "", time.Time{}, f)
}

func other(w, x http.ResponseWriter, r *http.Request, f *os.File) {
	x.Header().Set("Content-Encoding", "gzip")
	http.ServeContent(w, r, "", time.Time{}, f)
}

func after(w http.ResponseWriter, r *http.Request, f *os.File) {
	http.ServeContent(w, r, "", time.Time{}, f)
	w.Header().Set("Content-Encoding", "gzip")
}

func elsewhere(w http.ResponseWriter, r *http.Request, f *os.File) {
	if r.Method == http.MethodPost {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(nil)
		return
	}
	http.ServeContent(w, r, "", time.Time{}, f)
}

func memory(w http.ResponseWriter, r *http.Request, b []byte) {
	w.Header().Set("Content-Encoding", "gzip")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// The writer compresses: the length is not known.
type gzipped struct {
	http.ResponseWriter
	gz *gzip.Writer
}

func (g gzipped) Write(p []byte) (int, error) { return g.gz.Write(p) }

func compresses(w http.ResponseWriter, r *http.Request, f *os.File) {
	w.Header().Set("Content-Encoding", "gzip")
	gz := gzip.NewWriter(w)
	defer gz.Close()
	http.ServeContent(gzipped{w, gz}, r, "", time.Time{}, f)
}

func prepared(w http.ResponseWriter, r *http.Request, f *os.File) {
	w.Header().Set("Content-Encoding", "gzip")
	dep.Prepare(w)
	http.ServeContent(w, r, "", time.Time{}, f)
}

func dynamic(w http.ResponseWriter, r *http.Request, f *os.File, stored http.Header) {
	w.Header().Set("Content-Encoding", "gzip")
	for k, v := range stored {
		w.Header()[k] = v
	}
	http.ServeContent(w, r, "", time.Time{}, f)
}

func setLength(w http.ResponseWriter, f *os.File) {
	if fi, err := f.Stat(); err == nil {
		w.Header().Set("Content-Length", strconv.FormatInt(fi.Size(), 10))
	}
}

func lengthHelped(w http.ResponseWriter, r *http.Request, f *os.File) {
	w.Header().Set("Content-Encoding", "gzip")
	setLength(w, f)
	http.ServeContent(w, r, "", time.Time{}, f)
}

func ignored(w http.ResponseWriter, r *http.Request, f *os.File) {
	w.Header().Set("Content-Encoding", "gzip")
	//thresh:ignore missinglength a test of this comment
	http.ServeContent(w, r, "", time.Time{}, f)
}

// A method as a value.
func bound(w http.ResponseWriter, r *http.Request, f *os.File) {
	set := w.Header().Set
	set("Content-Encoding", "gzip")
	set("Content-Length", "100")
	w.Header().Set("Content-Encoding", "br")
	http.ServeContent(w, r, "", time.Time{}, f)
}

// A closure sets it.
func closed(w http.ResponseWriter, r *http.Request, f *os.File) {
	length := func(n int) { w.Header().Set("Content-Length", strconv.Itoa(n)) }
	w.Header().Set("Content-Encoding", "gzip")
	length(100)
	http.ServeContent(w, r, "", time.Time{}, f)
}

// A field may be read by anyone.
type state struct{ w http.ResponseWriter }

func kept(w http.ResponseWriter, r *http.Request, f *os.File, s *state) {
	s.w = w
	w.Header().Set("Content-Encoding", "gzip")
	http.ServeContent(w, r, "", time.Time{}, f)
}

// A method of another interface.
type prepares interface{ Prepare(w http.ResponseWriter) }

func called(w http.ResponseWriter, r *http.Request, f *os.File, p prepares) {
	w.Header().Set("Content-Encoding", "gzip")
	p.Prepare(w)
	http.ServeContent(w, r, "", time.Time{}, f)
}
