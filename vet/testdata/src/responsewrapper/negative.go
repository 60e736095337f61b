package responsewrapper

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httputil"
	"os"
	"strings"

	"responselib"
)

type compressing struct {
	http.ResponseWriter
	gz *gzip.Writer
}

func (c *compressing) Write(p []byte) (int, error) { return c.gz.Write(p) }

type buffering struct {
	http.ResponseWriter
	buf bytes.Buffer
}

func (b *buffering) Write(p []byte) (int, error) { return b.buf.Write(p) }

type teeing struct {
	http.ResponseWriter
	tee io.Writer
}

func (t *teeing) Write(p []byte) (int, error) {
	t.tee.Write(p)
	return t.ResponseWriter.Write(p)
}

type hiding struct {
	http.ResponseWriter
	notFound bool
}

func (h *hiding) Write(p []byte) (int, error) {
	if h.notFound {
		return len(p), nil
	}
	return h.ResponseWriter.Write(p)
}

type forwarding struct {
	http.ResponseWriter
	bytes int64
}

func (f *forwarding) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(f.ResponseWriter, r)
	f.bytes += n
	return n, err
}

// Another rule looks at what ReadFrom does.
type looping struct{ http.ResponseWriter }

func (l looping) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{l}, r) }

// A delegator: with ReadFrom where the inner response has it.
type delegator struct {
	http.ResponseWriter
	bytes int64
}

func (d *delegator) Write(p []byte) (int, error) {
	n, err := d.ResponseWriter.Write(p)
	d.bytes += int64(n)
	return n, err
}

type readerFromDelegator struct{ *delegator }

func (d readerFromDelegator) ReadFrom(r io.Reader) (int64, error) {
	n, err := d.ResponseWriter.(io.ReaderFrom).ReadFrom(r)
	d.bytes += n
	return n, err
}

func newDelegator(w http.ResponseWriter) http.ResponseWriter {
	d := &delegator{ResponseWriter: w}
	if _, ok := w.(io.ReaderFrom); ok {
		return readerFromDelegator{d}
	}
	return d
}

// What a test, or a cache, records.
type recording struct {
	header http.Header
	body   bytes.Buffer
}

func (r *recording) Header() http.Header         { return r.header }
func (r *recording) WriteHeader(int)             {}
func (r *recording) Write(p []byte) (int, error) { return r.body.Write(p) }

type unused struct{ http.ResponseWriter }

type proxied struct{ http.ResponseWriter }

func proxy(p *httputil.ReverseProxy, w http.ResponseWriter, r *http.Request) {
	p.ServeHTTP(proxied{w}, r)
}

type texts struct{ http.ResponseWriter }

func text(w http.ResponseWriter) { io.Copy(texts{w}, strings.NewReader("hello")) }

// What the response of another package has lost is not this one's to find.
type foreign struct{ responselib.Writer }

type reported struct{ *responselib.Recorder }

//thresh:ignore responsewrapper only JSON goes through it
type ignored struct{ http.ResponseWriter }

// A header is all that goes through it.
type errorsOnly struct{ http.ResponseWriter }

func fail(w http.ResponseWriter) { http.Error(errorsOnly{w}, "no", http.StatusNotFound) }

// Not a handler, although it looks like one.
type visitor func(http.ResponseWriter, *os.File)

type visited struct{ http.ResponseWriter }

// An encoder writes a value, and no file.
type encoder func(http.ResponseWriter, *http.Request, any) error

type encoded struct{ http.ResponseWriter }

func encode(e encoder, w http.ResponseWriter, r *http.Request) error { return e(encoded{w}, r, "v") }

func all(w http.ResponseWriter, r *http.Request, next http.Handler, v visitor) {
	next.ServeHTTP(&compressing{ResponseWriter: w}, r)
	next.ServeHTTP(&buffering{ResponseWriter: w}, r)
	next.ServeHTTP(&teeing{ResponseWriter: w}, r)
	next.ServeHTTP(&hiding{ResponseWriter: w}, r)
	next.ServeHTTP(&forwarding{ResponseWriter: w}, r)
	next.ServeHTTP(looping{w}, r)
	next.ServeHTTP(newDelegator(w), r)
	next.ServeHTTP(&recording{}, r)
	next.ServeHTTP(foreign{w.(responselib.Writer)}, r)
	next.ServeHTTP(reported{&responselib.Recorder{ResponseWriter: w}}, r)
	next.ServeHTTP(ignored{w}, r)
	next.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
	next.ServeHTTP(w, r)
	v(visited{w}, nil)
	_ = unused{w}
}

// What another package gives is its business, as long as no file goes there.
func framework(c responselib.Context, w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(c.Response(), r)
	next.ServeHTTP(responselib.Snoop(w), r)
	next.ServeHTTP(responselib.Bare(w), r)
}
