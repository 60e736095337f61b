package vet

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumented holds docs/vet.md to the rules, and to the cases of package zerocopy: each is a row, with
// the rule that reports it or the reason why none does.
func TestDocumented(t *testing.T) {
	page := read(t, "../docs/vet.md")
	for _, r := range Rules() {
		name := r.Analyzer.Name
		if want := "| [" + name + "](vet/" + name + ".md) | " + r.Severity + " | " + r.Short + " |\n"; !strings.Contains(page, want) {
			t.Errorf("docs/vet.md lacks %s", want)
		}
		if text := read(t, "../docs/vet/"+name+".md"); !strings.HasPrefix(text, "# "+name+"\n") {
			t.Errorf("docs/vet/%s.md is not about it", name)
		}
	}
	table := page[strings.Index(page, "| case |"):]
	rows := map[string][]string{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); len(cells) == 4 && strings.HasPrefix(line, "| `") {
			rows[strings.Trim(cells[0], "|` ")] = cells
		}
	}
	cases := regexp.MustCompile(`(?m)^//\t(\S.*?) {2,}(\S+) {2,}(\S+) {2,}\S.*$`).FindAllStringSubmatch(read(t, "../zerocopy/doc.go"), -1)
	if len(cases) < 70 || len(cases) != len(rows) {
		t.Errorf("%d cases in zerocopy/doc.go, %d rows in docs/vet.md", len(cases), len(rows))
	}
	rule := regexp.MustCompile(`^ ?\[(\w+)\]\(vet/(\w+)\.md\)$`)
	for _, c := range cases {
		row, ok := rows[c[1]]
		if !ok || row[1] != c[2] {
			t.Errorf("%s goes by %s: docs/vet.md has %q", c[1], c[2], row)
			continue
		}
		found := rule.FindStringSubmatch(row[2])
		switch {
		case found != nil && !known(found[1]):
			t.Errorf("%s: there is no rule %s", c[1], found[1])
		case found == nil && len(strings.TrimSpace(strings.Trim(row[3], "|\n"))) < 10:
			t.Errorf("%s has neither a rule nor a reason", c[1])
		}
	}
}

func known(name string) bool {
	for _, r := range Rules() {
		if r.Analyzer.Name == name {
			return true
		}
	}
	return false
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestFacts asks for what dependencies need, and no rule.
func TestFacts(t *testing.T) {
	facts := Facts()
	if len(facts) == 0 {
		t.Error("no analyzer hands anything to other packages")
	}
	for _, a := range facts {
		if known(a.Name) || len(a.FactTypes) == 0 {
			t.Errorf("%s runs on dependencies", a.Name)
		}
	}
}
