package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"go.uber.org/goleak"

	"github.com/thresh-dev/thresh/lab/copy"
)

func TestMain(m *testing.M) {
	if handled, status := copy.Child(os.Args[1:]); handled {
		os.Exit(status)
	}
	// A process built with -race sleeps for a second before it exits, so that no report is lost.
	if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// cache sets a cache folder for the test and returns thresh's folder in it.
func cache(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("variants run on Linux only")
	}
	root := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", root)
	return filepath.Join(root, "thresh")
}

func TestTable(t *testing.T) {
	folder := cache(t)
	var out, progress bytes.Buffer
	args := []string{"--size", "1MiB", "--transfers", "2", "--rounds", "2", "--only", "raw|wrapped|limit"}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nraw             sendfile ", "\nwrapped         copy ", "\nlimit           sendfile ", "Z1  ", "Z4  ", "NOT MEASURED", "2 transfers",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "\nsplice") {
		t.Errorf("a variant ran that --only excludes:\n%s", &out)
	}
	if err := run(t.Context(), []string{"--clean"}, &out, &progress); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left in the cache: %v, error %v", left, err)
	}
}

func TestJSON(t *testing.T) {
	cache(t)
	var out, progress bytes.Buffer
	args := []string{"--size", "1MiB", "--transfers", "3", "--rounds", "2", "--only", "raw|splice|relay32", "--json", "--no-trace"}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v in\n%s", err, &out)
	}
	if len(r.Rows) != 3 || len(r.Verdicts) != 5 || r.SizeBytes != 1<<20 {
		t.Fatalf("%d rows, %d verdicts, %d bytes", len(r.Rows), len(r.Verdicts), r.SizeBytes)
	}
	for _, line := range r.Rows {
		if line.Traced != nil || len(line.Timed) != 2 || line.Timed[0].Bytes != 3<<20 || line.CPURatio == nil {
			t.Errorf("row %+v", line)
		}
		if line.Path != line.Expected {
			t.Errorf("%s: path %s, want %s", line.ID, line.Path, line.Expected)
		}
	}
}

// TestCells checks the cells of a row for each path, with and without a trace.
func TestCells(t *testing.T) {
	const gib = 1 << 30
	ratio := 1.5
	timed := []copy.Outcome{{Bytes: gib / 2, IO: copy.IO{ReadCalls: 1100, WriteCalls: 1000}}}
	traced := &copy.Outcome{Bytes: gib / 4, Calls: &copy.Calls{
		Read: copy.Count{Calls: 1}, Write: copy.Count{Calls: 2}, Sendfile: copy.Count{Calls: 3}, Splice: copy.Count{Calls: 4},
	}}
	for _, test := range []struct {
		row  row
		want string
	}{
		{row{Path: copy.BySendfile, Timed: timed}, "v sendfile 54 - - - ~2,000 - - -"},
		{row{Path: copy.ByCopy, Timed: timed, CPURatio: &ratio}, "v copy 54 1.50 ~2,200 ~2,000 - - - -"},
		{row{Path: copy.BySplice, Timed: timed}, "v splice 54 - ~2,200 ~2,000 - ? - -"},
		{row{Path: copy.BySendfile, Timed: timed, Traced: traced, Published: copy.Published{CPUMillisPerGiB: 60, CallsPerGiB: 1188.8}},
			"v sendfile 54 - 4 8 12 16 60 1,188"},
		{row{Path: copy.ByCopy, Expected: copy.BySplice, Timed: timed, Traced: traced}, "v copy! 54 - 4 8 12 16 - -"},
	} {
		test.row.ID, test.row.CPUMillis = "v", 53.7
		if test.row.Expected == "" {
			test.row.Expected = test.row.Path
		}
		if got := strings.Join(test.row.cells(), " "); got != test.want {
			t.Errorf("cells %q, want %q", got, test.want)
		}
	}
}

func TestBadArguments(t *testing.T) {
	folder := cache(t)
	for _, args := range [][]string{
		{"--size", "much"}, {"--size", "1KiB"}, {"--transfers", "0"}, {"--rounds", "0"},
		{"--only", "("}, {"--only", "unknown"}, {"more"}, {"--unknown"},
	} {
		var out, progress bytes.Buffer
		if err := run(t.Context(), args, &out, &progress); err == nil || errors.Is(err, pflag.ErrHelp) {
			t.Errorf("%q: error %v", args, err)
		}
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("bad arguments made a file")
	}
}

func TestCancelled(t *testing.T) {
	cache(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, progress bytes.Buffer
	if err := run(ctx, []string{"--size", "1MiB", "--only", "raw"}, &out, &progress); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestData(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "thresh")
	const size = 1<<20 + 3
	path, err := data(folder, size)
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil || len(first) != size {
		t.Fatalf("%d bytes, error %v", len(first), err)
	}
	if err := os.Truncate(path, size-1); err != nil {
		t.Fatal(err)
	}
	if again, err := data(folder, size); again != path || err != nil {
		t.Fatalf("made %s again: error %v", again, err)
	}
	if second, err := os.ReadFile(path); err != nil || !bytes.Equal(first, second) {
		t.Errorf("the file made again has other bytes, error %v", err)
	}
	for _, name := range []string{prefix + "unfinished", "other"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := clean(folder); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 || left[0].Name() != "other" {
		t.Errorf("left: %v, error %v", left, err)
	}
	if err := clean(filepath.Join(folder, "missing")); err != nil {
		t.Errorf("clean of nothing: %v", err)
	}
}
