package architecture

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
	inline  = regexp.MustCompile("`[^`\n]*`")
	mdLink  = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
)

// TestLinks: links between the project's pages lead to files and headings that exist.
func TestLinks(t *testing.T) {
	seen := 0
	for _, name := range files(t) {
		if filepath.Ext(name) != ".md" || strings.Contains(name, "testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		prose := inline.ReplaceAllString(fence.ReplaceAllString(string(text), ""), "")
		for _, m := range mdLink.FindAllStringSubmatch(prose, -1) {
			to, err := url.Parse(m[1])
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if to.Scheme != "" {
				continue
			}
			seen++
			target := filepath.Join(root, filepath.Dir(name), to.Path)
			if to.Path == "" {
				target = filepath.Join(root, name)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: a link leads to %s, which does not exist", name, m[1])
			} else if to.Fragment != "" && !hasHeading(t, target, to.Fragment) {
				t.Errorf("%s: a link leads to %s, which has no such heading", name, m[1])
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d links seen", seen)
	}
}

// hasHeading reports whether a page has a heading with this anchor, as GitHub makes it.
func hasHeading(t *testing.T, page, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
		made := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		if made == anchor {
			return true
		}
	}
	return false
}
