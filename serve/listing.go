package serve

import (
	"bufio"
	"cmp"
	_ "embed" // for listing.html
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/net/httpsem"
)

// listingHTML has two templates, for the HTML before and after the rows.
//
//go:embed listing.html
var listingHTML string

// parseListing is called for the first listing, so that start-up does not wait for it.
func parseListing() *template.Template {
	return template.Must(template.New("listing").Parse(listingHTML))
}

// listingBytes is the size of the writes of a listing. A shorter listing is sent with its length.
const listingBytes = 32 << 10

// serveListing sends the listing of the folder at path, as HTML or JSON. It writes each row at
// once, so no page of a big folder is ever in memory.
func (h *handler) serveListing(w http.ResponseWriter, r *http.Request, path string) {
	items, err := h.root.List(path)
	if err != nil {
		h.serveError(w, r, err)
		return
	}
	query := r.URL.Query()
	by, down := query.Get("sort"), query.Get("order") == "desc"
	sortItems(items, by, down)

	typ := httpsem.MediaType(r.Header["Accept"], "text/html", "application/json")
	switch query.Get("format") {
	case "json":
		typ = "application/json"
	case "html":
		typ = "text/html"
	}
	w.Header().Add("Vary", "Accept")
	w.Header().Set("Cache-Control", "no-cache")
	h.render(w, items, path, typ, by, down)
}

// render writes the listing as media type typ.
func (h *handler) render(w http.ResponseWriter, items []docroot.Item, path, typ, by string, down bool) {
	header := w.Header()
	wire := &started{w: w}
	out := bufio.NewWriterSize(wire, listingBytes)
	var err error
	if typ == "text/html" {
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		err = h.writePage(out, items, path, by, down)
	} else {
		header.Set("Content-Type", typ)
		err = writeJSON(out, items)
	}
	if err == nil && !wire.yes {
		header.Set("Content-Length", strconv.Itoa(out.Buffered()))
	}
	if err != nil || out.Flush() != nil {
		panic(http.ErrAbortHandler) // half a listing must not look like a whole one
	}
}

// sortItems sorts items, which come sorted by folder and name, by another column or in descending
// order. Folders stay first.
func sortItems(items []docroot.Item, by string, down bool) {
	slices.SortStableFunc(items, func(a, b docroot.Item) int {
		if a.Folder != b.Folder {
			if a.Folder {
				return -1
			}
			return 1
		}
		c := 0
		switch by {
		case "size":
			c = cmp.Compare(a.Size, b.Size)
		case "time":
			c = a.Modified.Compare(b.Modified)
		default:
			c = strings.Compare(a.Name, b.Name)
		}
		if down {
			return -c
		}
		return c
	})
}

// started records whether anything was written.
type started struct {
	w   io.Writer
	yes bool
}

func (s *started) Write(p []byte) (int, error) {
	s.yes = true
	return s.w.Write(p)
}

// The data of the templates.
type (
	head struct {
		Path    string
		Crumbs  []crumb
		Columns []column
		Up      bool // there is a parent folder
	}
	crumb  struct{ Name, Href string }
	column struct {
		Label, Class, Href string
		Sort               string // aria-sort
	}
	foot struct{ Folders, Files, Size, Exact string }
)

func (h *handler) writePage(out io.Writer, items []docroot.Item, path string, by string, down bool) error {
	page := h.page()
	if err := page.ExecuteTemplate(out, "head", head{
		Path:    validUTF8(path),
		Crumbs:  crumbs(path),
		Columns: columns(by, down),
		Up:      path != "/",
	}); err != nil {
		return err
	}
	var line []byte
	var folders, files, bytes int64
	for _, item := range items {
		if item.Folder {
			folders++
		} else {
			files++
			bytes += item.Size
		}
		line = appendRow(line[:0], item)
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return page.ExecuteTemplate(out, "foot", foot{
		Folders: plural(folders, "folder"),
		Files:   plural(files, "file"),
		Size:    roundBytes(bytes),
		Exact:   exactBytes(bytes),
	})
}

// appendRow appends the row of an item. A template would take ten times as long, which is
// noticeable with 100,000 rows. We escape what comes from a name; everything else is a number.
// References begin with "./" so that a name with a colon does not look like a scheme.
func appendRow(b []byte, item docroot.Item) []byte {
	slash, class, size, title := "", "file", roundBytes(item.Size), exactBytes(item.Size)
	if item.Folder {
		slash, class, size, title = "/", "folder", "", ""
	}
	modified := item.Modified.UTC()
	b = fmt.Appendf(b, `<tr class="%s"><td class="name"><a href="./%s%s"><bdi>%s%s</bdi></a>`, class,
		html.EscapeString(url.PathEscape(item.Name)), slash, html.EscapeString(validUTF8(item.Name)), slash)
	b = fmt.Appendf(b, `<td class="size" title="%s">%s<td class="time"><time datetime="`, title, size)
	b = modified.AppendFormat(b, time.RFC3339)
	b = append(b, `">`...)
	b = modified.AppendFormat(b, "2006-01-02 15:04")
	return append(b, "</time>\n"...)
}

// crumbs returns links to the folders from the top down to path. They are relative, so that they
// work below any prefix.
func crumbs(path string) []crumb {
	names := strings.Split(strings.Trim(path, "/"), "/")
	if names[0] == "" {
		names = nil
	}
	trail := []crumb{{"/", "./" + strings.Repeat("../", len(names))}}
	for i, name := range names {
		trail = append(trail, crumb{validUTF8(name), "./" + strings.Repeat("../", len(names)-1-i)})
	}
	return trail
}

// columns returns the heads of the table. A click on the sorted column reverses the order; the
// first click on size or time sorts the biggest or newest first.
func columns(by string, down bool) []column {
	all := []column{
		{Label: "Name", Class: "name"},
		{Label: "Size", Class: "size"},
		{Label: "Modified (UTC)", Class: "time"},
	}
	if by != "size" && by != "time" {
		by = "name"
	}
	for i := range all {
		c := &all[i]
		turn := c.Class != "name"
		if c.Class == by {
			turn = !down
			c.Sort = map[bool]string{false: "ascending", true: "descending"}[down]
		}
		c.Href = "?sort=" + c.Class + "&order=" + map[bool]string{false: "asc", true: "desc"}[turn]
	}
	return all
}

// validUTF8 returns a name for display: names of files may be any bytes.
func validUTF8(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

// writeJSON writes an array with one object per line. In names that are not UTF-8, invalid bytes
// become U+FFFD.
func writeJSON(out io.Writer, items []docroot.Item) error {
	type object struct {
		Name     string    `json:"name"`
		Type     string    `json:"type"`
		Size     *int64    `json:"size,omitempty"` // files only
		Modified time.Time `json:"modified"`
	}
	open := "[\n"
	for _, item := range items {
		o := object{Name: validUTF8(item.Name), Type: "folder", Modified: item.Modified.UTC().Truncate(time.Second)}
		if !item.Folder {
			o.Type, o.Size = "file", &item.Size
		}
		text, err := json.Marshal(o)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, open+string(text)); err != nil {
			return err
		}
		open = ",\n"
	}
	if len(items) == 0 {
		_, err := io.WriteString(out, "[]\n")
		return err
	}
	_, err := io.WriteString(out, "\n]\n")
	return err
}
