//go:build linux

package servetest

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// known is an entry of differences.md.
type known struct {
	title         string
	cases         []*regexp.Regexp
	fields        []string
	nginx, thresh int // status
	why           string
	given         map[string]bool // keys
	used          []bool          // by case
}

type knowns []*known

// differences parses testdata/differences.md: each heading of the third level is followed by lines
// "- key: value". The top of the file explains the keys.
func differences(t *testing.T) (all knowns) {
	t.Helper()
	text, err := os.ReadFile("testdata/differences.md")
	if err != nil {
		t.Fatal(err)
	}
	var k *known
	last := ""
	for n, line := range strings.Split(string(text), "\n") {
		if title, ok := strings.CutPrefix(line, "### "); ok {
			k = &known{title: title, given: map[string]bool{}}
			all = append(all, k)
			last = ""
			continue
		}
		if strings.HasPrefix(line, "## ") {
			k = nil
		}
		if k == nil || line == "" {
			continue
		}
		if more, ok := strings.CutPrefix(line, "  "); ok && last == "why" {
			k.why += " " + more
			continue
		}
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		if !ok || !strings.HasPrefix(line, "- ") {
			t.Fatalf("differences.md:%d: neither heading nor \"- key: value\": %q", n+1, line)
		}
		last = key
		k.given[key] = true
		switch key {
		case "case":
			pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.Trim(value, "`")), `\*\*`, ".*")
			k.cases = append(k.cases, regexp.MustCompile("^"+pattern+"$"))
			k.used = append(k.used, false)
		case "fields":
			k.fields = strings.Split(value, ", ")
		case "nginx":
			k.nginx = status(t, n+1, value)
		case "thresh":
			k.thresh = status(t, n+1, value)
		case "why":
			k.why = value
		default:
			t.Fatalf("differences.md:%d: unknown key %q", n+1, key)
		}
	}
	for _, k := range all {
		for _, key := range []string{"case", "fields", "nginx", "thresh", "why"} {
			if !k.given[key] {
				t.Errorf("differences.md: %q does not say %s", k.title, key)
			}
		}
	}
	return all
}

// anyStatus matches every status.
const anyStatus = -1

// status reads the number at the start of a value; "closed" is 0, "any" is anyStatus.
func status(t *testing.T, line int, value string) int {
	t.Helper()
	first, _, _ := strings.Cut(value, ",")
	switch first {
	case "closed":
		return 0
	case "any":
		return anyStatus
	}
	n, err := strconv.Atoi(first)
	if err != nil {
		t.Fatalf("differences.md:%d: %q does not begin with a status", line, value)
	}
	return n
}

// covers reports whether an entry explains that a field differs, and marks the entry as used.
func (all knowns) covers(name, field string, nginx, thresh int) (covered bool) {
	for _, k := range all {
		if k.nginx != nginx && k.nginx != anyStatus || k.thresh != thresh && k.thresh != anyStatus || !slices.Contains(k.fields, field) {
			continue
		}
		for i, c := range k.cases {
			if c.MatchString(name) {
				k.used[i], covered = true, true
			}
		}
	}
	return covered
}

// report fails the test for entries without a difference.
func (all knowns) report(t *testing.T) {
	t.Helper()
	for _, k := range all {
		for i, c := range k.cases {
			if !k.used[i] {
				t.Errorf("differences.md: %q: no case differs that matches %s", k.title, c)
			}
		}
	}
}
