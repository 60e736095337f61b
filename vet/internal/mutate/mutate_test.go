package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/vet"
	"github.com/thresh-dev/thresh/vet/internal/section"
)

// recallMin is the least share of losing mutants that must be found.
const recallMin = 0.9

// TestRecall makes all mutants, and counts those that the rules find. The page must say the same.
func TestRecall(t *testing.T) {
	seeds, err := loadSeeds("testdata/seeds")
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := mutate(seeds)
	if err != nil {
		t.Fatal(err)
	}
	if err := find(vet.All(), t.TempDir(), mutants); err != nil {
		t.Fatal(err)
	}
	found := 0
	rules := map[string]bool{}
	for _, m := range mutants {
		rules[m.rule] = true
		if m.found() {
			found++
		} else {
			t.Log(m.summary())
		}
	}
	if r := float64(found) / float64(len(mutants)); r < recallMin {
		t.Errorf("%d of %d mutants were found, %.2f", found, len(mutants), r)
	}
	for _, r := range vet.Rules() {
		if !rules[r.Analyzer.Name] && r.Analyzer != vet.UnusedIgnore {
			t.Errorf("no mutant is for %s", r.Analyzer.Name)
		}
	}
	page, err := os.ReadFile("../../../" + pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := section.Of(string(page), "recall"); !ok || got != recallTable(mutants) {
		t.Errorf("%s is old: go run ./vet/internal/mutate -write", pageFile)
	}
}

// TestFound asks for the rule itself: another one that reports something does not count.
func TestFound(t *testing.T) {
	m := mutant{rule: "nestedlimit", reported: []string{"hiddenfile"}}
	if m.found() {
		t.Error("found by another rule")
	}
	if m.reported = append(m.reported, "nestedlimit"); !m.found() {
		t.Error("not found")
	}
}

// TestSeeds runs the rules over what keeps the path: they say nothing.
func TestSeeds(t *testing.T) {
	seeds, err := loadSeeds("testdata/seeds")
	if err != nil {
		t.Fatal(err)
	}
	var same []*mutant
	for _, s := range seeds {
		same = append(same, &mutant{name: strings.TrimSuffix(s.name, ".go"), seed: s.name, source: string(s.src)})
	}
	if err := find(vet.All(), t.TempDir(), same); err != nil {
		t.Fatal(err)
	}
	for _, m := range same {
		if len(m.reported) > 0 {
			t.Errorf("%s keeps the path: %q", m.seed, m.reported)
		}
	}
}

// TestCases holds the seeds to the table of package zerocopy: each case in which io.Copy keeps the path has one.
func TestCases(t *testing.T) {
	seeds, err := loadSeeds("testdata/seeds")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	wrappers := 0
	for _, s := range seeds {
		if name, ok := strings.CutPrefix(s.what, "case: "); ok {
			have = append(have, strings.TrimSpace(name))
		} else if strings.HasPrefix(s.what, "wrapper: ") {
			wrappers++
		} else {
			t.Errorf("%s says not what it is: %q", s.name, s.what)
		}
	}
	if wrappers < 10 {
		t.Errorf("%d wrappers", wrappers)
	}
	doc, err := os.ReadFile("../../../zerocopy/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^//\t(.*?\S)  +(copy|sendfile|splice|copy_file_range)  +\w+  +\S`)
	rows := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(string(doc), -1) {
		rows[m[1]] = m[2]
		if _, left := leftOut[m[1]]; m[2] != "copy" && !left && !slices.Contains(have, m[1]) && !ours.MatchString(m[1]) {
			t.Errorf("no seed is the case %q", m[1])
		}
	}
	if len(rows) < 70 {
		t.Errorf("only %d cases in zerocopy/doc.go", len(rows))
	}
	for _, name := range have {
		if rows[name] == "" || rows[name] == "copy" {
			t.Errorf("%q is not a case that keeps the path", name)
		}
	}
	for name, why := range leftOut {
		if rows[name] == "" || why == "" {
			t.Errorf("%q is not a case, or without a reason", name)
		}
	}
}

// ours matches cases with wrappers of package zerocopy, which keep the path whatever is put around them.
var ours = regexp.MustCompile(`\b(Reader|ReadSeeker|Section|Writer|Conn)\((file|tcp|limit|struct)|Section|NewResponseWriter|NewHandler`)

// leftOut are cases without a seed, and why.
var leftOut = map[string]string{
	"tcp <- struct{*os.File} with Read":       "an error itself: bypassedoverride finds it",
	"struct{*net.TCPConn} with Write <- file": "likewise",
	"tcp <- struct{*net.TCPConn} with Read":   "likewise",
	"tcp <- limit(that reader)":               "copies already",
	"pipe <- tcp":                             "the mutants to standard output are this",
	"ServeContent, one range":                 "the request decides, not the code",
	"io.Copy(w, file), HTTP/1.0":              "likewise",
}
