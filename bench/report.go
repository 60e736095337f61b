package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"
)

// row is one line of the table: thresh against one peer, or one of thresh's own figures.
type row struct {
	Case   string  `json:"case"`
	Peer   string  `json:"peer"`
	What   string  `json:"what"` // meaning of the number: "times its rate", "times its time", "MiB"
	Number summary `json:"number"`
	Target target  `json:"target"`
	Met    *bool   `json:"met,omitempty"` // nil if there is no target

	// Medians of the sides, in GB/s; 0 if the row is not about rates.
	ThreshRate float64 `json:"thresh_gb_per_second,omitempty"`
	PeerRate   float64 `json:"peer_gb_per_second,omitempty"`

	// Others is the share of the processors that others used while the case ran, from 0 to 1.
	Others float64 `json:"others_used_processors"`

	Wall string `json:"wall,omitempty"` // from thresh's receipt, with its verdict
	Note string `json:"note,omitempty"`
}

// othersMax is the share of the processors above which others disturb a case: a program that uses
// all processors then loses more than one that uses a single processor.
const othersMax = 0.1

const (
	timesItsRate = "times its rate"
	timesItsTime = "times its time"
	ownMiB       = "MiB of own memory"

	timesItsCPU      = "times its CPU per byte"
	timesItsRequests = "times its requests a second"

	nanosecondsMore  = "ns more a call"
	millisecondsMore = "ms more a process"
)

// judge sets whether the target is met.
func (r row) judge() row {
	if !r.Target.none() {
		met := r.Target.met(r.Number.Median)
		r.Met = &met
	}
	return r
}

func (r row) verdict() string {
	switch {
	case r.Met == nil:
		return "info"
	case *r.Met:
		return "met"
	}
	return "MISSED"
}

// report has the results of a run of the bench.
type report struct {
	Date    time.Time         `json:"date"`
	Machine map[string]string `json:"machine"`
	Peers   map[string]string `json:"peers"` // versions
	Size    int64             `json:"haystack_bytes"`
	Quick   bool              `json:"quick,omitempty"`
	Rows    []row             `json:"rows"`
	Skipped []string          `json:"skipped,omitempty"`
}

// print writes the rows as a table, followed by walls, notes and skipped cases.
func (r *report) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "case\tpeer\tmedian\tlow..high\trounds\tof what\ttarget\t\tthresh GB/s\tpeer GB/s")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%.2f\t%.2f..%.2f\t%d\t%s\t%v\t%s\t%s\t%s\n",
			row.Case, row.Peer, row.Number.Median, row.Number.Low, row.Number.High, row.Number.Rounds,
			row.What, row.Target, row.verdict(), rate(row.ThreshRate), rate(row.PeerRate))
	}
	err := t.Flush()
	last := ""
	for _, row := range r.Rows {
		if row.Others > othersMax && row.Case != last {
			fmt.Fprintf(w, "disturbed %s: others used %.0f %% of the processors\n", row.Case, 100*row.Others)
			last = row.Case
		}
	}
	last = ""
	for _, row := range r.Rows {
		if row.Wall != "" && row.Case != last {
			fmt.Fprintf(w, "wall %s: %s\n", row.Case, row.Wall)
			last = row.Case
		}
	}
	for _, row := range r.Rows {
		if row.Note != "" {
			fmt.Fprintf(w, "note %s, %s: %s\n", row.Case, row.Peer, row.Note)
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s\n", s)
	}
	if r.Quick {
		_, e := fmt.Fprintln(w, "quick: small data and few rounds, only to try the bench; not to quote")
		err = errors.Join(err, e)
	}
	return err
}

func rate(gbPerSecond float64) string {
	if gbPerSecond == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", gbPerSecond)
}

// missed counts the rows whose target is not met.
func (r *report) missed() (n int) {
	for _, row := range r.Rows {
		if row.Met != nil && !*row.Met {
			n++
		}
	}
	return n
}

// save writes the report as JSON into the folder and returns the file's name.
func (r *report) save(folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	name := filepath.Join(folder, "bench-"+r.Date.UTC().Format("20060102T150405Z")+".json")
	return name, os.WriteFile(name, append(text, '\n'), 0o644)
}
