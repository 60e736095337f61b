package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/thresh-dev/thresh/vet/internal/section"
)

// resultsFile keeps the results.
const resultsFile = "figures.json"

// TestFigures measures the shapes whose names match THRESH_FIGURES, flagged and mended, and writes what they cost into the
// pages of the rules and into docs/vet-findings.md; ^$ only writes the pages anew. The machine should do nothing else.
//
//	THRESH_FIGURES='^nested' go -C vet test -count=1 -timeout 1h -run TestFigures ./internal/proof
func TestFigures(t *testing.T) {
	pattern, ok := os.LookupEnv("THRESH_FIGURES")
	if !ok {
		t.Skip("it takes minutes, and writes pages: THRESH_FIGURES names the shapes")
	}
	chosen, err := regexp.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	names, err := shapeNames(root)
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !chosen.MatchString(n) || n == "plain" })
	all, err := readResults(resultsFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(measureAll(t, all, names), all.write(resultsFile), writePages(all)); err != nil {
		t.Fatal(err)
	}
}

// measureAll measures the shapes with the names.
func measureAll(t *testing.T, all *results, names []string) error {
	if len(names) == 0 {
		return nil
	}
	program, file := setUp(t)
	if err := os.Truncate(file, 256<<20); err != nil {
		return err
	}
	all.Machine = machine()
	for _, name := range names {
		r, err := measure(t.Context(), program, name, file)
		if err != nil {
			return err
		}
		all.Shapes[name] = r
		t.Logf("%-20s %6.2f s/GiB, mended %6.2f; %d calls/GiB, mended %d",
			name, r.Flagged.SecondsPerGiB, r.Fixed.SecondsPerGiB, r.Flagged.CallsPerGiB, r.Fixed.CallsPerGiB)
	}
	return nil
}

// stall is how long the reader of stalledstdout's output pauses.
const stall = 700 * time.Millisecond

// measure runs the variants of a shape in turn, and once more each to count the system calls.
func measure(ctx context.Context, program, name, file string) (r result, err error) {
	one := func(variant string, trace bool) (Outcome, error) {
		o := Run{Program: program, Shape: name, Variant: variant, File: file, Trace: trace}
		if name == "stalledstdout" {
			o.StallFor = stall
		}
		return o.Do(ctx)
	}
	seconds := map[string][]float64{}
	for range 5 {
		for _, variant := range []string{Flagged, Fixed} {
			o, err := one(variant, false)
			if err != nil {
				return r, err
			}
			seconds[variant] = append(seconds[variant], o.CPUSeconds/gib(o.Bytes))
		}
	}
	for variant, v := range map[string]*figures{Flagged: &r.Flagged, Fixed: &r.Fixed} {
		o, err := one(variant, true)
		if err != nil {
			return r, err
		}
		v.SecondsPerGiB = median(seconds[variant])
		v.CallsPerGiB = int64(float64(o.Calls.Number()) / gib(o.Bytes))
		v.Kept = o.Calls.Kept() >= o.Bytes*3/4
		v.CountedShare = float64(o.Counted) / float64(o.Bytes)
	}
	return r, nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func gib(bytes int64) float64 { return float64(bytes) / (1 << 30) }

// pages has the shapes of each rule's page.
var pages = map[string][]string{
	"bypassedoverride": {"bypassedoverride"},
	"connwrapper":      {"connwrapper", "relayedconn"},
	"doublecount":      {"doublecount"},
	"hiddenfile":       {"hiddenfile", "hiddensection", "hiddenreader"},
	"ignoredbuffer":    {"ignoredbuffer"},
	"missinglength":    {"missinglength", "missingencodinglen"},
	"nestedlimit":      {"nestedlimit"},
	"responsewrapper":  {"responsewrapper"},
	"stalledstdout":    {"stalledstdout"},
}

// writePages writes the figures into the pages of rules whose shapes were all measured, and the table of
// reproduced findings.
func writePages(all *results) (err error) {
	for rule, shapes := range pages {
		if slices.ContainsFunc(shapes, func(s string) bool { _, ok := all.Shapes[s]; return !ok }) {
			continue
		}
		err = errors.Join(err, section.Write(root+"/docs/vet/"+rule+".md", "figures: "+rule, all.table(shapes)))
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(all.Shapes)) {
		if strings.HasPrefix(name, "found") {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return err
	}
	table, reproduced := all.reproduced(found)
	return errors.Join(err, reproduced, section.Write(root+"/docs/vet-findings.md", "reproduced", table))
}

// table has the figures of shapes.
func (r *results) table(shapes []string) string {
	var b strings.Builder
	b.WriteString("| shape | | system calls a GiB | processor time a GiB | path | counted |\n|---|---|--:|--:|---|--:|\n")
	for _, name := range shapes {
		s := r.Shapes[name]
		fmt.Fprintf(&b, "| [%s](../../vet/internal/proof/testdata/shapes/%[1]s.go) | flagged | %s |\n| | mended | %s |\n",
			name, s.Flagged.cells(), s.Fixed.cells())
	}
	fmt.Fprintf(&b, "\nOver loopback, processor time of the sender, median of five runs; %s.\n"+
		"TestFigures of vet/internal/proof measures this anew.\n", r.Machine)
	return b.String()
}

func (f figures) cells() string {
	path, counted := "copied", "–"
	if f.Kept {
		path = "in the kernel"
	}
	if f.CountedShare > 0 {
		counted = fmt.Sprintf("%.0f %%", 100*f.CountedShare)
	}
	return fmt.Sprintf("%d | %.2f s | %s | %s", f.CallsPerGiB, f.SecondsPerGiB, path, counted)
}

// reproduced has a line for each finding that was made again as a shape.
func (r *results) reproduced(names []string) (string, error) {
	var b strings.Builder
	b.WriteString("| finding | rule | system calls a GiB | mended | processor time a GiB | mended | ratio |\n" +
		"|---|---|--:|--:|--:|--:|--:|\n")
	for _, name := range names {
		about, err := aboutOf(root, name)
		if err != nil {
			return "", err
		}
		s := r.Shapes[name]
		fmt.Fprintf(&b, "| [%s](../vet/internal/proof/testdata/shapes/%s.go) | %s | %d | %d | %.2f s | %.2f s | %.1f |\n",
			about.Finding, name, about.Rule, s.Flagged.CallsPerGiB, s.Fixed.CallsPerGiB,
			s.Flagged.SecondsPerGiB, s.Fixed.SecondsPerGiB, s.Flagged.SecondsPerGiB/s.Fixed.SecondsPerGiB)
	}
	fmt.Fprintf(&b, "\nOver loopback, processor time of the sender, median of five runs; %s.\n", r.Machine)
	return b.String(), nil
}

// results are the figures of all shapes that were measured.
type results struct {
	Machine string
	Shapes  map[string]result
}

// result has the figures of a shape.
type result struct{ Flagged, Fixed figures }

// figures are what a variant used.
type figures struct {
	SecondsPerGiB float64 // of the server's processor time, the median
	CallsPerGiB   int64   // that read, write, sendfile, splice or copy_file_range
	Kept          bool    // the bytes stayed in the kernel
	CountedShare  float64 // the share of the bytes that the shape's own counter saw
}

func readResults(path string) (*results, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := &results{}
	if err := json.Unmarshal(text, all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if all.Shapes == nil {
		all.Shapes = map[string]result{}
	}
	return all, nil
}

func (r *results) write(path string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// machine names the processor, the system and the version of Go.
func machine() string {
	name := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range bytes.Lines(text) {
			if key, value, ok := strings.Cut(string(line), ":"); ok && strings.TrimSpace(key) == "model name" {
				name = strings.TrimSpace(value)
			}
		}
	}
	kernel := "unknown"
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		kernel, _, _ = strings.Cut(strings.TrimSpace(string(text)), "-")
	}
	return fmt.Sprintf("%s, %d processors, Linux %s, %s", name, runtime.NumCPU(), kernel, runtime.Version())
}

// TestResults holds figures.json to the shapes: all are measured, and the path is as the proofs say.
func TestResults(t *testing.T) {
	all, err := readResults("figures.json")
	if err != nil {
		t.Fatal(err)
	}
	names, err := shapeNames(root)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range names {
		r, measured := all.Shapes[name]
		if name == "plain" {
			continue
		}
		if !measured || r.Flagged.SecondsPerGiB <= 0 || r.Fixed.SecondsPerGiB <= 0 {
			t.Errorf("%s is not measured: %+v", name, r)
		}
		if strings.HasPrefix(name, "found") && name != "foundtee" { // its rule is about counts
			found++
			if r.Flagged.Kept || !r.Fixed.Kept || r.Fixed.CallsPerGiB >= r.Flagged.CallsPerGiB {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d losses are reproduced", found)
	}
	again := filepath.Join(t.TempDir(), "figures.json")
	if err := all.write(again); err != nil {
		t.Fatal(err)
	}
	if read, err := readResults(again); err != nil || !reflect.DeepEqual(read, all) {
		t.Errorf("%+v, %v", read, err)
	}
}

func TestTables(t *testing.T) {
	r := &results{Machine: "a machine", Shapes: map[string]result{
		"foundgin": {Flagged: figures{0.5, 65536, false, 0}, Fixed: figures{0.25, 512, true, 1}},
	}}
	want := "flagged | 65536 | 0.50 s | copied | – |\n| | mended | 512 | 0.25 s | in the kernel | 100 % |"
	if got := r.table([]string{"foundgin"}); !strings.Contains(got, want) {
		t.Error(got)
	}
}
