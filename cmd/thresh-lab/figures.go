package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/thresh-dev/thresh/lab"
	"github.com/thresh-dev/thresh/lab/measure"
	"github.com/thresh-dev/thresh/lab/report"
)

// printResults prints the figures of the experiments that were measured, beside the published ones.
func printResults(w io.Writer, experiments []*lab.Experiment, r lab.Results) error {
	for _, e := range experiments {
		if len(e.Variants) > 0 && e.Variants[0].Compare != nil {
			if err := report.Compared(w, e, r); err != nil {
				return err
			}
			fmt.Fprintln(w)
			continue
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		rows := 0
		for i := range r.Measurements {
			m := &r.Measurements[i]
			if v := variantOf(e, m.Variant); v != nil {
				rows++
				fmt.Fprintf(t, "  %s\n", strings.Join(resultRow(e, v, m), "\t"))
			}
		}
		if rows == 0 {
			continue
		}
		fmt.Fprintf(w, "%s, in %s (lowest to highest of the runs that count; published)\n", e.Name, e.Metric.Unit)
		if err := t.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if r.Unfinished != nil {
		fmt.Fprintf(w, "%s\n\n", r.Unfinished)
	}
	_, err := fmt.Fprintln(w, `"thresh lab claims" says which conclusions hold here; "thresh lab report" draws it`)
	return err
}

// resultRow returns the cells of a measurement.
func resultRow(e *lab.Experiment, v *lab.Variant, m *lab.Measurement) []string {
	name := strings.Join(append([]string{m.Variant}, measure.Conditions(m.Setting)...), ", ")
	switch s, ok := e.Figure(m); {
	case m.Skipped != "":
		return []string{name, "-", "", "", m.Skipped}
	case m.Wrong != "":
		return []string{name, "WRONG", "", "", fmt.Sprintf("answered %.60q, not %.60q", m.Wrong, m.Want)}
	case m.Profile != nil:
		return []string{name, "profiled", "", "", profileNote(m.Profile)}
	case !ok:
		return []string{name, "-", "", "", "not run"}
	default:
		spread := fmt.Sprintf("%s to %s", figure(s.Low), figure(s.High))
		return []string{name, figure(s.Value), spread, publishedFor(v, m.Setting), note(m)}
	}
}

// profileNote says how a profile was taken, and why without the kernel if it is.
func profileNote(p *lab.Profile) string {
	var samples int64
	for _, n := range p.Folded {
		samples += n
	}
	text := fmt.Sprintf("%d samples by %s", samples, p.Source)
	if p.Note != "" {
		text += "; the kernel's functions are missing: " + p.Note
	}
	return text
}

// note says what is to be known about a measurement, "" if nothing.
func note(m *lab.Measurement) string {
	var notes []string
	if m.Fewer != "" {
		notes = append(notes, m.Fewer)
	}
	if others := m.Others(); others != "" {
		notes = append(notes, others)
	}
	return strings.Join(notes, "; ")
}

// publishedFor returns the article's figure for a setting, "" if it has none.
func publishedFor(v *lab.Variant, s lab.Setting) string {
	for _, p := range v.Published {
		if p.Setting == s && p.Value != 0 {
			return figure(p.Value)
		}
	}
	return ""
}

func variantOf(e *lab.Experiment, id string) *lab.Variant {
	for i := range e.Variants {
		if e.Variants[i].ID == id {
			return &e.Variants[i]
		}
	}
	return nil
}

// figure formats a number with three digits that count, or all before the point.
func figure(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
