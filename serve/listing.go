package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/net/httpsem"
	"github.com/thresh-dev/thresh/internal/threshold"
)

// listingRows is how many entries a page of a listing has, so that one request costs neither much
// time nor much memory, however big the folder is.
var listingRows = threshold.New("serve: rows of a listing's page", 2000, 1)

// filterBytesMax is the longest filter: no name of a file is longer.
const filterBytesMax = 255

// view is what a request wants to see of a folder.
type view struct {
	path   string
	json   bool
	by     docroot.Column
	down   bool
	filter string
	page   int // from 1
}

var columnNames = map[string]docroot.Column{"name": docroot.ByName, "size": docroot.BySize, "time": docroot.ByTime}

// parseView reads the query. It reports false if there is no such page.
func parseView(r *http.Request, path string) (view, bool) {
	query := r.URL.Query()
	typ := httpsem.MediaType(r.Header["Accept"], "text/html", "application/json")
	switch query.Get("format") {
	case "json":
		typ = "application/json"
	case "html":
		typ = "text/html"
	}
	v := view{path: path, json: typ != "text/html", by: columnNames[query.Get("sort")],
		down: query.Get("order") == "desc", filter: query.Get("filter"), page: 1}
	if text := query.Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return v, false
		}
		v.page = n
	}
	return v, len(v.filter) <= filterBytesMax
}

// query returns the reference to this view of the same folder.
func (v view) query() string {
	q := url.Values{}
	if v.json {
		q.Set("format", "json")
	}
	if v.by != docroot.ByName {
		q.Set("sort", v.column())
	}
	if v.down {
		q.Set("order", "desc")
	}
	if v.filter != "" {
		q.Set("filter", v.filter)
	}
	if v.page > 1 {
		q.Set("page", strconv.Itoa(v.page))
	}
	return "?" + q.Encode()
}

func (v view) column() string {
	for name, column := range columnNames {
		if column == v.by {
			return name
		}
	}
	panic("thresh: bug: a listing is sorted by an unknown column")
}

// plainHead reports whether a HEAD can be answered without reading the folder.
func (v view) plainHead(r *http.Request) bool {
	for _, condition := range []string{"If-Match", "If-None-Match"} {
		if r.Header[condition] != nil {
			return false
		}
	}
	return r.Method == http.MethodHead && v.page == 1
}

// serveListing sends a page of the listing of the folder at path, as HTML or JSON. A HEAD usually
// does not read the folder: without a kept listing its answer has no length.
func (h *handler) serveListing(w http.ResponseWriter, r *http.Request, path string) {
	v, ok := parseView(r, path)
	if !ok {
		writeStatus(w, r, http.StatusNotFound)
		return
	}
	list := h.root.List
	if v.plainHead(r) {
		list = h.root.Listed
	}
	listing, err := list(path)
	if err != nil {
		h.serveError(w, r, err)
		return
	}
	var p *page
	if listing != nil {
		p, err = h.pages.get(v, listing, h.render)
		switch {
		case err != nil:
			h.serveError(w, r, err)
			return
		case p == nil:
			writeStatus(w, r, http.StatusNotFound)
			return
		}
	}
	header := w.Header()
	header.Add("Vary", "Accept")
	header.Set("Cache-Control", "no-cache")
	if v.json {
		header.Set("Content-Type", "application/json")
	} else {
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy", listingPolicy())
	}
	setHeaders(header, h.options.headers, path, true)
	if p == nil {
		w.WriteHeader(http.StatusOK)
		return
	}
	p.send(w, r)
}

// send responds with the page, unless the client has it.
func (p *page) send(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Etag", p.etag)
	if p.link != "" {
		header.Set("Link", p.link)
	}
	// With size 0 no Range applies.
	status := httpsem.Decide(r.Header, httpsem.Representation{ETag: p.etag}).Status
	switch status {
	case http.StatusOK:
		header.Set("Content-Length", strconv.Itoa(len(p.body)))
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			writeOrAbort(w, p.body)
		}
	case http.StatusNotModified:
		header.Del("Content-Type") // what has no body has no type, on either loop
		w.WriteHeader(status)
	default:
		header.Del("Etag")
		header.Del("Link")
		writeStatus(w, r, status)
	}
}

// rows are the entries of one page.
type rows struct {
	view    view
	listing *docroot.Listing
	places  []int32 // of the page's items
	matches int     // entries on all pages
	last    int     // the last page
}

// selectRows returns the entries of a page. It reports false if there is no such page.
func selectRows(v view, l *docroot.Listing) (rows, bool) {
	places := l.Order(v.by, v.down)
	if v.filter != "" {
		var kept []int32
		filter := strings.ToLower(v.filter)
		for _, at := range places {
			if strings.Contains(strings.ToLower(l.Items[at].Name), filter) {
				kept = append(kept, at)
			}
		}
		places = kept
	}
	size := listingRows.Get()
	r := rows{view: v, listing: l, matches: len(places), last: max(1, (len(places)+size-1)/size)}
	if v.page > r.last {
		return r, false
	}
	from := (v.page - 1) * size
	r.places = places[from:min(from+size, len(places))]
	return r, true
}

// link returns the references to other pages in the form of RFC 8288.
func (r *rows) link() string {
	var links []string
	for _, l := range []struct {
		rel  string
		page int
	}{{"prev", r.view.page - 1}, {"next", r.view.page + 1}, {"first", 1}, {"last", r.last}} {
		if r.last > 1 && l.page >= 1 && l.page <= r.last {
			v := r.view
			v.page = l.page
			links = append(links, fmt.Sprintf("<%s>; rel=%q", v.query(), l.rel))
		}
	}
	return strings.Join(links, ", ")
}

// writeJSON writes an array with one object per line. In names that are not UTF-8, invalid bytes
// become U+FFFD.
func writeJSON(out *bytes.Buffer, r rows) error {
	type object struct {
		Name     string    `json:"name"`
		Type     string    `json:"type"`
		Size     *int64    `json:"size,omitempty"` // files only
		Modified time.Time `json:"modified"`
	}
	open := "[\n"
	for _, at := range r.places {
		item := &r.listing.Items[at]
		o := object{Name: validUTF8(item.Name), Type: "folder", Modified: item.Modified.UTC().Truncate(time.Second)}
		if !item.Folder {
			o.Type, o.Size = "file", &item.Size
		}
		text, err := json.Marshal(o)
		if err != nil {
			return err
		}
		out.WriteString(open)
		out.Write(text)
		open = ",\n"
	}
	if len(r.places) == 0 {
		out.WriteString("[]\n")
	} else {
		out.WriteString("\n]\n")
	}
	return nil
}
