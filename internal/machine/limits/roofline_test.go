package limits

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func figure(v float64) Figure { return Figure{Median: v, Unit: gigabytes, Samples: 5} }

// TestRoofline checks that the drawing is well-formed, that roofs are as high as their figures, and that each run is
// where it belongs.
func TestRoofline(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]*Ceilings{
		"all":  {MemoryAll: figure(40), MemoryOne: figure(20), CopyAll: figure(20), DirectRead: figure(2), ColdRead: Figure{Noisy: true, Samples: 3, Median: 1}},
		"none": {},
		"huge": {MemoryAll: figure(4000), DirectRead: figure(0.004)},
	} {
		for _, runs := range [][]Run{nil, {
			{Taken: now, Question: "find", Kernel: "a<b", Wall: "memory", Rate: 38, Function: 90},
			{Taken: now.Add(-time.Hour), Question: "count", Kernel: "regex", Wall: "the work itself", Rate: 0.5, Function: 0.6},
			{Question: "table", Rate: 0, Function: 20000},
		}} {
			t.Run(fmt.Sprintf("%s, %d runs", name, len(runs)), func(t *testing.T) {
				var text strings.Builder
				if err := c.Roofline(&text, runs, now); err != nil {
					t.Fatal(err)
				}
				for d := xml.NewDecoder(strings.NewReader(text.String())); ; {
					if _, err := d.Token(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatalf("%v in\n%s", err, text.String())
					}
				}
				if n := strings.Count(text.String(), "<circle"); n != len(runs) {
					t.Errorf("%d runs are drawn of %d", n, len(runs))
				}
				roofs := 0
				for _, r := range c.rows() {
					if r.figure.Samples > 0 {
						roofs++
					}
				}
				if n := strings.Count(text.String(), `class="roof`); n != roofs+1 {
					t.Errorf("%d lines for %d roofs and the diagonal", n, roofs)
				}
				if strings.Contains(text.String(), "NaN") || strings.Contains(text.String(), "Inf") {
					t.Errorf("a coordinate is no number:\n%s", text.String())
				}
				y := heights(t, text.String())
				for i := 1; i < len(y); i++ {
					if y[i] < y[i-1] {
						t.Errorf("the roofs are not in the order of their figures: %v", y)
					}
				}
			})
		}
	}
	var text strings.Builder
	c := &Ceilings{MemoryAll: figure(10)}
	if err := c.Roofline(&text, []Run{{Question: "find", Rate: 10, Function: 10}}, now); err != nil {
		t.Fatal(err)
	}
	if y := heights(t, text.String()); len(y) != 1 || !strings.Contains(text.String(), fmt.Sprintf(`cy="%.1f"`, y[0])) {
		t.Errorf("a run as fast as memory is not on its roof:\n%s", text.String())
	}
}

// heights returns where the roofs are, from the top of the drawing.
func heights(t *testing.T, svg string) (y []float64) {
	t.Helper()
	for _, m := range regexp.MustCompile(`y1="([0-9.]+)" x2="600.0" y2="([0-9.]+)" class="roof`).FindAllStringSubmatch(svg, -1) {
		var from, to float64
		if _, err := fmt.Sscan(m[1]+" "+m[2], &from, &to); err != nil {
			t.Fatal(err)
		}
		if from == to { // the diagonal is not level
			y = append(y, from)
		}
	}
	return y
}

// TestRuns keeps the last runs only, also behind a file that is damaged.
func TestRuns(t *testing.T) {
	name := filepath.Join(t.TempDir(), "cache", runsName)
	for i := range runsKept + 3 {
		if err := keepRun(name, Run{Question: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := lastRuns(name)
	if err != nil || len(runs) != runsKept || runs[0].Question != "3" || runs[runsKept-1].Question != fmt.Sprint(runsKept+2) {
		t.Errorf("%v, %v", runs, err)
	}
	if err := os.WriteFile(name, []byte(`[{"question":`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := keepRun(name, Run{Question: "again"}); err != nil {
		t.Fatal(err)
	}
	if runs, err := lastRuns(name); err != nil || len(runs) != 1 || runs[0].Question != "again" {
		t.Errorf("%v, %v", runs, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := keepRun(filepath.Join(name, "below-a-file"), Run{}); err == nil {
		t.Error("no error where no folder can be made")
	}
}
