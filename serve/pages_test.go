package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/internal/net/docroot"
)

// rowsOfAPage sets how many entries a page has until the test ends.
func rowsOfAPage(t *testing.T, n int) {
	listingRows.Set(n)
	t.Cleanup(func() { listingRows.Set(listingRows.Real()) })
}

// manyFiles makes n files named 0000.txt and so on, of which the higher are the smaller, and one folder.
func manyFiles(t testing.TB, n int) string {
	dir := t.TempDir()
	makeFiles(t, dir, map[string]string{"folder/x": ""})
	for i := range n {
		makeFiles(t, dir, map[string]string{fmt.Sprintf("%04d.txt", i): strings.Repeat("x", n-i)})
	}
	return dir
}

// TestPagesTogether: following the links to the next page shows every entry once, in the order of a
// listing on one page, as HTML and as JSON.
func TestPagesTogether(t *testing.T) {
	const files = 23
	rowsOfAPage(t, 5)
	address, client := offer(t, newHandler(openRoot(t, manyFiles(t, files)), handlerOptions{}), false, false)
	for _, query := range []string{"", "?sort=size", "?sort=size&order=desc", "?filter=1", "?filter=.TXT&order=desc", "?filter=none"} {
		var want []string
		for i := range files {
			want = append(want, fmt.Sprintf("%04d.txt", i))
		}
		if strings.Contains(query, "order=desc") != strings.Contains(query, "size") && query != "?filter=1" && query != "?filter=none" && query != "" {
			slices.Reverse(want)
		}
		want = append([]string{"folder/"}, want...)
		if filter := (&url.URL{RawQuery: strings.TrimPrefix(query, "?")}).Query().Get("filter"); filter != "" {
			want = slices.DeleteFunc(want, func(name string) bool { return !strings.Contains(name, strings.ToLower(filter)) })
		}
		for _, format := range []string{"html", "json"} {
			at := address + "/" + query
			if format == "json" {
				at = address + "/?format=json&" + strings.TrimPrefix(query, "?")
			}
			var got []string
			for pages := 0; at != ""; pages++ {
				if pages > files {
					t.Fatalf("%s has no end", query)
				}
				answer, body := ask(t, client, "GET", at, "Accept: text/html")
				var names []string
				if format == "json" {
					var objects []struct{ Name, Type string }
					if err := json.Unmarshal([]byte(body), &objects); err != nil {
						t.Fatal(err, body)
					}
					for _, o := range objects {
						names = append(names, o.Name+map[string]string{"folder": "/"}[o.Type])
					}
				} else {
					_, names, _ = links(t, body)
				}
				if len(names) > 5 || answer.StatusCode != 200 || answer.ContentLength != int64(len(body)) {
					t.Fatalf("%s: %d names on a page, status %d, length %d", at, len(names), answer.StatusCode, answer.ContentLength)
				}
				got = append(got, names...)
				next := rel(answer.Header.Get("Link"), "next")
				if html := strings.Contains(body, `rel="next"`); format == "html" && html != (next != "") {
					t.Errorf("%s: a link to the next page: %t, in the header %q", at, html, next)
				}
				if next == "" {
					break
				}
				base, err := url.Parse(at)
				if err != nil {
					t.Fatal(err)
				}
				to, err := base.Parse(next)
				if err != nil {
					t.Fatal(err)
				}
				at = to.String()
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s as %s: %q, not %q", query, format, got, want)
			}
		}
	}
	for _, query := range []string{"?page=6", "?page=0", "?page=x", "?page=-1", "?filter=" + strings.Repeat("x", 256)} {
		for _, method := range []string{"GET", "HEAD"} {
			if answer, _ := ask(t, client, method, address+"/"+query); answer.StatusCode != 404 {
				t.Errorf("%s %s: %d", method, query, answer.StatusCode)
			}
		}
	}
	if answer, body := ask(t, client, "GET", address+"/?page=5"); answer.StatusCode != 200 || strings.Contains(body, "README") ||
		!strings.Contains(answer.Header.Get("Link"), `<?page=4>; rel="prev"`) || rel(answer.Header.Get("Link"), "last") != "?page=5" {
		t.Errorf("the last page: %d %v", answer.StatusCode, answer.Header)
	}
}

// rel returns the reference of that relation in a header Link.
func rel(header, name string) string {
	for l := range strings.SplitSeq(header, ", ") {
		if ref, ok := strings.CutSuffix(l, fmt.Sprintf(">; rel=%q", name)); ok {
			return strings.TrimPrefix(ref, "<")
		}
	}
	return ""
}

// TestPageIsShared: clients of one page share its bytes, a reload transfers nothing, and HEAD reads
// no folder.
func TestPageIsShared(t *testing.T) {
	dir := manyFiles(t, 100)
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dir, past, past); err != nil {
		t.Fatal(err)
	}
	root := openRoot(t, dir)
	h := newHandler(root, handlerOptions{}).(*handler)
	address, client := offer(t, h, false, false)
	answer, _ := ask(t, client, "HEAD", address+"/")
	if l, err := root.Listed("/"); l != nil || err != nil || answer.StatusCode != 200 || answer.Header.Get("Etag") != "" {
		t.Errorf("HEAD has read the folder: %v, %v, %v", l, err, answer.Header)
	}
	answer, body := ask(t, client, "GET", address+"/")
	tag := answer.Header.Get("Etag")
	for range 10 {
		if answer, again := ask(t, client, "GET", address+"/"); again != body || answer.Header.Get("Etag") != tag {
			t.Error("the same page differs")
		}
	}
	if n := len(h.pages.kept); n != 1 {
		t.Errorf("%d pages are kept of one", n)
	}
	var p *page
	for range 100 { // as many slow readers
		w := &capture{ResponseRecorder: httptest.NewRecorder()}
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		kept := h.pages.recent.Front().Value.(*page)
		if p == nil {
			p = kept
		}
		if kept != p || len(w.wrote) != len(body) || &w.wrote[0] != &p.body[0] {
			t.Fatal("a reader got bytes of its own")
		}
	}
	head, _ := ask(t, client, "HEAD", address+"/")
	if head.ContentLength != int64(len(body)) || head.Header.Get("Etag") != tag {
		t.Errorf("HEAD of a kept page: %v", head.Header)
	}
	for tags, status := range map[string]int{tag: 304, "*": 304, `"x"`: 200} {
		if answer, body := ask(t, client, "GET", address+"/", "If-None-Match: "+tags); answer.StatusCode != status || status == 304 && body != "" {
			t.Errorf("If-None-Match %s: %d", tags, answer.StatusCode)
		}
	}
	if answer, _ := ask(t, client, "GET", address+"/", `If-Match: "x"`); answer.StatusCode != 412 {
		t.Errorf("If-Match: %d", answer.StatusCode)
	}
	makeFiles(t, dir, map[string]string{"new": ""})
	if answer, body := ask(t, client, "GET", address+"/", "If-None-Match: "+tag); answer.StatusCode != 200 || !strings.Contains(body, "./new") {
		t.Errorf("after a change: %d", answer.StatusCode)
	}
}

// capture keeps the slice of the last Write itself.
type capture struct {
	*httptest.ResponseRecorder
	wrote []byte
}

func (c *capture) Write(p []byte) (int, error) {
	c.wrote = p
	return len(p), nil
}

// TestPagesAreBounded renders many views: what is kept is bounded, and counted right.
func TestPagesAreBounded(t *testing.T) {
	var c pages
	l := &docroot.Listing{Serial: 1}
	for i := range 100 {
		v := view{path: fmt.Sprint("/", i%60), page: 1, json: i%2 == 0}
		if _, err := c.get(v, l, func(out *bytes.Buffer, _ rows) error {
			_, err := out.Write(make([]byte, 1<<20))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	sum := 0
	for _, at := range c.kept {
		sum += len(at.Value.(*page).body) + pageBytes
	}
	if sum != c.bytes || sum > pagesBytesMax || c.recent.Len() != len(c.kept) || len(c.kept) != 15 {
		t.Errorf("%d pages of %d bytes, counted %d", len(c.kept), sum, c.bytes)
	}
	wide := &docroot.Listing{Serial: 2, Items: make([]docroot.Item, 100_000)}
	for i := range wide.Items {
		wide.Items[i].Name = strings.Repeat("\xff", 255)
	}
	h := newHandler(nil, handlerOptions{}).(*handler)
	p, err := h.pages.get(view{path: "/", page: 50}, wide, h.render)
	if err != nil || len(p.body) > 4<<20 {
		t.Errorf("a page of the longest names: %v", err)
	}
}

// TestReadme shows the README, as text whatever is in it, and not one that is no text.
func TestReadme(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("é", readmeBytesMax) + "end"
	makeFiles(t, dir, map[string]string{
		"a/ReadMe.md": "# Title <script>alert(2)</script>\n", "b/README": "x" + long, "c/readme.txt": "\xff\x00", "d/other.md": "text",
		"e/README/x": "", "f/README": "",
	})
	address, client := offer(t, newHandler(openRoot(t, dir), handlerOptions{errorLog: func(err error) { t.Error(err) }}), false, false)
	for path, shown := range map[string]string{"a": "# Title &lt;script&gt;alert(2)&lt;/script&gt;", "b": "xéé", "c": "", "d": "", "e": "", "f": ""} {
		_, page := ask(t, client, "GET", address+"/"+path+"/")
		if got := strings.Contains(page, `<section class="readme">`); got != (shown != "" || path == "f") || !strings.Contains(page, shown) {
			t.Errorf("%s: a README is shown: %t", path, got)
		}
		if strings.Contains(page, "\uFFFD") || strings.Count(page, "<script") != 1 || strings.Contains(page, "end</pre>") ||
			strings.Contains(page, "The file is longer") != (path == "b") {
			t.Errorf("%s: %.200s", path, page[strings.Index(page, "<footer"):])
		}
		if _, page := ask(t, client, "GET", address+"/"+path+"/?filter=e"); strings.Contains(page, `<section class="readme">`) {
			t.Errorf("%s: a README among what was filtered", path)
		}
	}
}

func TestIcons(t *testing.T) {
	for name, want := range map[string]string{"a.png": "image", "a.MP3": "audio", "a.mkv": "video", "a.md": "text", "a.json": "text",
		"a.tar.gz": "archive", "a.zip": "archive", "a.pdf": "text", "a": "file", "a.bin": "file", "a.docx": "text"} {
		if got := iconOf(name); got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
		if !strings.Contains(listingHTML, `<symbol id="`+want+`"`) {
			t.Errorf("there is no icon %s", want)
		}
	}
}

// BenchmarkListing asks a folder of 100,000 files for a page: of a folder that stays, that changes
// each time, and through a filter that no request had before.
func BenchmarkListing(b *testing.B) {
	dir := b.TempDir()
	for i := range 100_000 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%06d.txt", i)), nil, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	root := openRoot(b, dir)
	if _, err := root.List("/"); err != nil {
		b.Fatal(err)
	}
	h := newHandler(root, handlerOptions{})
	for name, query := range map[string]string{"kept": "/", "page": "/?page=%d", "filter": "/?filter=%d"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for i := 0; b.Loop(); i++ {
				at := query
				if strings.Contains(at, "%d") {
					at = fmt.Sprintf(query, i%50+1)
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("GET", at, nil))
				if w.Code != http.StatusOK {
					b.Fatal(w.Code)
				}
				n = w.Body.Len()
			}
			b.ReportMetric(float64(n), "bytes/page")
		})
	}
}
