package serve

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// links returns the references of a listing's rows, and its text, as a browser sees them.
func links(t *testing.T, page string) (refs, names []string, all string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "script" {
			all += n.Data
		}
		inRow := n.Parent != nil && n.Parent.Data == "td"
		if n.Type != html.ElementNode || n.Data != "a" || !inRow {
			continue
		}
		name := ""
		for text := range n.Descendants() {
			if text.Type == html.TextNode {
				name += text.Data
			}
		}
		names = append(names, name)
		for _, a := range n.Attr {
			if a.Key == "href" {
				refs = append(refs, a.Val)
			}
		}
	}
	return refs, names, all
}

// TestListingLinks follows every link of the listings, however odd the name, at the top of a server
// and below a prefix.
func TestListingLinks(t *testing.T) {
	h := newHandler(handlerRoot(t), handlerOptions{errorLog: func(err error) { t.Error(err) }})
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.Handle("/pre/fix/", http.StripPrefix("/pre/fix", h))
	address, client := offer(t, mux, false, false)
	for _, prefix := range []string{"/", "/pre/fix/"} {
		reached := 0
		var walk func(at string)
		walk = func(at string) {
			_, page := ask(t, client, "GET", at, "Accept: text/html")
			refs, names, _ := links(t, page)
			base, err := url.Parse(at)
			if err != nil {
				t.Fatal(err)
			}
			for i, ref := range refs {
				to, err := base.Parse(ref)
				if err != nil {
					t.Fatalf("%q: %v", ref, err)
				}
				if names[i] == "../" {
					if answer, _ := ask(t, client, "GET", to.String()); answer.StatusCode != 200 {
						t.Errorf("above %s: %d", at, answer.StatusCode)
					}
					continue
				}
				if strings.HasSuffix(names[i], "/") && names[i] != "index/" {
					walk(to.String())
					continue
				}
				answer, body := ask(t, client, "GET", to.String())
				name, _ := strings.CutPrefix(to.Path, prefix)
				if name == "index/" {
					name += "index.html"
				}
				if want, known := handlerFiles[name]; !known || answer.StatusCode != 200 || body != want {
					t.Errorf("%q in %s leads to %d %.40q", ref, at, answer.StatusCode, body)
				}
				reached++
			}
		}
		walk(address + prefix)
		if want := len(handlerFiles) - 2; reached != want { // except the two with a leading dot
			t.Errorf("below %s %d files were reached, not %d", prefix, reached, want)
		}
	}
}

func TestListingPage(t *testing.T) {
	dir := t.TempDir()
	makeFiles(t, dir, map[string]string{"b/c/<script>alert(1)<&>\"'.txt": letters, "b/c/large": "", "b/c/folder/x": "x", "b/c/one": "1"})
	if err := os.Truncate(filepath.Join(dir, "b/c/large"), 1234567); err != nil {
		t.Fatal(err)
	}
	address, client := offer(t, newHandler(openRoot(t, dir), handlerOptions{}), false, false)
	answer, page := ask(t, client, "GET", address+"/b/c/", "Accept: text/html")
	_, names, all := links(t, page)
	if want := []string{"../", "folder/", "<script>alert(1)<&>\"'.txt", "large", "one"}; !slices.Equal(names, want) {
		t.Errorf("%q, not %q", names, want)
	}
	for _, want := range []string{"1.2 MiB", "26 B", "1 folder, 3 files, 1.2 MiB in files", "2024-02-29 12:30", "/b/c/"} {
		if !strings.Contains(all, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, want := range []string{`title="1,234,567 bytes"`, `title="1 byte"`, `href="./../../"`, `href="./../"`, `datetime="2024-02-29T12:30:45Z"`,
		`href="?sort=size&amp;order=desc"`, `aria-sort="ascending"`, "prefers-color-scheme: dark", `name="viewport"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Count(page, "<script") != 1 {
		t.Error("a name has become a script")
	}
	for _, never := range []string{"<script>alert", "http://", "https://", "ZgotmplZ", "src="} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %s", never)
		}
	}
	if got := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'") {
		t.Errorf("Content-Security-Policy %q", got)
	}
	if _, page := ask(t, client, "GET", address+"/", "Accept: text/html"); strings.Contains(page, "../<") {
		t.Error("the top has a way up")
	}
}

func TestListingOrder(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"c", "a", "b"} {
		makeFiles(t, dir, map[string]string{name: strings.Repeat("x", 10-i), "folder-" + name + "/x": ""})
		for _, path := range []string{name, "folder-" + name} {
			when := changed.AddDate(0, 0, i)
			if err := os.Chtimes(filepath.Join(dir, path), when, when); err != nil {
				t.Fatal(err)
			}
		}
	}
	address, client := offer(t, newHandler(openRoot(t, dir), handlerOptions{}), false, false)
	for query, want := range map[string]string{
		"":                       "folder-a/ folder-b/ folder-c/ a b c",
		"?sort=name&order=desc":  "folder-c/ folder-b/ folder-a/ c b a",
		"?sort=size":             "folder-a/ folder-b/ folder-c/ b a c",
		"?sort=size&order=desc":  "folder-a/ folder-b/ folder-c/ c a b",
		"?sort=time":             "folder-c/ folder-a/ folder-b/ c a b",
		"?sort=time&order=desc":  "folder-b/ folder-a/ folder-c/ b a c",
		"?sort=other&order=asc":  "folder-a/ folder-b/ folder-c/ a b c",
		"?sort=%zz;&order=%00&=": "folder-a/ folder-b/ folder-c/ a b c",
	} {
		_, page := ask(t, client, "GET", address+"/"+query)
		if _, names, _ := links(t, page); strings.Join(names, " ") != want {
			t.Errorf("%s: %s, not %s", query, names, want)
		}
	}
}

func TestListingJSON(t *testing.T) {
	type object struct {
		Name, Type string
		Size       *int64
		Modified   time.Time
	}
	read := func(h http.Handler, path string) (objects []object) {
		address, client := offer(t, h, false, false)
		answer, body := ask(t, client, "GET", address+path, "Accept: application/json")
		if err := json.Unmarshal([]byte(body), &objects); err != nil || objects == nil || answer.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%v: %v in %q", answer.Header, err, body)
		}
		return objects
	}
	got := read(newHandler(handlerRoot(t), handlerOptions{}), "/")
	seen := map[string]bool{}
	for i, o := range got {
		if o.Type != "folder" && o.Type != "file" || (o.Type == "file") != (o.Size != nil) || i > 0 && o.Type == "folder" && got[i-1].Type == "file" {
			t.Errorf("%d: %+v", i, o)
		}
		if content, ok := handlerFiles[o.Name]; ok {
			seen[o.Name] = true
			if *o.Size != int64(len(content)) || o.Name != "old.txt" && !o.Modified.Equal(changed.Truncate(time.Second)) {
				t.Errorf("%+v of %d bytes", o, len(content))
			}
		}
	}
	if !seen["ümlaut 文.txt"] || !seen["new\nline\t.txt"] || !seen["empty.txt"] || seen[".hidden"] {
		t.Errorf("seen are %v", seen)
	}
	dir := t.TempDir()
	if objects := read(newHandler(openRoot(t, dir), handlerOptions{}), "/"); len(objects) != 0 {
		t.Errorf("an empty folder has %v", objects)
	}
}

func TestNoListing(t *testing.T) {
	address, client := offer(t, newHandler(handlerRoot(t), handlerOptions{noListing: true}), false, false)
	for path, status := range map[string]int{"/": 403, "/sub/": 403, "/sub": 301, "/index/": 200, "/sub/a.txt": 200} {
		for _, format := range []string{"", "?format=json"} {
			if answer, body := ask(t, client, "GET", address+path+format); answer.StatusCode != status || status == 403 && body != "403 Forbidden\n" {
				t.Errorf("%s: %d %q, not %d", path, answer.StatusCode, body, status)
			}
		}
	}
}

// TestLocation checks that a redirect stays on the host and below the prefix.
func TestLocation(t *testing.T) {
	for _, c := range []struct{ uri, stripped, to, want string }{
		{"/a", "", "/a/", "/a/"},
		{"/a?x=1&y=/%2f", "", "/a/", "/a/?x=1&y=/%2f"},
		{"/a?x=\u00fc y", "", "/a/", "/a/?x=%C3%BC%20y"},
		{"//evil.com", "", "//evil.com/", "/evil.com/"},
		{"//evil.com/..", "", "/", "/"},
		{`/\evil.com`, "", `/\evil.com/`, "/%5Cevil.com/"},
		{"///evil.com", "", "///evil.com/", "/evil.com/"},
		{"/a%0d%0aSet-Cookie:x", "", "/a\r\nSet-Cookie:x/", "/a%0D%0ASet-Cookie:x/"},
		{"/%FF", "", "/\xff/", "/%FF/"},
		{"/pre/sub?q", "/pre", "/sub/", "/pre/sub/?q"},
		{"//evil.com/sub", "//evil.com", "/sub/", "/evil.com/sub/"},
		{`/\evil.com/sub`, `/\evil.com`, "/sub/", "/evil.com/sub/"},
		{"http://evil.com/sub", "http://evil.com", "/sub/", "/sub/"},
		{"/other/path", "/nothing/of/it", "/sub/", "/sub/"},
	} {
		path, query, _ := strings.Cut(c.uri, "?")
		plain, err := url.PathUnescape(strings.TrimPrefix(path, c.stripped))
		if err != nil {
			t.Fatal(err)
		}
		r := &http.Request{RequestURI: c.uri, URL: &url.URL{Path: plain, RawQuery: query}}
		if got := location(r, c.to); got != c.want {
			t.Errorf("%s to %q: %s, not %s", c.uri, c.to, got, c.want)
		}
	}
}
