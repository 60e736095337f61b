package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/thresh-dev/thresh/vet"
)

// TestMain makes the test program a tool of go vet: it is what os.Executable returns.
func TestMain(m *testing.M) {
	if !asTool(os.Args[1:]) {
		os.Exit(m.Run())
	}
}

const bad = `package m

import (
	"io"
	"net/http"
	"os"
)

/* é */ type counted struct{ *os.File }

func (c counted) Write(p []byte) (int, error) { return c.File.Write(p[1:]) }

func twice(w http.ResponseWriter, f *os.File) { io.CopyN(w, io.LimitReader(f, 9), 9) }

func meant(w http.ResponseWriter, f *os.File) {
	//thresh:ignore nestedlimit never called
	io.CopyN(w, io.LimitReader(f, 9), 9)
}

//thresh:ignore doublecount nothing is counted here
var X int
`

const badTagged = `//go:build special

package m

import "os"

type special struct{ *os.File }

func (s special) Read(p []byte) (int, error) { return s.File.Read(p[1:]) }
`

// TestCopies checks the same code in two folders: the second answer must not be the first one from the
// build cache, even if GOFLAGS makes the go command forget where code was.
func TestCopies(t *testing.T) {
	t.Setenv("GOFLAGS", "-trimpath")
	for range 2 {
		module(t, map[string]string{"a.go": bad})
		if out, _, err := program(t); !errors.Is(err, errFound) || !strings.HasPrefix(out, "a.go:9:15: ") {
			t.Errorf("error %v\n%s", err, out)
		}
	}
}

// module makes a module of some files, which become the current folder. Its go.mod ends with more.
func module(t *testing.T, files map[string]string, more ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	files["go.mod"] = "module example.com/m\n\ngo 1.26\n" + strings.Join(more, "")
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// program runs the program and returns what it prints.
func program(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	err = run(context.Background(), args, &out, &errs)
	return out.String(), errs.String(), err
}

// rulesOf returns the lines of text output as file:line:rule.
func rulesOf(text string) (found []string) {
	for line := range strings.Lines(text) {
		if line[0] == '\t' {
			continue // another place of the one before
		}
		parts := strings.SplitN(line, ":", 4)
		rule := line[strings.LastIndexByte(line, '(')+1 : strings.LastIndexByte(line, ')')]
		found = append(found, parts[0]+":"+parts[1]+":"+rule)
	}
	return found
}

func TestText(t *testing.T) {
	module(t, map[string]string{"sub/a.go": bad, "sub/b.go": badTagged, "b.go": "package m\n"})
	all := []string{"sub/a.go:9:bypassedoverride", "sub/a.go:13:nestedlimit", "sub/a.go:20:unusedignore"}
	tagged := append(slices.Clone(all), "sub/b.go:7:bypassedoverride")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, all},
		{[]string{"./..."}, all},
		{[]string{"./sub"}, all},
		{[]string{"--tags", "special"}, tagged},
		{[]string{"--enable", "nestedlimit"}, all[1:2]},
		{[]string{"--disable", "nestedlimit,bypassedoverride"}, all[2:]},
		{[]string{"--disable", "doublecount"}, all[:2]}, // its comment is not judged
		{[]string{"--disable", "unusedignore"}, all[:2]},
	} {
		out, errs, err := program(t, c.args...)
		if !errors.Is(err, errFound) || !slices.Equal(rulesOf(out), c.want) {
			t.Errorf("%q: %v, error %v\n%s%s", c.args, rulesOf(out), err, out, errs)
		}
	}
	for _, clean := range [][]string{{"."}, {"--enable", "doublecount"}} {
		if out, errs, err := program(t, clean...); err != nil || out != "" {
			t.Errorf("%q: error %v\n%s%s", clean, err, out, errs)
		}
	}
	t.Chdir("..")
	here, err := filepath.Glob("*/go.mod")
	if err != nil || len(here) != 1 {
		t.Fatal(here, err)
	}
	folder := filepath.Dir(here[0])
	out, _, err := program(t, "-C", folder, "--enable", "nestedlimit", "./...")
	if !errors.Is(err, errFound) || !strings.HasPrefix(out, filepath.Join(folder, "sub", "a.go")+":13:49: ") {
		t.Errorf("-C: %v\n%s", err, out)
	}
}

func TestJSON(t *testing.T) {
	module(t, map[string]string{"a.go": bad})
	out, _, err := program(t, "--json")
	if !errors.Is(err, errFound) {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var first finding
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil {
		t.Fatal(err)
	}
	if first.Rule != "bypassedoverride" || first.Severity != vet.Error || first.File != "a.go" || first.Line != 9 || first.Column != 15 ||
		first.EndColumn != 22 || len(first.Related) != 1 || first.Related[0].Line != 11 || !first.Fixable ||
		!strings.HasSuffix(first.URL, "docs/vet/bypassedoverride.md") {
		t.Errorf("%+v", first)
	}
	if want := `{"summary":{"complete":true,"errors":1,"warnings":2}}`; lines[len(lines)-1] != want {
		t.Error(lines[len(lines)-1])
	}
}

func TestSARIF(t *testing.T) {
	module(t, map[string]string{"a b.go": bad})
	out, _, err := program(t, "--sarif")
	if !errors.Is(err, errFound) {
		t.Fatal(err)
	}
	var log sarifLog
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Results) != 3 || len(run.Tool.Driver.Rules) != len(vet.Rules()) {
		t.Fatalf("%+v", log)
	}
	r := run.Results[0]
	at := r.Locations[0].Physical
	// é takes two bytes, and one unit of UTF-16.
	if at.Artifact.URI != "a%20b.go" || at.Artifact.BaseID != sarifRoot || at.Region != (sarifRegion{9, 14, 9, 21}) {
		t.Errorf("%+v", at)
	}
	if r.Level != "error" || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || len(r.Related) != 1 {
		t.Errorf("%+v", r)
	}
	if base := run.BaseIDs[sarifRoot].URI; !strings.HasPrefix(base, "file:///") || !strings.HasSuffix(base, "/") {
		t.Error(base)
	}
	module(t, map[string]string{"a.go": "package m\n"})
	if out, _, err = program(t, "--sarif"); err != nil || !strings.Contains(out, `"results": []`) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestFix(t *testing.T) {
	module(t, map[string]string{"a.go": bad})
	out, errs, err := program(t, "--diff")
	if !errors.Is(err, errFound) || !strings.Contains(out, "+func (c counted) ReadFrom(r io.Reader)") {
		t.Fatalf("error %v\n%s%s", err, out, errs)
	}
	if text, err := os.ReadFile("a.go"); err != nil || string(text) != bad {
		t.Error("--diff changed the file", err)
	}
	out, errs, err = program(t, "--fix", "--enable", "nestedlimit")
	if err != nil || out != "" {
		t.Fatalf("error %v\n%s%s", err, out, errs)
	}
	if out, _, err = program(t, "--fix"); err != nil || out != "" {
		t.Fatalf("error %v\n%s", err, out)
	}
	if out, err := exec.Command("go", "build", "./...").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestFixProgram mends what only a whole program shows: of wrappers in a chain each gets its method. The program still
// compiles, and what is left has no fix.
func TestFixProgram(t *testing.T) {
	from, err := filepath.Abs("../../internal/whole/testdata/program")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	out, errs, err := program(t, "--fix")
	if !errors.Is(err, errFound) {
		t.Fatalf("error %v\n%s%s", err, out, errs)
	}
	for name, want := range map[string][]string{
		"chain/chain.go": {"func (s *status) ReadFrom(", "func (s *sizes) ReadFrom("}, "upload/upload.go": {"func (l *logged) ReadFrom("},
		"proxy/proxy.go": {"io.Copy(e.w, src)"}, "tunnel/tunnel.go": {"WriteTo("}, "relay/relay.go": {"ReadFrom(", "WriteTo("},
	} {
		text, err := os.ReadFile(name)
		for _, w := range want {
			if err != nil || !strings.Contains(string(text), w) {
				t.Errorf("%s lacks %s: %v\n%s", name, w, err, text)
			}
		}
	}
	if out, err := exec.Command("go", "vet", "./...").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	left, _, _ := program(t, "--json")
	if strings.Contains(left, `"fixable":true`) || strings.Count(left, `"rule"`) == 0 || len(rulesOf(out)) != strings.Count(left, `"rule"`) {
		t.Errorf("left: %s\n%s", out, left)
	}
}

// TestOverlaps mends only the first of two findings whose fixes change the same bytes.
func TestOverlaps(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(name, []byte("package a\n\nvar x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := func(start, end int, text string) edit { return edit{name, start, end, text} }
	files, err := mended([]finding{{edits: []edit{e(11, 20, "var y = 2"), e(9, 9, "\n\nimport _ \"io\"")}},
		{edits: []edit{e(15, 16, "z")}}, {edits: []edit{e(9, 9, "\n\nimport _ \"io\""), e(20, 20, "\n\nvar z = 3")}}})
	if want := "package a\n\nimport _ \"io\"\n\nvar y = 2\n\nvar z = 3\n"; err != nil || string(files[name]) != want {
		t.Errorf("%v, %q", err, files[name])
	}
	for _, bad := range []edit{e(0, 1000, ""), e(0, 9, "package")} {
		if _, err := mended([]finding{{edits: []edit{bad}}}); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// TestVetTool runs go vet with this program as its tool.
func TestVetTool(t *testing.T) {
	module(t, map[string]string{"a.go": bad})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "vet", "-vettool="+self, "-nestedlimit", "./...").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "a.go:13:49: io.CopyN around") || strings.Contains(string(out), "bypassed") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestFailures(t *testing.T) {
	module(t, map[string]string{"a.go": bad, "broken/b.go": "package broken\n\nvar X int = nothing\n"})
	out, errs, err := program(t)
	if err == nil || errors.Is(err, errFound) || !strings.Contains(errs, "undefined: nothing") {
		t.Errorf("error %v\n%s", err, errs)
	}
	if len(rulesOf(out)) != 3 {
		t.Errorf("what could be loaded was not checked:\n%s", out)
	}
	out, _, _ = program(t, "--json")
	if !strings.Contains(out, `"complete":false`) {
		t.Error(out)
	}
	for want, args := range map[string][]string{
		"there is no rule":  {"--enable", "nothing"},
		"unknown flag":      {"--nothing"},
		"[json sarif]":      {"--json", "--sarif"},
		"[enable disable]":  {"--enable", "doublecount", "--disable", "unusedignore"},
		"takes no packages": {"--list", "./..."},
		"not all packages":  {"./missing"},
		"no such file":      {"-C", "missing"},
	} {
		if _, _, err := program(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", args, err, want)
		}
	}
	t.Setenv("PATH", "")
	if _, _, err := program(t); err == nil || !strings.Contains(err.Error(), "not on the PATH") {
		t.Errorf("without go: %v", err)
	}
}

func TestList(t *testing.T) {
	out, _, err := program(t, "--list")
	if err != nil || strings.Count(out, "\n") != len(vet.Rules()) || !strings.HasPrefix(out, "bypassedoverride ") {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = program(t, "--list", "--json")
	if err != nil || !strings.Contains(out, `"severity":"error"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTestFiles(t *testing.T) {
	for _, c := range []struct {
		name, severity string
		tests, want    bool
	}{
		{"a.go", vet.Warning, false, true}, {"a_test.go", vet.Warning, false, false},
		{"a_test.go", vet.Warning, true, true}, {"a_test.go", vet.Error, false, true},
	} {
		f := finding{place: place{File: c.name}, Rule: "r", Severity: c.severity}
		if f.shown([]string{"r"}, c.tests, false) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

func TestPositions(t *testing.T) {
	for text, want := range map[string]place{
		"/a/b.go:3:14":   {File: "/a/b.go", Line: 3, Column: 14},
		"/a/b.go:3":      {File: "/a/b.go", Line: 3},
		`C:\a\b.go:3:14`: {File: `C:\a\b.go`, Line: 3, Column: 14},
		"/a:5/b.go:3:14": {File: "/a:5/b.go", Line: 3, Column: 14},
	} {
		if got := parsePlace(text, "-"); got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestHelp(t *testing.T) {
	out, _, err := program(t, "--help")
	if err != nil || !strings.Contains(out, "--sarif") || !strings.Contains(out, "Exit status") {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		if len(line) > 81 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if out, _, err = program(t, "--version"); err != nil || !strings.HasPrefix(out, "thresh-vet ") {
		t.Errorf("%v %q", err, out)
	}
	if out, _, err = program(t, "__complete", "--disable", ""); err != nil || !strings.Contains(out, "doublecount") {
		t.Errorf("%v %q", err, out)
	}
}
