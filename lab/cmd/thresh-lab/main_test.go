package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/catalog"
	"github.com/thresh-dev/thresh/lab/measure"
)

// TestMain makes this test binary the child of its own runs.
func TestMain(m *testing.M) {
	if handled, status := child(os.Args[1:]); handled {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// cached moves the user's cache folder to one of the test.
func cached(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
}

func lines(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(context.Background(), args, &out, io.Discard); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}

// TestSession runs two variants at a small size, and asks for all that follows from it.
func TestSession(t *testing.T) {
	cached(t)
	file := filepath.Join(t.TempDir(), "here.json")
	run := []string{"run", "needle", "--size", "1MiB", "--only", "v0[37]$", "--scale", "2", "--cold=false", "-o", file}
	text := lines(t, run...)
	if !strings.Contains(text, "needle/v03, warm") || !strings.Contains(text, "2 workers") || strings.Contains(text, "cold") {
		t.Errorf("results:\n%s", text)
	}
	all, err := load("", []string{file})
	if err != nil || len(all) != 1 || all[0].Machine.Processors < 1 {
		t.Fatalf("%+v, error %v", all, err)
	}
	var again lab.Results
	if err := json.Unmarshal([]byte(lines(t, append(run, "--json")...)), &again); err != nil {
		t.Fatal(err)
	}
	if len(again.Measurements) != len(all[0].Measurements) ||
		again.Measurements[0].Outcomes[0].Seconds != all[0].Measurements[0].Outcomes[0].Seconds {
		t.Error("a complete session was measured again")
	}
	if text := lines(t, "claims"); !strings.Contains(text, "N1 ") || !strings.Contains(text, "NOT TESTED HERE") {
		t.Errorf("claims:\n%s", text)
	}
	var judged verdicts
	if err := json.Unmarshal([]byte(lines(t, "claims", "--json")), &judged); err != nil || len(judged.Claims) == 0 ||
		judged.Claims[0].ID != "N1" || len(judged.Own) != 0 {
		t.Errorf("%+v, error %v", judged, err)
	}
	if text := lines(t, "claims", file, file); !strings.HasPrefix(text, "== ") {
		t.Errorf("claims of two machines:\n%s", text)
	}
	for _, name := range []string{"report.html", "report.md"} {
		report := filepath.Join(t.TempDir(), name)
		lines(t, "report", "-o", report)
		text, err := os.ReadFile(report)
		if err != nil || !bytes.Contains(text, []byte("needle/v03")) {
			t.Errorf("%s: %d bytes, error %v", name, len(text), err)
		}
		if isPage := bytes.Contains(text, []byte("<html")); isPage != (name == "report.html") {
			t.Errorf("%s is a page: %v", name, isPage)
		}
	}
	lines(t, "clean")
	if err := failure(t, "claims"); err == nil || !strings.Contains(err.Error(), "thresh lab run") {
		t.Errorf("after clean: %v", err)
	}
}

// TestProfileText: the results say how a variant was profiled.
func TestProfileText(t *testing.T) {
	m := &lab.Measurement{Variant: "needle/v03", Profile: &lab.Profile{Source: "pprof", Note: "no perf", Folded: map[string]int64{"a;b": 3, "a": 4}}}
	e, err := catalog.Named("needle")
	if err != nil {
		t.Fatal(err)
	}
	row := strings.Join(resultRow(e[0], variantOf(e[0], m.Variant), m), "|")
	if row != "needle/v03|profiled|||7 samples by pprof; the kernel's functions are missing: no perf" {
		t.Error(row)
	}
}

func failure(t *testing.T, args ...string) error {
	t.Helper()
	return run(context.Background(), args, io.Discard, io.Discard)
}

// TestCopy runs servers, which are child processes of a child process.
func TestCopy(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the experiment needs Linux")
	}
	cached(t)
	var r lab.Results
	args := []string{"run", "copy", "--size", "1MiB", "--only", "/(raw|splice|nginx|haproxy)$", "--json"}
	if err := json.Unmarshal([]byte(lines(t, args...)), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Measurements) != 4 {
		t.Errorf("%d measurements, want 4", len(r.Measurements))
	}
	for _, m := range r.Measurements {
		if notInstalled := strings.HasSuffix(m.Skipped, "is not installed"); !notInstalled &&
			(m.Skipped != "" || m.Wrong != "" || len(m.Outcomes) != 3 || m.Outcomes[0].Extra["server_cpu_seconds"] <= 0) {
			t.Errorf("%+v", m)
		}
	}
}

func TestList(t *testing.T) {
	text := lines(t, "list")
	for _, id := range catalog.IDs() {
		if !strings.Contains(text, " "+id) {
			t.Errorf("the list lacks %s", id)
		}
	}
	var all []listed
	if err := json.Unmarshal([]byte(lines(t, "list", "needle", "--json")), &all); err != nil || len(all) < 15 {
		t.Errorf("%d variants, error %v", len(all), err)
	}
}

func TestErrors(t *testing.T) {
	cached(t)
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--size 5":              {"run", "--size", "5"},
		"--size much":           {"run", "--size", "much"},
		`"nedle"`:               {"run", "nedle"},
		"--only":                {"run", "--only", "("},
		"--scale: 0 workers":    {"run", "--scale", "1,0"},
		"--budget":              {"run", "--budget", "0s"},
		"nothing has been":      {"report"},
		"has no results":        {"claims", broken},
		"no such file":          {"claims", broken + "2"},
		"unknown flag":          {"list", "--nosuch"},
		"unknown command \"x\"": {"x"},
	} {
		err := failure(t, args...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", args, err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, []string{"run", "--size", "1MiB", "needle"}, io.Discard, io.Discard); err == nil {
		t.Error("no error after an interrupt")
	}
}

func TestTwoAtOnce(t *testing.T) {
	cached(t)
	lines(t, "run", "needle", "--size", "1MiB", "--only", "^$")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(filepath.Join(cache, "thresh", "lab"))
	if err != nil {
		t.Fatal(err)
	}
	if err := failure(t, "clean"); err == nil || !strings.Contains(err.Error(), "another thresh-lab") {
		t.Errorf("error %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	lines(t, "clean")
}

func TestProgressLine(t *testing.T) {
	if got := progressLine(measure.Progress{Doing: "x", Done: 0.345, Left: 192 * time.Second}); got != " 34 %  3m12s left  x" {
		t.Errorf("%q", got)
	}
	var out bytes.Buffer
	p := newProgress(&out)
	p.show(measure.Progress{Doing: "first"})
	p.show(measure.Progress{Doing: "second"}) // too soon
	p.note("note")
	if out.String() != "first\nthresh-lab: note\n" {
		t.Errorf("%q", out.String())
	}
}

func TestFigureText(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.00056789: "0.000568", 1.2345: "1.23", 12.345: "12.3", 1234.5: "1234"} {
		if got := figure(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
	all := []lab.Published{{Value: 2030, Setting: lab.Setting{State: lab.Cold}}, {Text: "5 transfers"}}
	if got := publishedText(all, "MB/s"); got != "cold 2030 MB/s, (5 transfers)" {
		t.Errorf("%q", got)
	}
}
