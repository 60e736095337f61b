package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/thresh-dev/thresh/lab/copy"
)

// report is the printed result of a run.
type report struct {
	Go        string         `json:"go"`
	System    string         `json:"system"`
	SizeBytes int64          `json:"size_bytes"`
	Transfers int            `json:"transfers"`
	Rounds    int            `json:"rounds"`
	Rows      []row          `json:"rows"`
	Verdicts  []copy.Verdict `json:"verdicts"`
}

// row has the figures of a variant.
type row struct {
	ID        string         `json:"id"`
	What      string         `json:"what"`
	Path      copy.Path      `json:"path"`
	Expected  copy.Path      `json:"expected_path"`
	CPUMillis float64        `json:"cpu_ms_per_gib"`
	CPURatio  *float64       `json:"cpu_ratio_to_raw,omitempty"` // nil if raw was not run
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

// columns are the table's headers and widths. Negative widths align to the left.
var columns = []struct {
	head  string
	width int
}{
	{"variant", -16}, {"path", -9}, {"CPU ms/GiB", 12}, {"to raw", 8},
	{"read/GiB", 10}, {"write/GiB", 11}, {"sendfile/GiB", 14}, {"splice/GiB", 12},
	{"article: ms", 13}, {"calls/GiB", 11},
}

func (r report) print(w io.Writer) error {
	var b strings.Builder
	for _, c := range columns {
		fmt.Fprintf(&b, "%*s", c.width, c.head)
	}
	for _, line := range r.Rows {
		b.WriteByte('\n')
		for i, cell := range line.cells() {
			fmt.Fprintf(&b, "%*s", columns[i].width, cell)
		}
	}
	fmt.Fprintf(&b, "\n\n%s, %s, %s, %d transfers, median of %d rounds\n\n",
		r.System, r.Go, humanize.IBytes(uint64(r.SizeBytes)), r.Transfers, r.Rounds)
	for _, line := range r.Rows {
		if line.Path != line.Expected {
			fmt.Fprintf(&b, "! %s should have used %s\n\n", line.ID, line.Expected)
		}
	}
	if slices.ContainsFunc(r.Rows, func(l row) bool { return l.Traced == nil }) {
		b.WriteString("~ from /proc/PID/io, without strace: a sendfile counts as a read and a write, a splice as neither\n\n")
	}
	for _, v := range r.Verdicts {
		fmt.Fprintf(&b, "%s  %s: %s\n    theirs: %s\n    ours:   %s\n    %s\n",
			v.ID, v.Claim, strings.ToUpper(string(v.Holds)), v.Theirs, v.Ours, v.Why)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cells returns the cells of a row. Unknown figures are shown as a dash.
func (l row) cells() []string {
	path := string(l.Path)
	if l.Path != l.Expected {
		path += "!"
	}
	cells := []string{l.ID, path, fmt.Sprintf("%.0f", l.CPUMillis), "-"}
	if l.CPURatio != nil {
		cells[len(cells)-1] = fmt.Sprintf("%.2f", *l.CPURatio)
	}
	cells = append(cells, l.calls()...)
	for _, published := range []float64{l.Published.CPUMillisPerGiB, l.Published.CallsPerGiB} {
		cell := "-"
		if published > 0 {
			cell = humanize.Comma(int64(published))
		}
		cells = append(cells, cell)
	}
	return cells
}

// calls returns the cells with system calls for each GiB: from a trace, or, marked with a tilde, from
// the kernel's counters of the process.
func (l row) calls() []string {
	perGiB := func(calls int64, o copy.Outcome) string {
		return humanize.Comma(int64(float64(calls) / (float64(o.Bytes) / (1 << 30))))
	}
	if o := l.Traced; o != nil {
		c := o.Calls
		return []string{perGiB(c.Read.Calls, *o), perGiB(c.Write.Calls, *o),
			perGiB(c.Sendfile.Calls, *o), perGiB(c.Splice.Calls, *o)}
	}
	o := l.Timed[0]
	read, write := "~"+perGiB(o.IO.ReadCalls, o), "~"+perGiB(o.IO.WriteCalls, o)
	switch l.Path {
	case copy.BySendfile:
		return []string{"-", "-", write, "-"} // each is also a read
	case copy.BySplice:
		return []string{read, write, "-", "?"}
	}
	return []string{read, write, "-", "-"}
}
