// Package mutate takes copies that keep the path, the cases of package zerocopy and wrappers as real programs have
// them, loses the path in each of them in every way that it can, and asks the rules to find it. It has only tests.
package mutate

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/vet"
)

// missed are the mutants that no rule finds: to find them, a rule would have to guess.
var missed = []string{
	"connwrapper: wrapper_proxyproto.go: neither ReadFrom nor WriteTo of *headerConn",
	"connwrapper: wrapper_proxyproto.go: no ReadFrom of *headerConn",
	"connwrapper: wrapper_proxyproto.go: no WriteTo of *headerConn",
	"connwrapper: wrapper_tracked.go: no WriteTo of *trackedConn",
	"responsewrapper: wrapper_recorder.go: no ReadFrom of *recorder",
	"responsewrapper: wrapper_tee.go: no ReadFrom of *teeWriter",
	"stalledstdout: wrapper_statconn.go: to standard output",
}

// TestFinds makes all mutants, and asks the rules to find them.
func TestFinds(t *testing.T) {
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
	rules := map[string]bool{}
	var left []string
	for _, m := range mutants {
		rules[m.rule] = true
		if !m.found() {
			left = append(left, m.rule+": "+m.seed+": "+m.change)
		}
	}
	slices.Sort(left)
	if !slices.Equal(left, missed) {
		t.Errorf("not found: %q", left)
	}
	for _, r := range vet.Rules() {
		if !rules[r.Analyzer.Name] && r.Analyzer != vet.UnusedIgnore {
			t.Errorf("no mutant is for %s", r.Analyzer.Name)
		}
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
