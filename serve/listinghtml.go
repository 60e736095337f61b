package serve

import (
	"bytes"
	_ "embed" // for listing.html
	"fmt"
	"html"
	"html/template"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/thresh-dev/thresh/internal/net/docroot"
	"github.com/thresh-dev/thresh/internal/output/bytesize"
	"github.com/thresh-dev/thresh/internal/output/numeral"
	webpage "github.com/thresh-dev/thresh/internal/output/page"
)

var (
	// listingHTML has two templates, for the HTML before and after the rows.
	//
	//go:embed listing.html
	listingHTML string
	// listingScript filters rows while one types, and shows local times. The page works without.
	//
	//go:embed listing.js
	listingScript string
)

// parseListing is called for the first listing, so that start-up does not wait for it.
func parseListing() *template.Template {
	return template.Must(template.New("listing").Parse(listingHTML))
}

// listingPolicy allows the page's own script and nothing else.
var listingPolicy = sync.OnceValue(func() string {
	return webpage.Policy("'self'", listingScript)
})

// The data of the templates.
type (
	head struct {
		Path    string
		Crumbs  []crumb
		Columns []column
		Up      bool // there is a parent folder
		Down    bool
		Filter  string
		Sort    string // of the form: empty for the usual order
		// The folder as archives.
		Archives []link
	}
	crumb  struct{ Name, Href string }
	link   struct{ Label, Href string }
	column struct {
		Label, Class, Href string
		Sort               string // aria-sort
	}
	foot struct {
		Folders, Files, Size, Exact string
		Matches                     string // of a filter
		Page, Last                  int
		Previous, Next              string // references
		Readme, ReadmeText          string
		ReadmeCut                   bool
		Script                      template.JS
	}
)

// render writes a page of a listing.
func (h *handler) render(out *bytes.Buffer, r rows) error {
	if r.view.json {
		return writeJSON(out, r)
	}
	return h.writePage(out, r)
}

func (h *handler) writePage(out *bytes.Buffer, r rows) error {
	v := r.view
	top := head{
		Path: validUTF8(v.path), Crumbs: crumbs(v.path), Columns: columns(v), Up: v.path != "/",
		Down: v.down, Filter: validUTF8(v.filter),
	}
	if v.by != docroot.ByName {
		top.Sort = v.column()
	}
	if h.options.archives {
		top.Archives = []link{{".tar", "?archive=tar"}, {".zip", "?archive=zip"}}
	}
	if err := h.page().ExecuteTemplate(out, "head", top); err != nil {
		return err
	}
	line := make([]byte, 0, 512)
	for _, at := range r.places {
		line = appendRow(line[:0], &r.listing.Items[at])
		out.Write(line)
	}
	bottom := foot{
		Folders: numeral.CountGrouped(r.listing.Folders, "folder"),
		Files:   numeral.CountGrouped(len(r.listing.Items)-r.listing.Folders, "file"),
		Size:    bytesize.Text(r.listing.Bytes), Exact: numeral.CountGrouped(r.listing.Bytes, "byte"),
		Page: v.page, Last: r.last, Script: template.JS(listingScript),
	}
	if v.filter != "" {
		bottom.Matches = numeral.Grouped(r.matches)
	}
	if v.page > 1 {
		bottom.Previous = v.turned(-1).query()
	}
	if v.page < r.last {
		bottom.Next = v.turned(1).query()
	}
	if v.page == 1 && v.filter == "" {
		bottom.Readme, bottom.ReadmeText, bottom.ReadmeCut = h.readme(v.path, r.listing)
	}
	return h.page().ExecuteTemplate(out, "foot", bottom)
}

// turned returns the view some pages on.
func (v view) turned(pages int) view {
	v.page += pages
	return v
}

// appendRow appends the row of an item. A template would take ten times as long, which is
// noticeable with thousands of rows. We escape what comes from a name; everything else is a number.
// References begin with "./" so that a name with a colon does not look like a scheme.
func appendRow(b []byte, item *docroot.Item) []byte {
	slash, kind, size, title := "", iconOf(item.Name), bytesize.Text(item.Size), numeral.CountGrouped(item.Size, "byte")
	if item.Folder {
		slash, kind, size, title = "/", "folder", "", ""
	}
	modified := item.Modified.UTC()
	ref, name := html.EscapeString(url.PathEscape(item.Name)), html.EscapeString(validUTF8(item.Name))
	b = fmt.Appendf(b, `<tr class="%[1]s"><td class="name"><a href="./%[2]s%[3]s">`+
		`<svg><use href="#%[1]s"/></svg><bdi>%[4]s%[3]s</bdi></a>`, kind, ref, slash, name)
	b = fmt.Appendf(b, `<td class="size" title="%s">%s<td class="time"><time datetime="`, title, size)
	b = modified.AppendFormat(b, time.RFC3339)
	b = append(b, `">`...)
	b = modified.AppendFormat(b, `2006-01-02<span class="clock"> 15:04</span>`)
	return append(b, "</time>\n"...)
}

// iconOf returns the name of the icon for a file: what its media type says.
func iconOf(name string) string {
	typ := docroot.TypeOf(name)
	major, minor, _ := strings.Cut(typ, "/")
	switch major {
	case "image", "audio", "video", "text":
		return major
	}
	for _, k := range []struct{ part, icon string }{
		{"json", "text"}, {"xml", "text"}, {"yaml", "text"}, {"pdf", "text"}, {"document", "text"},
		{"zip", "archive"}, {"zstd", "archive"}, {"tar", "archive"}, {"xz", "archive"}, {"rar", "archive"},
		{"lz4", "archive"}, {"7z", "archive"}, {"archive", "archive"}, {"package", "archive"},
	} {
		if strings.Contains(minor, k.part) {
			return k.icon
		}
	}
	return "file"
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
func columns(v view) []column {
	all := []column{
		{Label: "Name", Class: "name"},
		{Label: "Size", Class: "size"},
		{Label: "Modified (UTC)", Class: "time"},
	}
	for i := range all {
		c := &all[i]
		turn := c.Class != "name"
		if c.Class == v.column() {
			turn = !v.down
			c.Sort = map[bool]string{false: "ascending", true: "descending"}[v.down]
		}
		c.Href = "?sort=" + c.Class + "&order=" + map[bool]string{false: "asc", true: "desc"}[turn]
		if v.filter != "" {
			c.Href += "&filter=" + url.QueryEscape(v.filter)
		}
	}
	return all
}

// validUTF8 returns a name for display: names of files may be any bytes.
func validUTF8(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }
