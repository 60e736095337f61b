package charts

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/internal/test/client"
)

// TestSVG: drawings are well-formed, at every width, have each number, and nothing outside of them.
func TestSVG(t *testing.T) {
	for name, text := range answers {
		c, err := Of("", answer(t, text), 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var file, part bytes.Buffer
		if err := errors.Join(c.SVG(&file), c.part(&part, 358)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if slices.Contains([]string{"negative", "bins", "series", "times"}, name) {
			golden(t, name+".svg", file.String())
		}
		for _, drawing := range []string{file.String(), part.String()} {
			wellFormed(t, name, drawing)
			if strings.Contains(drawing, "NaN") != (name == "negative") || strings.Contains(drawing, `="-`) {
				t.Errorf("%s: something has no place:\n%s", name, drawing)
			}
		}
		if c.Form == Histogram && strings.Count(part.String(), "<rect") != strings.Count(text, "\n") {
			t.Errorf("%s: not a column for each row:\n%s", name, part.String())
		}
	}
}

func wellFormed(t *testing.T, name, drawing string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(drawing))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, drawing)
		}
		if start, ok := token.(xml.StartElement); ok && (start.Name.Local == "script" || start.Name.Local == "b") {
			t.Errorf("%s: an element of the answer: %v", name, start)
		}
	}
}

// pageOf is a page of several answers, one with more rows than it shows.
func pageOf(t *testing.T) []byte {
	b := AppendPage(nil, "a <page>")
	for _, name := range []string{"groups", "bins", "series", "hostile", "texts"} {
		b = AppendSection(b, name, answer(t, answers[name]), 0, []string{"a <note>"})
	}
	b = AppendSection(b, "", answer(t, "a,b,c,d\n1,x,\\N,y"), 1234, nil)
	return EndPage(b)
}

// TestPage: nothing of an answer is taken for a part of the page, and nothing is loaded from elsewhere.
func TestPage(t *testing.T) {
	text := string(pageOf(t))
	for _, want := range []string{"<title>a &lt;page&gt;</title>", "a &lt;note&gt;", "&lt;script&gt;alert(1)&lt;/script&gt;",
		`<td class="null">null</td>`, `<td class="numeric">25183384.67</td>`, "1,234 more rows, which a page does not show"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(text, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	text = strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")
	if found := regexp.MustCompile(`https?:|url\(|@import|src=|<link|<b>|onload='x`).FindString(
		strings.ReplaceAll(text, "&#39; onload=&#39;x", "")); found != "" {
		t.Errorf("the page has %s", found)
	}
}

// TestInBrowser sorts a table of the page in Chromium, and looks at it as a phone does, in the dark.
func TestInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	name := filepath.Join(t.TempDir(), "answer.html")
	if err := os.WriteFile(name, pageOf(t), 0o600); err != nil {
		t.Fatal(err)
	}
	b := client.OpenBrowser(t)
	const (
		width = `return String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`
		shown = `return [...document.querySelectorAll("svg")].filter(s => s.getBoundingClientRect().width > 0).length + ""`
		first = `document.querySelectorAll("th button")[arguments[0]].click();
			return [...document.querySelectorAll("tbody")[0].rows].map(r => r.cells[arguments[0]].textContent).join(" ")`
		cutOff = `return [...document.querySelectorAll("svg")].flatMap(s => [...s.querySelectorAll("text")].filter(t => {
			const box = t.getBoundingClientRect(), all = s.getBoundingClientRect();
			return all.width > 0 && (box.left < all.left - 1 || box.right > all.right + 1);
		})).map(t => t.textContent).join("; ")`
	)
	for scheme, c := range map[string]struct {
		pixels int
		page   string
	}{"light": {1280, "rgb(255, 255, 255)"}, "dark": {390, "rgb(20, 23, 28)"}} {
		b.Devtools("Emulation.setDeviceMetricsOverride", map[string]any{"width": c.pixels, "height": 800, "deviceScaleFactor": 1, "mobile": false})
		b.Devtools("Emulation.setEmulatedMedia", map[string]any{"media": "",
			"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
		b.Open("file://" + name)
		if got := b.Text(width); got != "0" {
			t.Errorf("%s: the page is %s pixels wider than the window", scheme, got)
		}
		if got := b.Text(shown); got != "5" {
			t.Errorf("%s: %s drawings, want 5", scheme, got)
		}
		if got := b.Text(cutOff); got != "" {
			t.Errorf("%s: texts that are cut off: %s", scheme, got)
		}
		if got := b.Text(`return getComputedStyle(document.body).backgroundColor`); got != c.page {
			t.Errorf("%s: the page is %s", scheme, got)
		}
		if got := b.Text(first, 1); got != "100083 83824 40521 12 1" {
			t.Errorf("%s: sorted by number: %s", scheme, got)
		}
		if got := b.Text(first, 0); got != "DE FR US null " {
			t.Errorf("%s: sorted by name: %q", scheme, got)
		}
		if errs := b.Errors(); len(errs) > 0 {
			t.Errorf("%s: %v", scheme, errs)
		}
	}
}
