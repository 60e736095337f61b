// Package response has wrappers of an http.ResponseWriter.
package response

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// What passes the bytes on, and loses ReadFrom.

type embedOnly struct{ http.ResponseWriter } // want embedOnly:`ResponseWriter net/http.ResponseWriter: Write promoted$`

type status struct { // want status:`ResponseWriter net/http.ResponseWriter: Write promoted$`
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) { s.code = code; s.ResponseWriter.WriteHeader(code) }

type unwraps struct{ http.ResponseWriter } // want unwraps:`ResponseWriter net/http.ResponseWriter: Write promoted Unwrap forwards$`

func (u unwraps) Unwrap() http.ResponseWriter { return u.ResponseWriter }

type counts struct { // want counts:`ResponseWriter net/http.ResponseWriter: Write forwards chosen$`
	http.ResponseWriter
	bytes int
}

func (c *counts) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.bytes += n
	return n, err
}

type countsFirst struct { // want countsFirst:`ResponseWriter net/http.ResponseWriter: Write forwards$`
	http.ResponseWriter
	bytes atomic.Int64
}

func (c *countsFirst) Write(p []byte) (int, error) {
	c.bytes.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

type named struct { // want named:`ResponseWriter net/http.ResponseWriter: Write forwards$`
	http.ResponseWriter
	size int
}

func (w *named) Write(data []byte) (n int, err error) {
	w.writeHeaderNow()
	n, err = w.ResponseWriter.Write(data)
	w.size += n
	return
}

func (w *named) writeHeaderNow() {}

// A framework's response: a field that is not embedded, and hooks after it.
type framework struct { // want framework:`Writer net/http.ResponseWriter: Write forwards Unwrap forwards$`
	Writer    http.ResponseWriter
	committed bool
	size      int64
	after     []func()
}

func (f *framework) Header() http.Header { return f.Writer.Header() }
func (f *framework) WriteHeader(c int)   { f.committed = true; f.Writer.WriteHeader(c) }
func (f *framework) Write(b []byte) (n int, err error) {
	if !f.committed {
		f.WriteHeader(http.StatusOK)
	}
	n, err = f.Writer.Write(b)
	f.size += int64(n)
	for _, fn := range f.after {
		fn()
	}
	return
}
func (f *framework) Unwrap() http.ResponseWriter { return f.Writer }

type logs struct { // want logs:`w net/http.ResponseWriter: Write forwards$`
	w  http.ResponseWriter
	mu sync.Mutex
}

func (l *logs) Header() http.Header { return l.w.Header() }
func (l *logs) WriteHeader(c int)   { l.w.WriteHeader(c) }
func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	start := time.Now()
	n, err := l.w.Write(p)
	log.Printf("%d bytes of %d in %v: %v", n, len(p), time.Since(start), err)
	return n, err
}

type sniffs struct{ http.ResponseWriter } // want sniffs:`ResponseWriter net/http.ResponseWriter: Write forwards$`

func (s sniffs) Write(p []byte) (int, error) {
	if s.Header().Get("Content-Type") == "" {
		s.Header().Set("Content-Type", http.DetectContentType(p))
	}
	return s.ResponseWriter.Write(p)
}

type limits struct { // want limits:`ResponseWriter net/http.ResponseWriter: Write forwards$`
	http.ResponseWriter
	left int
}

func (l *limits) Write(p []byte) (int, error) {
	if len(p) > l.left {
		p = p[:l.left]
	}
	n, err := l.ResponseWriter.Write(p)
	l.left -= n
	return n, err
}

type slices struct{ http.ResponseWriter } // want slices:`ResponseWriter net/http.ResponseWriter: Write forwards$`

func (s slices) Write(p []byte) (int, error) {
	total := 0
	for len(p) > 0 {
		part := p[:min(1<<10, len(p))]
		n, err := s.ResponseWriter.Write(part)
		total += n
		if err != nil {
			return total, err
		}
		p = p[n:]
	}
	return total, nil
}

type refuses struct { // want refuses:`ResponseWriter net/http.ResponseWriter: Write forwards$`
	http.ResponseWriter
	closed bool
}

func (r *refuses) Write(p []byte) (int, error) {
	if r.closed {
		return 0, errors.New("closed")
	}
	if _, err := r.ResponseWriter.Write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

type helper struct{ http.ResponseWriter } // want helper:`ResponseWriter net/http.ResponseWriter: Write forwards$`

func (h *helper) Write(p []byte) (int, error)                  { return h.write(len(p), p) }
func (h *helper) write(size int, data []byte) (n int, e error) { return h.inner().Write(data) }
func (h *helper) inner() http.ResponseWriter                   { return h.ResponseWriter }

type closure struct{ http.ResponseWriter } // want closure:`ResponseWriter net/http.ResponseWriter: Write forwards$`

func (c closure) Write(p []byte) (n int, err error) {
	timed(func() { n, err = c.ResponseWriter.Write(p) })
	return n, err
}

func timed(f func()) { f() }

type flushes struct { // want flushes:`ResponseWriter net/http.ResponseWriter: Write promoted$`
	http.ResponseWriter
	http.Flusher
}

type outer struct{ *counts } // want outer:`counts \*response.counts: Write promoted$`

// What keeps ReadFrom, in any form.

type forwards struct { // want forwards:`ResponseWriter net/http.ResponseWriter: Write promoted ReadFrom forwards$`
	http.ResponseWriter
	bytes int64
}

func (f *forwards) ReadFrom(r io.Reader) (int64, error) {
	n, err := f.ResponseWriter.(io.ReaderFrom).ReadFrom(r)
	f.bytes += n
	return n, err
}

type copies struct{ http.ResponseWriter } // want copies:`ResponseWriter net/http.ResponseWriter: Write promoted ReadFrom forwards$`

func (c copies) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.ResponseWriter, r) }

type fallsBack struct{ http.ResponseWriter } // want fallsBack:`ResponseWriter net/http.ResponseWriter: Write promoted ReadFrom forwards$`

func (f *fallsBack) ReadFrom(r io.Reader) (int64, error) {
	if rf, ok := f.ResponseWriter.(io.ReaderFrom); ok {
		return rf.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{f}, r)
}

type relimits struct{ http.ResponseWriter } // want relimits:`ResponseWriter net/http.ResponseWriter: Write promoted ReadFrom forwards$`

func (l relimits) ReadFrom(r io.Reader) (int64, error) {
	return l.ResponseWriter.(io.ReaderFrom).ReadFrom(&io.LimitedReader{R: r, N: 1 << 20})
}

type switches struct{ http.ResponseWriter } // want switches:`ResponseWriter net/http.ResponseWriter: Write promoted ReadFrom forwards$`

func (s switches) ReadFrom(r io.Reader) (int64, error) {
	switch w := s.ResponseWriter.(type) {
	case io.ReaderFrom:
		return w.ReadFrom(r)
	default:
		return s.slow(w, r)
	}
}

func (s switches) slow(w io.Writer, r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{w}, r)
}

type loops struct{ http.ResponseWriter } // want loops:`ResponseWriter net/http.ResponseWriter: Write promoted ReadFrom loops$`

func (l loops) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{l}, r) }

type recursive struct{ http.ResponseWriter } // want recursive:`ResponseWriter net/http.ResponseWriter: Write promoted ReadFrom loops$`

func (r recursive) ReadFrom(src io.Reader) (int64, error) { return io.Copy(r, src) }

type byHand struct{ http.ResponseWriter } // want byHand:`ResponseWriter net/http.ResponseWriter: Write promoted ReadFrom loops$`

func (b byHand) ReadFrom(r io.Reader) (total int64, err error) {
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		if err != nil {
			return total, err
		}
		b.ResponseWriter.Write(buf[:n])
		total += int64(n)
	}
}

type teesReadFrom struct { // want teesReadFrom:`ResponseWriter net/http.ResponseWriter: Write promoted ReadFrom loops$`
	http.ResponseWriter
	sum hash.Hash
}

func (t teesReadFrom) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(t.ResponseWriter, io.TeeReader(r, t.sum))
}

type promoted struct { // want promoted:`ResponseWriter net/http.ResponseWriter: Write promoted ReadFrom transforms$`
	http.ResponseWriter
	io.ReaderFrom
}

type outerForwards struct{ *forwards } // want outerForwards:`forwards \*response.forwards: Write promoted ReadFrom promoted$`

// A delegator: the type with ReadFrom is chosen if the inner writer has it.
type chosen struct{ *counts } // want chosen:`counts \*response.counts: Write promoted ReadFrom forwards$`

func (c chosen) ReadFrom(r io.Reader) (int64, error) {
	n, err := c.ResponseWriter.(io.ReaderFrom).ReadFrom(r)
	c.bytes += int(n)
	return n, err
}

// What changes, keeps, drops or looks at the bytes.

type compresses struct { // want compresses:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	gz *gzip.Writer
}

func (c *compresses) Write(p []byte) (int, error) { return c.gz.Write(p) }

type compressesEmbedded struct { // want compressesEmbedded:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	io.Writer
	http.ResponseWriter
}

func (c compressesEmbedded) Write(p []byte) (int, error) { return c.Writer.Write(p) }

type compressesSometimes struct { // want compressesSometimes:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	gz *gzip.Writer
}

func (c *compressesSometimes) Write(p []byte) (int, error) {
	if c.gz != nil {
		return c.gz.Write(p)
	}
	return c.ResponseWriter.Write(p)
}

type buffers struct { // want buffers:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	buf bytes.Buffer
}

func (b *buffers) Write(p []byte) (int, error) { return b.buf.Write(p) }

type buffersBufio struct { // want buffersBufio:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	buf *bufio.Writer
}

func (b *buffersBufio) Write(p []byte) (int, error) { return b.buf.Write(p) }

type hashes struct { // want hashes:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	sum hash.Hash
}

func (h *hashes) Write(p []byte) (int, error) {
	h.sum.Write(p)
	return h.ResponseWriter.Write(p)
}

type hashesAll struct{ http.ResponseWriter } // want hashesAll:`ResponseWriter net/http.ResponseWriter: Write opaque$`

func (h *hashesAll) Write(p []byte) (int, error) {
	sha256.Sum256(p)
	return h.ResponseWriter.Write(p)
}

type tees struct { // want tees:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	tee io.Writer
}

func (t *tees) Write(p []byte) (int, error) {
	n, err := t.ResponseWriter.Write(p)
	if t.tee != nil {
		t.tee.Write(p[:n])
	}
	return n, err
}

type records struct { // want records:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	body []byte
}

func (r *records) Write(p []byte) (int, error) {
	r.body = append(r.body, p...)
	return r.ResponseWriter.Write(p)
}

type keeps struct { // want keeps:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	last []byte
}

func (k *keeps) Write(p []byte) (int, error) {
	k.last = p
	return k.ResponseWriter.Write(p)
}

type rewrites struct{ http.ResponseWriter } // want rewrites:`ResponseWriter net/http.ResponseWriter: Write transforms$`

func (r rewrites) Write(p []byte) (int, error) {
	out := strings.ReplaceAll(string(p), "a", "b")
	return r.ResponseWriter.Write([]byte(out))
}

type replaces struct{ http.ResponseWriter } // want replaces:`ResponseWriter net/http.ResponseWriter: Write transforms$`

func (r replaces) Write(p []byte) (int, error) {
	p = []byte("replaced")
	return r.ResponseWriter.Write(p)
}

type logsBody struct{ http.ResponseWriter } // want logsBody:`ResponseWriter net/http.ResponseWriter: Write opaque$`

func (l logsBody) Write(p []byte) (int, error) {
	log.Printf("%q", p)
	return l.ResponseWriter.Write(p)
}

type drops struct { // want drops:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	hide bool
}

func (d *drops) Write(p []byte) (int, error) {
	if d.hide {
		return len(p), nil
	}
	return d.ResponseWriter.Write(p)
}

type dropsElse struct { // want dropsElse:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	hide bool
}

func (d *dropsElse) Write(p []byte) (int, error) {
	if !d.hide {
		return d.ResponseWriter.Write(p)
	}
	return len(p), nil
}

type dropsAll struct{ http.ResponseWriter } // want dropsAll:`ResponseWriter net/http.ResponseWriter: Write transforms$`

func (dropsAll) Write([]byte) (int, error) { return 0, nil }

type queues struct { // want queues:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	c chan []byte
}

func (q *queues) Write(p []byte) (int, error) { q.c <- p; return len(p), nil }

type background struct{ http.ResponseWriter } // want background:`ResponseWriter net/http.ResponseWriter: Write opaque$`

func (b background) Write(p []byte) (int, error) {
	go b.ResponseWriter.Write(p)
	return len(p), nil
}

type callback struct { // want callback:`ResponseWriter net/http.ResponseWriter: Write opaque$`
	http.ResponseWriter
	f func([]byte) (int, error)
}

func (c callback) Write(p []byte) (int, error) { return c.f(p) }

type looks struct{ http.ResponseWriter } // want looks:`ResponseWriter net/http.ResponseWriter: Write transforms$`

func (l looks) Write(p []byte) (int, error) {
	if len(p) > 0 && p[0] == '<' {
		l.Header().Set("Content-Type", "text/html")
	}
	return l.ResponseWriter.Write(p)
}

type ranges struct{ http.ResponseWriter } // want ranges:`ResponseWriter net/http.ResponseWriter: Write transforms$`

func (r ranges) Write(p []byte) (int, error) {
	for range p {
	}
	return r.ResponseWriter.Write(p)
}

type outerCompresses struct{ *compresses } // want outerCompresses:`compresses \*response.compresses: Write transforms$`

// What is no wrapper.

type recorder struct {
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(int)             {}
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

type handler struct{ w http.ResponseWriter }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.w = w }

type hijacks struct { // want hijacks:`ResponseWriter net/http.ResponseWriter: Write promoted$`
	http.ResponseWriter
}

func (h hijacks) Hijack() (net.Conn, *bufio.ReadWriter, error) { // want Hijack:`0: net.Conn, 1: \*bufio.ReadWriter$`
	return h.ResponseWriter.(http.Hijacker).Hijack()
}

type loop struct{ *loop }

// A method that returns one field or another.
type mayCompress struct { // want mayCompress:`ResponseWriter net/http.ResponseWriter: Write transforms$`
	http.ResponseWriter
	gz       io.Writer
	compress bool
}

func (m *mayCompress) writer() io.Writer {
	if m.compress {
		return m.gz
	}
	return m.ResponseWriter
}

func (m *mayCompress) Write(p []byte) (int, error) { return m.writer().Write(p) }
