package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"github.com/thresh-dev/thresh/lab/copy"
)

// report is a run, as it is printed.
type report struct {
	Go        string         `json:"go"`
	System    string         `json:"system"`
	SizeBytes int64          `json:"size_bytes"`
	Transfers int            `json:"transfers"`
	Rounds    int            `json:"rounds"`
	Rows      []row          `json:"rows"`
	Verdicts  []copy.Verdict `json:"verdicts"`
}

// row is a variant with its figures.
type row struct {
	ID        string         `json:"id"`
	What      string         `json:"what"`
	Path      copy.Path      `json:"path"`
	Expected  copy.Path      `json:"expected_path"`
	CPUMillis float64        `json:"cpu_ms_per_gib"`
	CPURatio  *float64       `json:"cpu_ratio_to_raw,omitempty"` // nil: raw was not run
	Published copy.Published `json:"published"`
	Timed     []copy.Outcome `json:"timed"`
	Traced    *copy.Outcome  `json:"traced,omitempty"`
}

func newReport(o options, size int64, measured []copy.Measured) report {
	r := report{Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		SizeBytes: size, Transfers: o.transfers, Rounds: o.rounds}
	by := map[string]copy.Measured{}
	for _, m := range measured {
		by[m.Variant.ID] = m
	}
	for _, m := range measured {
		line := row{
			ID: m.Variant.ID, What: m.Variant.What, Path: m.Path(), Expected: m.Variant.Path,
			CPUMillis: m.CPUMillisPerGiB(), Published: m.Variant.Published, Timed: m.Timed, Traced: m.Traced,
		}
		if raw, ok := by["raw"]; ok {
			ratio := m.CPURatio(raw)
			line.CPURatio = &ratio
		}
		r.Rows = append(r.Rows, line)
	}
	r.Verdicts = copy.Verdicts(by)
	return r
}

func (r report) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "variant\tpath\tCPU ms/GiB\tto raw\tread/GiB\twrite/GiB\tsendfile/GiB\tsplice/GiB\tarticle: ms\tcalls\t")
	for _, line := range r.Rows {
		fmt.Fprintln(t, strings.Join(line.cells(), "\t")+"\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s, %s, %s, %d transfers, median of %d rounds\n\n",
		r.System, r.Go, humanize.IBytes(uint64(r.SizeBytes)), r.Transfers, r.Rounds)
	for _, v := range r.Verdicts {
		if err == nil {
			_, err = fmt.Fprintf(w, "%s  %s: %s\n    theirs: %s\n    ours:   %s\n    %s\n",
				v.ID, v.Claim, strings.ToUpper(string(v.Holds)), v.Theirs, v.Ours, v.Why)
		}
	}
	return err
}

// cells are those of a row: figures that are not known are a dash.
func (l row) cells() []string {
	path := string(l.Path)
	if l.Path != l.Expected {
		path += fmt.Sprintf(" (not %s)", l.Expected)
	}
	cells := []string{l.ID, path, fmt.Sprintf("%.0f", l.CPUMillis), "-"}
	if l.CPURatio != nil {
		cells[len(cells)-1] = fmt.Sprintf("%.2f", *l.CPURatio)
	}
	if l.Traced == nil {
		cells = append(cells, "-", "-", "-", "-")
	} else {
		c, gib := l.Traced.Calls, float64(l.Traced.Bytes)/(1<<30)
		for _, count := range []copy.Count{c.Read, c.Write, c.Sendfile, c.Splice} {
			cells = append(cells, humanize.Comma(int64(float64(count.Calls)/gib)))
		}
	}
	for _, published := range []float64{l.Published.CPUMillisPerGiB, l.Published.CallsPerGiB} {
		cell := "-"
		if published > 0 {
			cell = humanize.Comma(int64(published))
		}
		cells = append(cells, cell)
	}
	return cells
}
