package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/vet"
	"github.com/thresh-dev/thresh/vet/internal/section"
)

// TestRecord holds findings.json to what the issue asks for: enough modules, each of the list, every
// finding reviewed with a reason, and few of them false.
func TestRecord(t *testing.T) {
	r, err := readRecord("findings.json")
	if err != nil {
		t.Fatal(err)
	}
	list, err := readModules("modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(r) < 45 || len(list) != len(r) {
		t.Errorf("%d modules were analysed, %d are in the list", len(r), len(list))
	}
	for i, m := range list {
		if i < len(r) && (r[i].Module != m.Path || r[i].Version != m.Version) {
			t.Errorf("%s %s was analysed, the list has %s %s", r[i].Module, r[i].Version, m.Path, m.Version)
		}
	}
	severity := severities()
	for _, f := range r.all() {
		if f.Verdict != isTrue && f.Verdict != isFalse || len(f.Reason) < 20 {
			t.Errorf("%s %s: %s is not reviewed: %q, %q", f.Module, f.at(), f.Rule, f.Verdict, f.Reason)
		}
		if severity[f.Rule] == "" {
			t.Errorf("%s %s: there is no rule %q", f.Module, f.at(), f.Rule)
		}
	}
	if err := r.check(); err != nil {
		t.Error(err)
	}
}

// TestPage holds the page to findings.json.
func TestPage(t *testing.T) {
	page := filepath.Join("../../..", pageFile)
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	scratch := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(scratch, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writePage("findings.json", scratch); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(scratch)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Errorf("%s is old: go run ./vet/internal/corpus -page", pageFile)
	}
	for _, name := range []string{"precision", "modules", "unloaded", "findings", "reproduced"} {
		if body, ok := section.Of(string(after), name); !ok || strings.TrimSpace(body) == "" {
			t.Errorf("%s has no part %q", pageFile, name)
		}
	}
}

func TestRead(t *testing.T) {
	const out = `{"m/a": {"nestedlimit": [{"posn": "/x/m/a/a.go:7:3", "end": "/x/m/a/a.go:7:9", "message": "lost"}]}}
{"m/b": {"hiddenfile": [{"posn": "/x/m/b.go:1:1", "message": "hidden"}, {"posn": "/y/c.go:2:1", "message": "far"}]}}
{}
`
	r := result{Module: "m"}
	if err := r.read(strings.NewReader(out), "/x/m"); err != nil {
		t.Fatal(err)
	}
	want := []finding{
		{Module: "m", File: "a/a.go", Line: 7, Rule: "nestedlimit", Message: "lost"},
		{Module: "m", File: "b.go", Line: 1, Rule: "hiddenfile", Message: "hidden"},
		{Module: "m", File: "/y/c.go", Line: 2, Rule: "hiddenfile", Message: "far"},
	}
	if !reflect.DeepEqual(r.Findings, want) {
		t.Errorf("%+v", r.Findings)
	}
	for _, bad := range []string{"{", `{"m": {"r": {"error": "type error"}}}`, `{"m": {"r": [{"posn": "nowhere"}]}}`} {
		if err := new(result).read(strings.NewReader(bad), "."); err == nil {
			t.Errorf("no error for %s", bad)
		}
	}
}

func TestBrokenPackages(t *testing.T) {
	const text = `# m/a
# [m/a]
vet: a/a.go:3:2: undefined: x
a second line
# m/a [m/a.test]
vet: the same package
# m/b
vet: b/b.go:1:1: could not import m/c
`
	want := []unloaded{{"m/a", "vet: a/a.go:3:2: undefined: x"}, {"m/b", "vet: b/b.go:1:1: could not import m/c"}}
	if got := brokenPackages(text); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := brokenPackages("go: downloading m\n"); got != nil {
		t.Errorf("%+v", got)
	}
}

// TestTake adds a second run to a record: verdicts stay, what is new and what is gone is said.
func TestTake(t *testing.T) {
	f := func(line int, verdict string) finding {
		return finding{Module: "m", File: "a.go", Line: line, Rule: "nestedlimit", Verdict: verdict, Reason: verdict}
	}
	r := record{{Module: "m", Findings: []finding{f(1, isTrue), f(2, isFalse), f(3, isTrue)}}}
	var out bytes.Buffer
	r.take(result{Module: "m", Packages: 2, Findings: []finding{f(1, ""), f(2, ""), f(4, "")}}, &out)
	want := record{{Module: "m", Packages: 2, Findings: []finding{f(1, isTrue), f(2, isFalse), f(4, "")}}}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("%+v", r)
	}
	if s := out.String(); !strings.Contains(s, "new   a.go:4") || !strings.Contains(s, "gone  a.go:3") || strings.Count(s, "\n") != 2 {
		t.Errorf("%s", s)
	}
	r.take(result{Module: "n"}, &out)
	r.drop([]module{{Path: "n"}, {Path: "m"}})
	if len(r) != 2 || r[0].Module != "n" {
		t.Errorf("%+v", r)
	}
	r.drop([]module{{Path: "m"}})
	if len(r) != 1 || r[0].Module != "m" {
		t.Errorf("%+v", r)
	}
}

// TestCheck asks whether a record is good enough.
func TestCheck(t *testing.T) {
	of := func(rule string, verdicts ...string) (all []finding) {
		for _, v := range verdicts {
			all = append(all, finding{Rule: rule, Verdict: v})
		}
		return all
	}
	nine := slices.Repeat([]string{isTrue}, 9)
	for name, c := range map[string]struct {
		findings []finding
		ok       bool
	}{
		"nothing":                   {nil, true},
		"a false warning in ten":    {of("nestedlimit", append(nine, isFalse)...), true},
		"two false ones in eleven":  {of("nestedlimit", append(nine, isFalse, isFalse)...), false},
		"a false error in ten":      {of("doublecount", append(nine, isFalse)...), false},
		"true errors":               {of("doublecount", nine...), true},
		"one that is not looked at": {of("nestedlimit", append(nine, "")...), false},
	} {
		if err := (record{{Findings: c.findings}}).check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestModules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "modules.txt")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# text\n\nstd\n" + own + "\nm v1.0.0\nn v1.2.0 ./a/... ./b\n")
	want := []module{
		{"std", "", []string{"std"}},
		{own, "", []string{"./..."}},
		{"m", "v1.0.0", []string{"./..."}},
		{"n", "v1.2.0", []string{"./a/...", "./b"}},
	}
	if got, err := readModules(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	write("m\n")
	if _, err := readModules(path); err == nil {
		t.Error("no error without a version")
	}
}

func TestDropNeighbours(t *testing.T) {
	path := filepath.Join(t.TempDir(), "go.mod")
	const text = "module m\n\ngo 1.26\n\nreplace a => ../a\n\nreplace b v1.0.0 => ./b\n\nreplace c => d v1.0.0\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dropNeighbours(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(got), "a =>") || strings.Contains(string(got), "./b") ||
		!strings.Contains(string(got), "c => d v1.0.0") {
		t.Errorf("%s, %v", got, err)
	}
}

// TestTables looks at the tables of a small record.
func TestTables(t *testing.T) {
	r := record{{Module: "m", Version: "v1", Packages: 3,
		Unloaded: []unloaded{{"m/x", "vet: x.go:1:2: no `c`"}, {"m/y", "vet: y.go:9:9: no `c`"}},
		Findings: []finding{
			{File: "a.go", Line: 1, Rule: "nestedlimit", Verdict: isTrue, Reason: "a | b"},
			{File: "a.go", Line: 2, Rule: "nestedlimit", Verdict: isFalse, Reason: "c"},
			{File: "a.go", Line: 3, Rule: "doublecount"},
		}}}
	for part, want := range map[string]string{
		r.precisionTable(): "| [nestedlimit](vet/nestedlimit.md) | " + vet.Warning + " | 2 | 1 | 1 | 0.50 |",
		r.moduleTable():    "| m | v1 | 3 | 2 | 1 | 1 |",
		r.unloadedList():   "- m: `m/x` and 1 more: `no 'c'`",
		r.findingsList():   "| a.go:1 | nestedlimit | true | a \\| b |",
	} {
		if !strings.Contains(part, want+"\n") {
			t.Errorf("%q is not in\n%s", want, part)
		}
	}
	if !strings.Contains(r.findingsList(), "| a.go:3 | doublecount | not reviewed |") {
		t.Error(r.findingsList())
	}
	if got := (record{}).unloadedList(); got != "All packages were loaded.\n" {
		t.Error(got)
	}
}
