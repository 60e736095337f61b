package serve

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/thresh-dev/thresh/zerocopy"
)

const (
	replyHeadBytes = 2 << 10  // room for the header in front of the body
	replyBodyBytes = 33 << 10 // a body up to this long goes in one write with its header
	noLength       = -1
)

type replyBuffer [replyHeadBytes + replyBodyBytes]byte

// reply is the http.ResponseWriter of requests over HTTP/1. It collects what is written in a buffer with
// room for the header in front, so that a small response is one system call. It keeps the buffer
// only until the body is sent by ReadFrom.
type reply struct {
	x          *exchange
	request    *http1Request
	header     http.Header
	keys       []string // scratch space
	buf        *replyBuffer
	buffered   int // bytes of the body in buf
	status     int
	length     int64 // Content-Length, or noLength
	written    int64 // bytes of the body that the handler wrote
	sent       int64 // bytes of the body that the connection accepted
	headerSent bool  // the header is sent
	chunked    bool
	closeAfter bool // close the connection after this response
	err        error
}

func (w *reply) begin(r *http1Request) { w.request, w.length = r, noLength }

// reset drops the references to the last response.
func (w *reply) reset() {
	clear(w.header)
	w.release()
	*w = reply{x: w.x, header: w.header, keys: w.keys[:0]}
}

func (w *reply) release() {
	if w.buf != nil {
		w.x.client.server.pools.replies.Put(w.buf)
		w.buf = nil
	}
}

// Header returns the header fields to send.
func (w *reply) Header() http.Header { return w.header }

// WriteHeader sets the status.
func (w *reply) WriteHeader(status int) {
	if w.status != 0 || status < 200 {
		return // only the first final status counts; informational ones are not sent
	}
	w.status = status
	if text := w.header["Content-Length"]; len(text) == 1 {
		if n, err := strconv.ParseInt(text[0], 10, 64); err == nil && n >= 0 {
			w.length = n
		}
	}
	w.closeAfter = w.request.closeAfter || w.x.client.server.closed.Load() ||
		len(w.header["Connection"]) > 0 && strings.EqualFold(w.header["Connection"][0], "close")
}

// noBody reports whether the response has no body, whatever the handler writes.
func (w *reply) noBody() bool {
	return w.request.Method == "HEAD" || w.status == http.StatusNoContent || w.status == http.StatusNotModified
}

// Write adds p to the body.
func (w *reply) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.err != nil {
		return 0, w.err
	}
	excess := w.length != noLength && int64(len(p)) > w.length-w.written
	if excess && !w.noBody() {
		p = p[:w.length-w.written]
	}
	w.written += int64(len(p))
	if !w.noBody() {
		if w.buffered+len(p) > replyBodyBytes {
			w.flush(false)
		}
		switch {
		case w.err != nil:
			return 0, w.err
		case len(p) > replyBodyBytes:
			w.send(p)
		default:
			w.ensureBuffer()
			w.buffered += copy(w.buf[replyHeadBytes+w.buffered:], p)
		}
	}
	if w.err == nil && excess && !w.noBody() {
		return len(p), http.ErrContentLength
	}
	return len(p), w.err
}

func (w *reply) ensureBuffer() {
	if w.buf == nil {
		w.buf = w.x.client.server.pools.replies.Get().(*replyBuffer)
	}
}

// ReadFrom sends the rest of r, by sendfile if r is a file or a part of one.
func (w *reply) ReadFrom(r io.Reader) (int64, error) {
	w.WriteHeader(http.StatusOK)
	w.flush(false)
	if w.err != nil {
		return 0, w.err
	}
	if w.chunked || w.noBody() {
		return io.Copy(struct{ io.Writer }{w}, r)
	}
	if w.length != noLength {
		limited, ok := r.(*io.LimitedReader)
		switch {
		case !ok:
			r = &io.LimitedReader{R: r, N: w.length - w.written}
		case limited.N > w.length-w.written:
			excess := limited.N - (w.length - w.written)
			limited.N -= excess
			defer func() { limited.N += excess }()
		}
	}
	w.release()
	w.x.returnInput()
	result, err := w.x.client.sendFrom(r)
	n := result.Total()
	if result.Bytes[zerocopy.ByCopy] > replyBodyBytes && w.x.client.tls == nil {
		w.x.client.server.logCopied(zerocopy.Path(w.x.client.conn, r).Reason)
	}
	w.written += n
	w.sent += n
	w.err = err
	return n, err
}

// FlushError sends what is buffered. http.ResponseController calls it.
func (w *reply) FlushError() error {
	w.WriteHeader(http.StatusOK)
	w.flush(false)
	return w.err
}

// Flush sends what is buffered.
func (w *reply) Flush() { _ = w.FlushError() } // the next Write returns the error

// end finishes the response and reports whether the connection can serve another request.
func (w *reply) end() bool {
	w.WriteHeader(http.StatusOK)
	w.flush(true)
	if w.chunked && w.err == nil {
		_, w.err = io.WriteString(w.x.client, "0\r\n\r\n")
	}
	return w.complete() && !w.closeAfter
}

// complete reports whether the whole response was sent.
func (w *reply) complete() bool {
	return w.err == nil && (w.length == noLength || w.written >= w.length || w.noBody())
}

// flush sends the header, unless it is sent, and the buffered part of the body.
func (w *reply) flush(whole bool) {
	switch {
	case w.err != nil:
	case w.headerSent && w.buffered == 0:
	case w.headerSent:
		held := w.buf[replyHeadBytes : replyHeadBytes+w.buffered]
		w.buffered = 0
		w.send(held)
	default:
		w.sendHeader(whole)
	}
}

// send writes a part of the body, after the header.
func (w *reply) send(p []byte) {
	if w.chunked {
		if _, w.err = io.WriteString(w.x.client, strconv.FormatInt(int64(len(p)), 16)+"\r\n"); w.err != nil {
			return
		}
	}
	var n int
	n, w.err = w.x.client.Write(p)
	w.sent += int64(n)
	if w.chunked && w.err == nil {
		_, w.err = io.WriteString(w.x.client, "\r\n")
	}
}

// sendHeader writes the header and the buffered part of the body. whole means that this is the
// entire body.
func (w *reply) sendHeader(whole bool) {
	w.headerSent = true
	w.ensureBuffer()
	w.setFraming(whole)
	head := w.appendHeader(w.buf[:0:replyHeadBytes])
	var p []byte
	switch {
	case w.chunked:
		_, w.err = w.x.client.Write(head)
		if held := w.buffered; held > 0 && w.err == nil {
			w.buffered = 0
			w.send(w.buf[replyHeadBytes : replyHeadBytes+held])
		}
		return
	case len(head) <= replyHeadBytes:
		// The header was built at the front of the buffer; move it up to the body.
		at := replyHeadBytes - len(head)
		copy(w.buf[at:], head)
		p = w.buf[at : replyHeadBytes+w.buffered]
	default:
		p = append(head, w.buf[replyHeadBytes:replyHeadBytes+w.buffered]...)
	}
	n, err := w.x.client.Write(p)
	w.err = err
	w.sent += int64(max(0, n-len(head)))
	w.buffered = 0
}

// setFraming decides how the client finds the end of the body: by its length, by chunks, or, in
// HTTP/1.0, by the end of the connection.
func (w *reply) setFraming(whole bool) {
	if w.length != noLength || w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		return
	}
	delete(w.header, "Content-Length")
	switch {
	case w.request.Method == "HEAD" && w.written == 0:
	case whole:
		w.length = w.written
		w.header["Content-Length"] = []string{strconv.FormatInt(w.length, 10)}
	case w.request.Method == "HEAD":
	case w.request.ProtoMinor > 0:
		w.chunked = true
		w.header["Transfer-Encoding"] = []string{"chunked"}
	default:
		w.closeAfter = true
	}
}

func (w *reply) appendHeader(b []byte) []byte {
	b = append(b, "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(w.status), 10)
	b = append(b, ' ')
	b = append(b, http.StatusText(w.status)...)
	b = append(b, "\r\nDate: "...)
	b = append(b, w.x.client.server.date.at(w.x.outcome.began)...)
	delete(w.header, "Connection")
	delete(w.header, "Date")
	w.keys = w.keys[:0]
	for name := range w.header {
		w.keys = append(w.keys, name)
	}
	slices.Sort(w.keys)
	for _, name := range w.keys {
		for _, value := range w.header[name] {
			b = append(b, "\r\n"...)
			b = append(b, name...)
			b = append(b, ": "...)
			b = appendValue(b, value)
		}
	}
	switch {
	case w.closeAfter:
		b = append(b, "\r\nConnection: close"...)
	case w.request.ProtoMinor == 0:
		b = append(b, "\r\nConnection: keep-alive"...)
	}
	return append(b, "\r\n\r\n"...)
}

// appendValue appends a header value without line breaks, whatever it contains.
func appendValue(b []byte, value string) []byte {
	if strings.ContainsAny(value, "\r\n") {
		value = strings.NewReplacer("\r", " ", "\n", " ").Replace(value)
	}
	return append(b, value...)
}

// date formats a time for HTTP once per second, because consecutive responses mostly share it.
type date struct{ last atomic.Pointer[dated] }

type dated struct {
	second int64
	text   string
}

func (d *date) at(t time.Time) string {
	last := d.last.Load()
	if last == nil || last.second != t.Unix() {
		last = &dated{t.Unix(), t.UTC().Format(http.TimeFormat)}
		d.last.Store(last)
	}
	return last.text
}

// disposition returns a Content-Disposition (RFC 6266) of that kind, inline or attachment, with the
// name of the file: as ASCII for old clients and, if that is not the name, as UTF-8 (RFC 8187).
func disposition(kind, name string) string {
	name = validUTF8(name)
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f || strings.ContainsRune(`"\/%`, r) {
			return '_'
		}
		return r
	}, name)
	value := fmt.Sprintf(`%s; filename="%s"`, kind, ascii)
	if ascii != name {
		value += "; filename*=UTF-8''" + escapeExtended(name)
	}
	return value
}

// escapeExtended percent-encodes everything but the characters that RFC 8187 allows.
func escapeExtended(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
