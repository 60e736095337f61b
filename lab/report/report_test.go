package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/thresh-dev/thresh/lab"
)

func pageOf(t testing.TB, experiments []*lab.Experiment, results []lab.Results) string {
	t.Helper()
	var out bytes.Buffer
	if err := HTML(&out, experiments, results); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func markdownOf(t testing.TB, experiments []*lab.Experiment, results []lab.Results) string {
	t.Helper()
	var out bytes.Buffer
	if err := Markdown(&out, experiments, results); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var script = regexp.MustCompile(`(?s)<script[^>]*>.*?</script>|<style>.*?</style>`)

// TestEverythingAppears: every variant, every claim with its verdict and reason, and all that went wrong.
func TestEverythingAppears(t *testing.T) {
	experiments, results := fixture(t)
	for shown, shows := range map[string][]lab.Results{"one": results[1:], "two": results} {
		page := html.UnescapeString(script.ReplaceAllString(pageOf(t, experiments, shows), ""))
		pasted := strings.ReplaceAll(markdownOf(t, experiments, shows), `\`, "")
		want := []string{
			"unknown to this one: old/v99", "not run: tens", "Not run: needle/v14",
			`wrong answer: "0" instead of "1073741816"`, "not run: built without archsimd", "fewer runs: 4 of 20: it would take 30 minutes",
			"others used 12 % of the processors", "too short to measure", "4 hold, 1 holds in part, 1 does not hold, 1 can't be told, 1 not tested here",
			"Made-up 5, a processor with a rather long name", "5.10 GB/s", "140 ns", "avx2, avx512",
			"needle/thresh, warm: 81,813 (", ") MB/s, the best; needle/", "Its limit: memory bandwidth: 92 % of 52 GB/s",
			"This project's own rows", "needle/thresh, cold: 4,108 (", "as good as the best; needle/v07 has", "go/sum, n = 100,000", "go/sum, n = 10,000,000",
		}
		if shown == "one" {
			want = append(want, "transfers: 17", "with 128 processors", "1,025")
		}
		for _, e := range experiments[:3] {
			for _, v := range e.Variants {
				want = append(want, v.ID)
			}
			for _, c := range e.Claims {
				v := c.Judge(e, results[1])
				want = append(want, c.ID, c.Text, c.Theirs, v.Ours, v.Why, string(v.Holds))
				want = append(want, v.Evidence...)
			}
		}
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("the page of %s lacks %q", shown, text)
			}
			if !strings.Contains(pasted, text) {
				t.Errorf("the Markdown of %s lacks %q", shown, text)
			}
		}
		if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
			t.Errorf("the page of %s has a figure that is no number", shown)
		}
	}
}

// TestSelfContained: the page is below 2 MB and asks for nothing from elsewhere. Only links to articles
// lead out, and what the policy lets run is what is in the page.
func TestSelfContained(t *testing.T) {
	experiments, results := fixture(t)
	for _, shows := range [][]lab.Results{results[:1], results} {
		page := pageOf(t, experiments, shows)
		if len(page) > 2_000_000 {
			t.Errorf("the page has %d bytes", len(page))
		}
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		policy, scripts := "", 0
		for n := range root.Descendants() {
			for _, a := range n.Attr {
				outside := strings.Contains(a.Val, "//") && a.Key != "content"
				if (outside && (n.Data != "a" || a.Key != "href" || !strings.HasPrefix(a.Val, "https://example.com/"))) ||
					a.Key == "src" || a.Key == "srcset" || strings.HasPrefix(a.Key, "on") || a.Key == "style" {
					t.Errorf("<%s %s=%.80q>", n.Data, a.Key, a.Val)
				}
			}
			switch n.Data {
			case "link", "iframe", "object", "embed", "img", "base":
				t.Errorf("the page has a <%s>", n.Data)
			case "meta":
				if n.Attr[0].Val == "Content-Security-Policy" {
					policy = n.Attr[1].Val
				}
			case "style":
				if strings.Contains(n.FirstChild.Data, "url(") || strings.Contains(n.FirstChild.Data, "@import") {
					t.Error("the style sheet loads something")
				}
			case "script":
				if len(n.Attr) == 0 {
					scripts++
				}
			}
		}
		if scripts != 2 || strings.Count(policy, "'sha256-") != 2 || !strings.HasPrefix(policy, "default-src 'none'; ") {
			t.Errorf("%d scripts, and the policy %s", scripts, policy)
		}
	}
}

// TestWellFormed: without its scripts and styles the page is XML: every element is closed in its order. Every
// ID is there once, and links within the page lead to one.
func TestWellFormed(t *testing.T) {
	experiments, results := fixture(t)
	for _, shows := range [][]lab.Results{results[:1], results} {
		d := xml.NewDecoder(strings.NewReader(script.ReplaceAllString(pageOf(t, experiments, shows), "")))
		d.Entity = xml.HTMLEntity
		ids, links := map[string]bool{}, []string{}
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			element, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			for _, a := range element.Attr {
				if a.Name.Local == "id" {
					if ids[a.Value] {
						t.Errorf("two elements have the ID %s", a.Value)
					}
					ids[a.Value] = true
				}
				if strings.HasPrefix(a.Value, "#") {
					links = append(links, a.Value[1:])
				}
			}
		}
		for _, to := range links {
			if !ids[to] {
				t.Errorf("a link leads to #%s, which is not there", to)
			}
		}
	}
}

// hostile has meaning to HTML, to scripts and to Markdown.
const hostile = "\"'><script>alert(1)</script><img src=x onerror=alert(1)></script>{{.}}|`*_[a](javascript:alert(1))\n# h"

// TestHostileNames: whatever comes from results and experiments is shown as text.
func TestHostileNames(t *testing.T) {
	experiments, results := fixture(t)
	elements := func(page string) string {
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for n := range root.Descendants() {
			if n.Type == html.ElementNode {
				all.WriteString(n.Data + " ")
			}
		}
		return all.String()
	}
	before := elements(pageOf(t, experiments, results[:1]))
	lines := strings.Count(markdownOf(t, experiments, results[:1]), "\n")
	poison(experiments, &results[0])
	page := pageOf(t, experiments, results[:1])
	if after := elements(page); after != before {
		t.Errorf("hostile names make other elements:\n%s\ninstead of\n%s", after, before)
	}
	if n := strings.Count(html.UnescapeString(script.ReplaceAllString(page, "")), "<script>alert(1)"); n < 20 {
		t.Errorf("the hostile name is shown %d times", n)
	}
	pasted := markdownOf(t, experiments, results[:1])
	if got := strings.Count(pasted, "\n"); got != lines {
		t.Errorf("hostile names make %d lines of Markdown instead of %d", got, lines)
	}
	if m := regexp.MustCompile("[^\\\\][<>`*]script|[^\\\\]\\[a|[^\\\\]_\\\\\\[").FindString(pasted); m != "" {
		t.Errorf("the Markdown has %q", m)
	}
}

// poison puts the hostile text into every text of an experiment and its results.
func poison(experiments []*lab.Experiment, r *lab.Results) {
	for _, e := range experiments {
		rename := func(id string) string {
			if !has(e, id) {
				return id
			}
			return id + hostile
		}
		for i := range r.Measurements {
			m := &r.Measurements[i]
			m.Variant = rename(m.Variant)
		}
		for i := range e.Variants {
			e.Variants[i].ID += hostile
			e.Variants[i].What += hostile
		}
		e.Article = lab.Article{Title: hostile, Author: hostile, URL: e.Article.URL, Machine: e.Article.Machine + hostile}
		if e.Article.URL != "" {
			e.Article.URL = "javascript:alert(1)//" + hostile
		}
		for i := range e.Claims {
			c := &e.Claims[i]
			*c = fixed(c.ID, hostile, hostile, lab.InPart, hostile)
			if e.Name == "needle" && i == 1 { // that claim has evidence
				c.Judge = func(*lab.Experiment, lab.Results) lab.Verdict {
					return lab.Verdict{Holds: lab.No, Ours: hostile, Why: hostile, Evidence: []string{hostile, hostile}}
				}
			}
		}
		e.Metric.Unit = hostile
	}
	for i := range r.Measurements {
		m := &r.Measurements[i]
		for _, text := range []*string{&m.Wrong, &m.Want, &m.Skipped, &m.Fewer} {
			if *text != "" {
				*text += hostile
			}
		}
		for j := range m.Outcomes {
			o := &m.Outcomes[j]
			if o.Wall != "" {
				o.Wall = hostile
			}
			for name, v := range o.Extra {
				delete(o.Extra, name)
				o.Extra[name+hostile] = v
			}
		}
		if m.Profile != nil {
			m.Profile.Source = hostile
			for stack, n := range m.Profile.Folded {
				delete(m.Profile.Folded, stack)
				m.Profile.Folded[hostile+stack+strings.ReplaceAll(hostile, ";", "")] = n
			}
		}
	}
	r.Machine.Processor, r.Machine.Kernel, r.Machine.Date = hostile, hostile, hostile
	r.Machine.Programs = map[string]string{hostile: hostile, "x": hostile}
}

// TestBundle: the committed chart library is what the script made of the versions that are pinned.
func TestBundle(t *testing.T) {
	sums, err := os.ReadFile("charts/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		names = append(names, name)
		text, err := os.ReadFile(filepath.Join("charts", name))
		if name == "charts.min.js" {
			text, err = bundle()
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(text); hex.EncodeToString(got[:]) != sum {
			t.Errorf("charts/%s is not what scripts/lab-charts.sh saw: run it again", name)
		}
	}
	if want := []string{"charts.js", "package.json", "package-lock.json", "charts.min.js", "LICENSES.txt"}; !slices.Equal(names, want) {
		t.Errorf("SHA256SUMS has %q, not %q", names, want)
	}
	library, err := bundle()
	if err != nil || strings.Contains(string(library), "</script") || !bytes.Contains(library[:4096], []byte("Apache Software Foundation")) {
		t.Errorf("the bundle cannot stand in a page, or lacks its notice: %v", err)
	}
	script, err := pageScript()
	if err != nil || strings.Contains(string(script), "</script") {
		t.Errorf("the script cannot stand in a page: %v", err)
	}
	if all, err := os.ReadDir("script"); err != nil || len(all) != len(parts) {
		t.Errorf("%d files in script, %d of them used, error %v", len(all), len(parts), err)
	}
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrors(t *testing.T) {
	experiments, results := fixture(t)
	for name, write := range map[string]func(io.Writer, []*lab.Experiment, []lab.Results) error{"HTML": HTML, "Markdown": Markdown} {
		if err := write(full{}, experiments, results); !errors.Is(err, errFull) {
			t.Errorf("%s into a full file: %v", name, err)
		}
		if err := write(io.Discard, experiments, nil); !errors.Is(err, errNoResults) {
			t.Errorf("%s of nothing: %v", name, err)
		}
		if err := write(io.Discard, experiments, []lab.Results{{}}); err != nil {
			t.Errorf("%s of an empty session: %v", name, err)
		}
		if err := write(io.Discard, nil, results); err != nil {
			t.Errorf("%s without experiments: %v", name, err)
		}
	}
}
