package serve

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/net/httpsem"
	"github.com/thresh-dev/thresh/zerocopy"
)

const methods = "GET, HEAD, OPTIONS"

type handlerOptions struct {
	noListing bool
	disk      zerocopy.Semaphore
	errorLog  func(error) // receives errors of files; nil: they are dropped
}

// handler serves a document root. Its responses use the fast path of the connection below, whatever
// that is: sendfile, or a copy under TLS.
type handler struct {
	root    *docroot.Root
	options handlerOptions
	buffers sync.Pool // of *[smallBytes]byte
	page    func() *template.Template
}

func newHandler(s *docroot.Root, o handlerOptions) http.Handler {
	if o.errorLog == nil {
		o.errorLog = func(error) {}
	}
	return &handler{
		root:    s,
		options: o,
		buffers: sync.Pool{New: func() any { return new([smallBytes]byte) }},
		page:    sync.OnceValue(parseListing),
	}
}

// ServeHTTP handles one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		w.Header().Set("Allow", methods)
		w.WriteHeader(http.StatusNoContent)
		return
	default:
		w.Header().Set("Allow", methods)
		writeStatus(w, r, http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Opaque != "" || r.URL.IsAbs() && r.URL.Host == "" {
		writeStatus(w, r, http.StatusBadRequest) // a URL without a host, or the target of CONNECT
		return
	}
	path := "/" + strings.TrimPrefix(r.URL.Path, "/")
	e, err := h.root.Lookup(path)
	if err != nil {
		h.serveError(w, r, err)
		return
	}
	defer e.Release()
	switch {
	case e.Redirect != "":
		w.Header().Set("Location", location(r, e.Redirect))
		w.Header().Set("Cache-Control", "no-cache") // the path may change between file and folder
		writeStatus(w, r, http.StatusMovedPermanently)
	case e.Folder && h.options.noListing:
		writeStatus(w, r, http.StatusForbidden)
	case e.Folder:
		h.serveListing(w, r, path)
	default:
		h.serveFile(w, r, e)
	}
}

// serveFile sends a file, one or more ranges of it, or the status that makes that unnecessary.
func (h *handler) serveFile(w http.ResponseWriter, r *http.Request, e *docroot.Entry) {
	header := w.Header()
	f := e.Plain
	if len(e.Encodings) > 0 {
		header.Add("Vary", "Accept-Encoding")
		f = h.negotiate(r, e)
	}
	d := httpsem.Decide(r.Header, httpsem.Representation{ETag: f.ETag, Modified: f.Modified, Size: f.Size})
	switch {
	case d.Status == http.StatusNotModified:
		setETag(header, f)
		w.WriteHeader(d.Status)
	case d.Status == http.StatusRequestedRangeNotSatisfiable:
		header.Set("Content-Range", fmt.Sprintf("bytes */%d", f.Size))
		writeStatus(w, r, d.Status)
	case d.Status == http.StatusPreconditionFailed:
		writeStatus(w, r, d.Status)
	case len(d.Ranges) > 1:
		h.serveRanges(w, r, f, d.Ranges)
	case len(d.Ranges) == 1:
		h.serveRange(w, r, f, d.Status, d.Ranges[0])
	default:
		h.serveRange(w, r, f, d.Status, httpsem.Range{Bytes: f.Size})
	}
}

// negotiate returns the variant of e that the client prefers.
func (h *handler) negotiate(r *http.Request, e *docroot.Entry) docroot.File {
	coding := httpsem.Encoding(r.Header["Accept-Encoding"], e.Encodings)
	if coding == "" {
		return e.Plain
	}
	f, err := e.Variant(coding)
	switch {
	case errors.Is(err, docroot.ErrNotFound), errors.Is(err, docroot.ErrForbidden): // gone meanwhile
		return e.Plain
	case err != nil:
		h.options.errorLog(fmt.Errorf("open the %s file of %s: %w; sending the plain file", coding, e.Name, err))
		return e.Plain
	}
	return f
}

// setFileHeader sets the header fields of every response that contains bytes of f.
func setFileHeader(header http.Header, f docroot.File) {
	header.Set("Accept-Ranges", "bytes")
	setETag(header, f)
	if date := httpsem.LastModified(f.Modified, time.Now()); date != "" {
		header.Set("Last-Modified", date)
	}
}

// setETag sets the entity tag. A device has none.
func setETag(header http.Header, f docroot.File) {
	if f.ETag != "" {
		header.Set("Etag", f.ETag)
	}
}

// serveError responds to a request whose lookup failed.
func (h *handler) serveError(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, docroot.ErrNotFound):
		writeStatus(w, r, http.StatusNotFound)
	case errors.Is(err, docroot.ErrForbidden):
		writeStatus(w, r, http.StatusForbidden)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		h.options.errorLog(err)
		writeUnavailable(w, r)
	default:
		h.options.errorLog(err)
		writeStatus(w, r, http.StatusInternalServerError)
	}
}

// writeUnavailable tells the client to retry in a second.
func writeUnavailable(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "1")
	writeStatus(w, r, http.StatusServiceUnavailable)
}

// writeStatus responds with the status as a line of text, or as a page for browsers.
func writeStatus(w http.ResponseWriter, r *http.Request, status int) {
	const page = `<!doctype html><html lang="en"><meta charset="utf-8">` +
		`<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">` +
		`<title>%[1]s</title><h1>%[1]s</h1></html>` + "\n"
	header := w.Header()
	body := fmt.Sprintf("%d %s", status, http.StatusText(status))
	header.Add("Vary", "Accept")
	typ := httpsem.MediaType(r.Header["Accept"], "text/plain", "text/html")
	if typ == "text/html" {
		body = fmt.Sprintf(page, body)
	} else {
		body += "\n"
	}
	header.Set("Content-Type", typ+"; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		if _, err := w.Write([]byte(body)); err != nil {
			panic(http.ErrAbortHandler) // the client is gone
		}
	}
}

// location returns the reference to another path of the server, with the query of r. If a prefix
// was stripped from the request, location restores it. The result begins with exactly one slash, so
// that it never names another host.
func location(r *http.Request, path string) string {
	escaped := (&url.URL{Path: path}).EscapedPath()
	sent, _, _ := strings.Cut(r.RequestURI, "?")
	if prefix, stripped := strings.CutSuffix(sent, r.URL.EscapedPath()); stripped && strings.HasPrefix(prefix, "/") {
		escaped = prefix + escaped
	}
	escaped = "/" + strings.TrimLeft(escaped, `/\`)
	if r.URL.RawQuery == "" {
		return escaped
	}
	return escaped + "?" + escapeQuery(r.URL.RawQuery)
}

// escapeQuery percent-encodes the bytes of a query that must not appear in a header.
func escapeQuery(query string) string {
	var b strings.Builder
	for _, c := range []byte(query) {
		if c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
