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
	archives  bool // folders can be downloaded as archives
	disk      zerocopy.Semaphore
	headers   []headerRule
	cors      []string
	fallback  string      // path of the file for paths that are not found
	notFound  string      // path of the page with status 404
	aborted   func() bool // reports whether responses in progress are to end; nil: never
	errorLog  func(error) // receives errors of files; nil: they are dropped
}

// handler serves a document root. Its responses use the fast path of the connection below, whatever
// that is: sendfile, or a copy under TLS.
type handler struct {
	root    *docroot.Root
	options handlerOptions
	buffers sync.Pool // of *[smallBytes]byte
	page    func() *template.Template
	pages   pages

	archives archives
}

func newHandler(s *docroot.Root, o handlerOptions) http.Handler {
	if o.errorLog == nil {
		o.errorLog = func(error) {}
	}
	if o.aborted == nil {
		o.aborted = func() bool { return false }
	}
	return &handler{
		root:     s,
		options:  o,
		buffers:  sync.Pool{New: func() any { return new([smallBytes]byte) }},
		page:     sync.OnceValue(parseListing),
		archives: archives{sums: newSums()},
	}
}

// ServeHTTP handles one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	setHeaders(w.Header(), h.options.headers, r.URL.Path, false)
	setCORS(w.Header(), r, h.options.cors)
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
		if !errors.Is(err, docroot.ErrNotFound) || !h.serveInstead(w, r, path) {
			h.serveError(w, r, err)
		}
		return
	}
	defer e.Release()
	format, formatName := archiveFormat(r)
	switch {
	case e.Redirect != "":
		w.Header().Set("Location", location(r, e.Redirect))
		w.Header().Set("Cache-Control", "no-cache") // the path may change between file and folder
		writeStatus(w, r, http.StatusMovedPermanently)
	case format != nil && h.options.archives && strings.HasSuffix(path, "/") && !h.root.Single():
		h.serveArchive(w, r, path, format, formatName)
	case e.Folder && h.options.noListing:
		writeStatus(w, r, http.StatusForbidden)
	case e.Folder:
		h.serveListing(w, r, path)
	default:
		h.serveFile(w, r, e, path)
	}
}

// serveInstead responds to a path that is not found with the file of the fallback or the page for
// status 404, and reports whether it did. The fallback is for paths that a script of the page
// interprets: what a browser navigates to, and what has no extension. A missing picture or script
// is not found, because the page in its place would be no use.
func (h *handler) serveInstead(w http.ResponseWriter, r *http.Request, path string) bool {
	if h.options.fallback != "" {
		w.Header().Add("Vary", "Accept")
		_, last, _ := strings.Cut(path[strings.LastIndexByte(path, '/'):], "/")
		if !strings.Contains(last, ".") || strings.Contains(strings.Join(r.Header["Accept"], ","), "text/html") {
			if e, err := h.root.Lookup(h.options.fallback); err == nil {
				defer e.Release()
				h.serveFile(w, r, e, h.options.fallback)
				return true
			}
		}
	}
	if h.options.notFound == "" {
		return false
	}
	e, err := h.root.Lookup(h.options.notFound)
	if err != nil {
		return false // writeStatus has a page, too
	}
	defer e.Release()
	h.serveRange(w, r, e.Plain, http.StatusNotFound, httpsem.Range{Bytes: e.Plain.Size})
	return true
}

// serveFile sends a file, one or more ranges of it, or the status that makes that unnecessary.
func (h *handler) serveFile(w http.ResponseWriter, r *http.Request, e *docroot.Entry, path string) {
	header := w.Header()
	f := e.Plain
	if len(e.Encodings) > 0 {
		header.Add("Vary", "Accept-Encoding")
		f = h.negotiate(r, e)
	}
	d := httpsem.Decide(r.Header, httpsem.Representation{ETag: f.ETag, Modified: f.Modified, Size: f.Size})
	if d.Status < http.StatusBadRequest {
		if len(h.options.headers) > 0 {
			setHeaders(header, h.options.headers, path, true)
			if typ := header.Get("Content-Type"); typ != "" {
				f.Type = typ
				header.Del("Content-Type")
			}
		}
		h.setDisposition(header, r, e)
	}
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

// setDisposition names the file: where the URL does not, because a single file is served, and where
// the client wants to store it, which ?download asks for.
func (h *handler) setDisposition(header http.Header, r *http.Request, e *docroot.Entry) {
	switch {
	case r.URL.RawQuery != "" && r.URL.Query().Has("download"):
		header.Set("Content-Disposition", disposition("attachment", e.Name))
	case r.URL.Path == "/" && h.root.Single():
		header.Set("Content-Disposition", disposition("inline", e.Name))
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
	case errors.Is(err, docroot.ErrTooLong):
		h.options.errorLog(err)
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
